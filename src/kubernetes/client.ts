import type { PatchOperation } from '../domain/patch.ts'
import { FIELD_MANAGER, KIND_NAME, type Kind, type WorkloadKey } from '../domain/workload.ts'
import type { PatchAnswer, WatchEvent, WorkloadList, WorkloadObject } from './api-object.ts'
import { delay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal, parseStatus, refusalOf, unanswered, withoutCredentials } from './failures.ts'
import { CredentialsError, type HttpRequest, type HttpResponse, type HttpStream } from './http.ts'
import { lines } from './lines.ts'
import type { KubernetesObserver } from './ports.ts'
import { warningsOf } from './warning-header.ts'

/** What the client needs of `HttpTransport`. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse & { readonly text: string }>
  open(request: HttpRequest, silence: number): Promise<HttpStream>
}

export interface Call {
  readonly method: HttpRequest['method']
  /** As RBAC and the API server's own metrics name them: `patch`, `deployments`. */
  readonly verb: string
  readonly resource: string
  readonly path: string
  readonly accept?: string
  readonly contentType?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** How often a 429 is tried again; default 3. */
  readonly retries?: number
  /** Milliseconds until the whole answer must be there. */
  readonly timeout?: number
}

interface WatchOptions {
  readonly resourceVersion: string
  /** When the server is to end it. */
  readonly timeoutSeconds: number
  /** Milliseconds without anything after which the events throw. */
  readonly silence: number
  readonly signal: AbortSignal
  readonly fieldSelector?: string
}

interface Options {
  transport: Transport
  observer: KubernetesObserver
  /** Milliseconds for a call; default 10,000. A list page gets thrice that. */
  timeout?: number
  delay?: Delay
}

const JSON_TYPE = 'application/json'
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json'
/** A caller waits for these; longer ones are theirs to decide upon. */
const LONGEST_RETRY_AFTER_MS = 5000

/**
 * Calls to the API server. They throw `ClusterRefusal`: CLUSTER_UNAVAILABLE (no answer, 5xx, and 429
 * after retries; `retryAfter` in seconds), NOT_FOUND (404), CLUSTER_REJECTED (other 4xx; details
 * `{status, message, reason}`). An aborted signal throws its own reason.
 */
export class KubernetesClient {
  readonly #transport: Transport
  readonly #observer: KubernetesObserver
  readonly #timeout: number
  readonly #delay: Delay

  constructor({ transport, observer, timeout = 10_000, delay: wait = delay }: Options) {
    this.#transport = transport
    this.#observer = observer
    this.#timeout = timeout
    this.#delay = wait
  }

  async get(key: WorkloadKey, signal?: AbortSignal): Promise<WorkloadObject> {
    return this.call({ method: 'GET', verb: 'get', resource: key.kind, path: pathOf(key), signal })
  }

  /** One page; `continueToken` is the `metadata.continue` of the page before. Never retried here. */
  async listPage(
    kind: Kind,
    limit: number,
    continueToken: string,
    signal: AbortSignal,
  ): Promise<WorkloadList> {
    const query = new URLSearchParams({ limit: String(limit) })
    if (continueToken) query.set('continue', continueToken)
    const path = `${APPS}/${kind}?${query.toString()}`
    const timeout = this.#timeout * 3
    return this.call({ method: 'GET', verb: 'list', resource: kind, path, signal, timeout, retries: 0 })
  }

  /** As `watchCollection`, of all workloads of one kind. */
  async watch(kind: Kind, options: WatchOptions): Promise<AsyncIterable<WatchEvent>> {
    return this.watchCollection(kind, `${APPS}/${kind}`, options)
  }

