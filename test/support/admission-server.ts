import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../control-plane/client.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { selfSigned } from './certificate.ts'

export const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

/** The parts of an object under review that the tests read. */
interface Reviewed {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly replicas?: number }
}

export interface Review {
  readonly uid: string
  readonly userInfo: { readonly username: string }
  readonly object: Reviewed
  readonly oldObject: Reviewed | null
}

interface Webhook {
  readonly name: string
  readonly rules: readonly object[]
  readonly [field: string]: unknown
}

/** The fields of its answer beside the uid; it is allowed unless they say otherwise. */
type Reply = (review: Review, path: string) => object | Promise<object>

/** Somebody's admission webhook: an HTTPS server that records reviews and answers them by `reply`. */
export class AdmissionServer {
  readonly reviews: { readonly path: string; readonly review: Review }[] = []
  /** Its certificate, which is its own CA, in PEM. */
  readonly ca: string
  readonly #server: Server

  private constructor(certificate: { readonly cert: string; readonly key: string }, reply: Reply) {
    this.ca = certificate.cert
    this.#server = createServer(certificate, (request, response) => {
      void this.#answer(request, response, reply)
    })
  }

  static async start(reply: Reply = () => ({})): Promise<AdmissionServer> {
    const started = new AdmissionServer(await selfSigned(), reply)
    await once(started.#server.listen(0, '127.0.0.1'), 'listening')
    return started
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A webhook of a configuration: `server.webhook({ name: 'a.example.com', rules })`. */
  webhook(given: Webhook, path = '/'): object {
    return {
      clientConfig: { url: `${this.url}${path}`, caBundle: Buffer.from(this.ca).toString('base64') },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...given,
    }
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> {
    const whole = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as { request: Review }
    const [path, review] = [incoming.url ?? '/', whole.request]
    this.reviews.push({ path, review })
    const answer = { uid: review.uid, allowed: true, ...(await reply(review, path)) }
    response.setHeader('content-type', 'application/json')
    const type = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
    response.end(JSON.stringify({ ...type, response: answer }))
  }
}

/** The fields of an answer that changes the object by a JSON Patch. */
export function changedBy(patch: readonly object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}

/** Gives each object that it sees the annotation `name`, a number that grows. */
export function annotating(name: string): Reply {
  let seen = 0
  return ({ object: { metadata } }) =>
    changedBy([
      ...(metadata.annotations === undefined
        ? [{ op: 'add', path: '/metadata/annotations', value: {} }]
        : []),
      { op: 'add', path: `/metadata/annotations/${name.replace('/', '~1')}`, value: String((seen += 1)) },
    ])
}

/**
 * Starts one and registers it twice: it annotates all writes of workloads but Dormouse's (the chart's policy denies
 * these if another webhook adds to them), and judges every write, including Dormouse's; each `late` milliseconds late.
 */
export async function startNeighbour(admin: Client, late: number): Promise<AdmissionServer> {
  const annotate = annotating('policy.example/seen')
  const neighbour = await AdmissionServer.start(async (review, path) => {
    await sleep(late)
    return path === '/mutate' ? annotate(review, path) : {}
  })
  const rules = [
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['*'] },
  ]
  const scales = [{ ...rules[0], operations: ['UPDATE'], resources: ['*/scale'] }]
  const notOurs = { name: 'others', expression: `request.userInfo.username != '${dormouse.username}'` }
  const common = { failurePolicy: 'Ignore' }
  const mutating = { ...common, name: 'annotates.example.com', rules, matchConditions: [notOurs] }
  const judging = { ...common, name: 'judges.example.com', rules: [...rules, ...scales] }
  for (const [collection, webhook] of [
    [CONFIGURATIONS, neighbour.webhook(mutating, '/mutate')],
    [CONFIGURATIONS.replace('mutating', 'validating'), neighbour.webhook(judging, '/judge')],
  ] as const)
    await admin.expect('POST', collection, { metadata: { name: 'neighbour' }, webhooks: [webhook] })
  return neighbour
}
