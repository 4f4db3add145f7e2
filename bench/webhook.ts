import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { EMPTY_STATE } from '../src/domain/state.ts'
import { encodeState } from '../src/domain/state-codec.ts'
import { ANNOTATION, keyOf, type Workload } from '../src/domain/workload.ts'
import { trim } from '../src/kubernetes/trim.ts'
import type { WorkloadObject } from '../src/kubernetes/api-object.ts'
import { createLogger } from '../src/logger.ts'
import { issueCa, issueLeaf } from '../src/certificates/issue.ts'
import { createWebhook } from '../src/webhook/server.ts'
import { quantile } from '../test/support/figures.ts'
import { sendEvenly } from '../test/support/load.ts'
import { reviewBody, scaling } from '../test/support/reviews.ts'
import { RULES } from '../test/support/rules.ts'

const PER_SECOND = 500
/** Below the 50 live reads a second that the webhook allows itself: above, they wait for that limit. */
const LIVE_PER_SECOND = 40
const SECONDS = 10
const WORKLOADS = 200
const WARM_UP = 500

interface Load {
  readonly role: 'load'
  readonly url: string
  readonly ca: string
  readonly perSecond: number
}

/** What a worker does: it is the API server of live reads, or sends the load. */
type Task = Load | { readonly role: 'cluster' }

function nameOf(index: number): string {
  return `web-${index % WORKLOADS}`
}

function deployment(name: string, resourceVersion: string) {
  const pin = { state: 'active' as const, replicas: 3, at: Date.UTC(2026, 2, 2), by: 'k8s:carol' }
  const state = encodeState({ ...EMPTY_STATE, kind: 'deployments', counter: 1, pin })
  const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: state }
  const creationTimestamp = '2026-03-02T00:00:00Z'
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion,
      generation: 1,
      creationTimestamp,
      annotations,
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'app' }] },
      },
    },
    status: { observedGeneration: 1, replicas: 3, readyReplicas: 3 },
  }
}

/** A review of `kubectl scale` of a pinned deployment, which is denied. */
function review(index: number): string {
  const name = nameOf(index)
  const key = { kind: 'deployments', namespace: 'shop', name } as const
  const workload = { ...key, uid: `uid-${name}`, resourceVersion: '7', replicas: 3 }
  return reviewBody(scaling(workload, 5, { uid: `review-${index}` }))
}

/** Sends reviews at an even rate; milliseconds until each was answered. */
async function load({ url, ca, perSecond }: Load): Promise<number[]> {
  const dispatcher = new Agent({ connections: 32, connect: { ca } })
  const answer = async (index: number) => {
    const begun = performance.now()
    const { body } = await request(url, { method: 'POST', body: review(index), dispatcher })
    const { response } = (await body.json()) as { response?: { uid: string } }
    if (response?.uid !== `review-${index}`) throw new Error(`no answer to review ${index}`)
    return performance.now() - begun
  }
  for (let index = 0; index < WARM_UP; index += 1) await answer(index)
  const times = await sendEvenly(perSecond * SECONDS, perSecond, answer)
  await dispatcher.close()
  return times
}

async function cluster(): Promise<string> {
  const server = createHttpServer((incoming, response) => {
    const name = incoming.url?.split('/').at(-1) ?? ''
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(deployment(name, '7')))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function work(task: Task): Promise<void> {
  const answer = task.role === 'cluster' ? await cluster() : await load(task)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
  parentPort?.postMessage(answer)
}

function worker(task: Task): Worker {
  return new Worker(new URL(import.meta.url), { workerData: task })
}

/** A webhook whose copies have `version`; the reviews ask for 7. `handled`: seconds, as its metric has them. */
function webhookOf(version: string, live: string, handled: number[]): RequestListener {
  const copies = new Map<string, Workload>()
  for (let index = 0; index < WORKLOADS; index += 1) {
    const copy = trim('deployments', deployment(nameOf(index), version) as unknown as WorkloadObject)
    copies.set(keyOf(copy), copy)
  }
  const dispatcher = new Agent({ connections: 10 })
  const webhook = createWebhook({
    scalings: { add: () => {} },
    workloads: { isConnected: () => true, get: (key) => copies.get(keyOf(key)) },
    live: {
      async read({ kind, name }) {
        const { body } = await request(`${live}/${name}`, { dispatcher })
        return trim(kind, (await body.json()) as WorkloadObject)
      },
    },
    large: { prepare: () => Promise.reject(new TypeError('no review of this bench is large')) },
    trim: (kind, object) => trim(kind, object as WorkloadObject),
    rules: RULES,
    clock: () => Date.now(),
    logger: createLogger('silent'),
    observer: { admission: (_webhook, _decision, _reason, seconds) => void handled.push(seconds) },
    exemptUsers: new Set(),
    excludeNamespaces: new Set(),
    ownUser: () => undefined,
  })
  const handle = webhook('/webhook/scale')
  if (!handle) throw new TypeError('the webhook does not serve its path')
  return handle
}

function bare(incoming: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const { request: asked } = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }
    const answer = { uid: asked.uid, allowed: true }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
    )
  })
}

function cell(values: readonly number[], q: number): string {
  return `${quantile(values, q).toFixed(2)} ms`
}

async function measure(): Promise<void> {
  const ca = await issueCa(Date.now(), 3_600_000)
  const { cert, key } = await issueLeaf(ca, ['127.0.0.1'], Date.now(), 3_600_000)
  const api = worker({ role: 'cluster' })
  const [live] = (await once(api, 'message')) as [string]
  const table: Record<string, Record<string, string>> = {}
  const row = async (
    name: string,
    perSecond: number,
    handle: RequestListener,
    handled: readonly number[],
  ) => {
    const server: Server = createServer({ cert, key }, handle)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/scale`
    const [times] = (await once(worker({ role: 'load', url, ca: ca.cert, perSecond }), 'message')) as [
      number[],
    ]
    const inside = handled.slice(WARM_UP).map((seconds) => seconds * 1000)
    table[name] = {
      'reviews/s': String(perSecond),
      'answered p50': cell(times, 0.5),
      p99: cell(times, 0.99),
      max: cell(times, 1),
      'handler p50': inside.length > 0 ? cell(inside, 0.5) : '',
      'handler p99': inside.length > 0 ? cell(inside, 0.99) : '',
    }
    server.closeAllConnections()
    server.close()
  }
  const fromCopy: number[] = []
  const fromLive: number[] = []
  await row('bare HTTPS server that answers "allowed"', PER_SECOND, bare, [])
  await row('scale review, from the informer', PER_SECOND, webhookOf('7', live, fromCopy), fromCopy)
  await row('scale review, by a live GET', LIVE_PER_SECOND, webhookOf('6', live, fromLive), fromLive)
  process.stdout.write(`${SECONDS} s each, Node ${process.version}\n`)
  console.table(table)
  await api.terminate()
}

await (isMainThread ? measure() : work(workerData as Task))