  /** Resolves once the watch stands; its events end when the server ends it. Never retried here. */
  async watchCollection<Watched = WorkloadObject>(
    resource: string,
    path: string,
    { signal, silence, ...options }: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent<Watched>>> {
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(options.timeoutSeconds),
      ...(options.fieldSelector !== undefined && { fieldSelector: options.fieldSelector }),
    })
    const call: Call = { method: 'GET', verb: 'watch', resource, path: `${path}?${query.toString()}` }
    const stream = await this.#observed(call, () =>
      this.#within(this.#timeout, signal, (bounded) =>
        this.#transport.open(requestOf(call, bounded), silence),
      ),
    )
    const what = describe(call)
    if (stream.status !== 200) {
      throw refusalOf(what, stream.status, parseStatus(await stream.text()), stream.headers)
    }
    return events(what, stream.body, signal)
  }

  /** One JSON Patch under our field manager; the answer holds the metadata at least. */
  async patch(
    key: WorkloadKey,
    operations: readonly PatchOperation[],
    signal?: AbortSignal,
  ): Promise<PatchAnswer> {
    return this.call({
      method: 'PATCH',
      verb: 'patch',
      resource: key.kind,
      path: `${pathOf(key)}?fieldManager=${FIELD_MANAGER}`,
      accept: METADATA_ONLY,
      contentType: 'application/json-patch+json',
      body: operations,
      signal,
    })
  }

  async create<Answer>(resource: string, path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
    return this.call({ method: 'POST', verb: 'create', resource, path, body, signal })
  }

  /** Any call; the answer is taken to be what the caller says. */
  async call<Answer>(call: Call): Promise<Answer> {
    return JSON.parse((await this.#answered(call)).text)
  }

  /** As `call`: what the API server and its admission webhooks warn of. */
  async warnings(call: Call): Promise<string[]> {
    return warningsOf((await this.#answered(call)).headers)
  }

  async #answered(call: Call): Promise<HttpResponse & { readonly text: string }> {
    const { retries = 3 } = call
    for (let attempt = 1; ; attempt++) {
      const response = await this.#sent(call)
      if (response.status < 300) return response
      const refusal = refusalOf(describe(call), response.status, parseStatus(response.text), response.headers)
      if (response.status !== 429 || attempt > retries) throw refusal
      const asked = Math.min((refusal.retryAfter ?? 0) * 1000, LONGEST_RETRY_AFTER_MS)
      await this.#delay(asked + retryDelay(attempt, 100, 1000), call.signal)
    }
  }

  async #sent(call: Call): Promise<HttpResponse & { readonly text: string }> {
    const { timeout = this.#timeout } = call
    const send = () =>
      this.#observed(call, () =>
        this.#within(timeout, call.signal, (signal) => this.#transport.send(requestOf(call, signal))),
      )
    try {
      return await send()
    } catch (error) {
      // A kept socket may have died while it was idle; only what reads can be sent again blindly.
      const again = call.method === 'GET' && error instanceof ClusterRefusal && error.noAnswer === 'cut'
      if (!again) throw error
      return send()
    }
  }

  async #observed<R extends HttpResponse>(call: Call, send: () => Promise<R>): Promise<R> {
    const began = performance.now()
    let status = 0
    try {
      const response = await send()
      status = response.status
      return response
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      if (error instanceof CredentialsError) throw withoutCredentials(describe(call), error.cause)
      throw unanswered(describe(call), error)
    } finally {
      this.#observer.request(call.verb, call.resource, status, (performance.now() - began) / 1000)
    }
  }

  async #within<R>(
    milliseconds: number,
    outer: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const deadline = new AbortController()
    const timer = setTimeout(
      () => deadline.abort(new DOMException('no answer', 'TimeoutError')),
      milliseconds,
    )
    try {
      return await task(outer ? AbortSignal.any([outer, deadline.signal]) : deadline.signal)
    } finally {
      clearTimeout(timer)
    }
  }
}

const APPS = '/apis/apps/v1'

/** Without a name it would be the path of a collection, and a GET of it a list of the whole cluster. */
function pathOf({ kind, namespace, name }: WorkloadKey): string {
  for (const part of [namespace, name])
    if (part === '' || part === '.' || part === '..')
      throw new TypeError(`${kind} '${namespace}/${name}' is not the name of a workload`)
  return `${APPS}/namespaces/${encodeURIComponent(namespace)}/${kind}/${encodeURIComponent(name)}`
}

/** The reference that Events carry. */
export function referenceOf({ kind, namespace, name }: WorkloadKey) {
  return { apiVersion: 'apps/v1', kind: KIND_NAME[kind], namespace, name }
}

function requestOf(call: Call, signal: AbortSignal): HttpRequest {
  const headers: Record<string, string> = { accept: call.accept ?? JSON_TYPE, 'user-agent': 'dormouse' }
  if (call.body !== undefined) headers['content-type'] = call.contentType ?? JSON_TYPE
  const body = call.body === undefined ? undefined : JSON.stringify(call.body)
  return { method: call.method, path: call.path, headers, body, signal }
}

function describe({ verb, path }: Call): string {
  return `${verb} ${path.replace(/\?.*$/, '')}`
}

async function* events<Watched>(
  what: string,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<Watched>> {
  try {
    for await (const line of lines(body)) yield parseEvent<Watched>(line)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof SyntaxError ? error : unanswered(what, error)
  }
}

function parseEvent<Watched>(line: string): WatchEvent<Watched> {
  return JSON.parse(line)
}
