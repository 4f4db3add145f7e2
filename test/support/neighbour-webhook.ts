import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueCa, issueLeaf } from '../../src/certificates/issue.ts'
import type { Client } from '../control-plane/client.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'

const DAY = 24 * 3_600_000
/** The annotation that it writes: a number that grows with each review. */
export const SEEN = 'policy.example/seen'
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1'

/** Somebody else's admission webhook. */
export interface NeighbourWebhook {
  readonly url: string
  /** Base64 of PEM. */
  readonly caBundle: string
  close(): void
}

/** Serves a webhook that annotates each object (path `/mutate`), or lets it pass (any other), after `late` milliseconds. */
export async function serveNeighbour(late = 0): Promise<NeighbourWebhook> {
  const ca = await issueCa(Date.now(), DAY)
  const { cert, key } = await issueLeaf(ca, ['127.0.0.1'], Date.now(), DAY)
  let seen = 0
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { request } = JSON.parse(Buffer.concat(await incoming.toArray()).toString())
    const path = `/metadata/annotations/${SEEN.replace('/', '~1')}`
    const present = request.object.metadata.annotations !== undefined
    const patch = [
      ...(present ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
      { op: 'add', path, value: String((seen += 1)) },
    ]
    const decision = {
      uid: request.uid,
      allowed: true,
      ...(incoming.url === '/mutate' && {
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      }),
    }
    if (late > 0) await sleep(late)
    response.setHeader('content-type', 'application/json')
    const type = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
    response.end(JSON.stringify({ ...type, response: decision }))
  }
  const server = createServer({ cert, key }, (incoming, response) => void answer(incoming, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(ca.cert).toString('base64'),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Starts one and registers it twice: it annotates what anybody but Dormouse writes to a workload (the chart's policy
 * denies Dormouse's own writes where another webhook adds to them), and judges every write, Dormouse's too.
 */
export async function startNeighbour(admin: Client, late: number): Promise<NeighbourWebhook> {
  const neighbour = await serveNeighbour(late)
  const rules = [
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['*'] },
  ]
  const webhook = (path: string) => ({
    clientConfig: { url: `${neighbour.url}${path}`, caBundle: neighbour.caBundle },
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  })
  const notOurs = { name: 'others', expression: `request.userInfo.username != '${dormouse.username}'` }
  await admin.expect('POST', `${CONFIGURATIONS}/mutatingwebhookconfigurations`, {
    metadata: { name: 'neighbour' },
    webhooks: [{ ...webhook('/mutate'), name: 'annotates.example.com', rules, matchConditions: [notOurs] }],
  })
  const scales = [{ ...rules[0], operations: ['UPDATE'], resources: ['*/scale'] }]
  await admin.expect('POST', `${CONFIGURATIONS}/validatingwebhookconfigurations`, {
    metadata: { name: 'neighbour' },
    webhooks: [{ ...webhook('/judge'), name: 'judges.example.com', rules: [...rules, ...scales] }],
  })
  return neighbour
}
