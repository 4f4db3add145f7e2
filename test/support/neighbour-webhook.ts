import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueCa, issueLeaf } from '../../src/service/certificates/issue.ts'
import type { Client } from '../control-plane/client.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'

const DAY = 24 * 3_600_000
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1'

/** Somebody else's admission webhook. */
export interface NeighbourWebhook {
  readonly url: string
  /** Base64 of PEM. */
  readonly caBundle: string
  close(): void
}

interface Metadata {
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
}

/** A JSON Patch of the object that is reviewed; undefined: it passes unchanged. */
type PatchOf = (metadata: Metadata, path: string) => readonly object[] | undefined

/** Serves a webhook that admits everything, changed by `patchOf`, after `late` milliseconds. */
export async function serveNeighbour(patchOf: PatchOf, late = 0): Promise<NeighbourWebhook> {
  const ca = await issueCa(Date.now(), DAY)
  const { cert, key } = await issueLeaf(ca, ['127.0.0.1'], Date.now(), DAY)
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { request } = JSON.parse(Buffer.concat(await incoming.toArray()).toString())
    const patch = patchOf(request.object.metadata, incoming.url ?? '/')
    const encoded = patch && Buffer.from(JSON.stringify(patch)).toString('base64')
    const decision = {
      uid: request.uid,
      allowed: true,
      ...(encoded !== undefined && { patchType: 'JSONPatch', patch: encoded }),
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

/** Gives each object that it sees the annotation `name`, a number that grows. */
export function annotating(name: string): PatchOf {
  let seen = 0
  return ({ annotations }) => [
    ...(annotations === undefined ? [{ op: 'add', path: '/metadata/annotations', value: {} }] : []),
    { op: 'add', path: `/metadata/annotations/${name.replace('/', '~1')}`, value: String((seen += 1)) },
  ]
}

/**
 * Starts one and registers it twice: it annotates all writes of workloads but Dormouse's (the chart's policy denies
 * these if another webhook adds to them), and judges every write, including Dormouse's.
 */
export async function startNeighbour(admin: Client, late: number): Promise<NeighbourWebhook> {
  const annotate = annotating('policy.example/seen')
  const patchOf: PatchOf = (metadata, path) => (path === '/mutate' ? annotate(metadata, path) : undefined)
  const neighbour = await serveNeighbour(patchOf, late)
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
