import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import type { KubeObject } from '../../src/sandbox/store/object.ts'
import type { Cause } from '../../src/sandbox/store/status.ts'

export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
export const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'

/** Any answer of the API: an object, a list, a Table or a Status. */
export type Body = KubeObject & {
  items: KubeObject[]
  rows: { cells: unknown[]; object: KubeObject }[]
  columnDefinitions: { name: string }[]
  message: string
  reason: string
  details: { name?: string; kind?: string; causes?: Cause[] }
  metadata: KubeObject['metadata'] & { continue?: string; remainingItemCount?: number }
}

export interface Reply {
  status: number
  headers: IncomingMessage['headers']
  body: Body
}

export interface WatchEvent {
  type: string
  object: Body
}

type Headers = Record<string, string | string[]>

export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<SandboxCluster> {
  const sandbox = new SandboxCluster({ port: 0, clock: () => Date.now(), readyAfterMs: 0, ...options })
  await sandbox.start()
  return sandbox
}

/** A new sandbox for each test of the suite, running within its hooks and tests, and a client of it. */
export function freshSandbox(options: Partial<SandboxOptions> = {}) {
  let running: SandboxCluster | undefined
  const sandbox = () => {
    if (!running) throw new TypeError('the sandbox runs within hooks and tests only')
    return running
  }
  beforeEach('a sandbox starts', async () => {
    running = await startSandbox(options)
  })
  afterEach('the sandbox stops', () => running?.stop())
  const address = {
    get url() {
      return sandbox().url
    },
  }
  return {
    client: new Client(address),
    get sandbox() {
      return sandbox()
    },
  }
}

export class Client {
  readonly #sandbox: { readonly url: string }
  readonly #headers: Headers

  constructor(sandbox: { readonly url: string }, headers: Headers = {}) {
    this.#sandbox = sandbox
    this.#headers = headers
  }

  as(headers: Headers): Client {
    return new Client(this.#sandbox, { ...this.#headers, ...headers })
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path)
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, body)
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.call('PUT', path, body)
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.call('DELETE', path, body)
  }

  patch(path: string, patch: unknown, type = MERGE_PATCH): Promise<Reply> {
    return this.as({ 'content-type': type }).call('PATCH', path, patch)
  }

  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await this.#open(method, path, body)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(Buffer.from(chunk))
    const text = Buffer.concat(chunks).toString()
    const isJson = response.headers['content-type'] === 'application/json'
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : { message: text },
    }
  }

  /** Opens a watch; `next()` returns its events one by one, and undefined once it has ended. */
  async watch(path: string): Promise<WatchStream> {
    return new WatchStream(await this.#open('GET', path))
  }

  async #open(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }
    const headers = { 'content-type': 'application/json', ...length, ...this.#headers }
    return new Promise((resolve, reject) => {
      request(this.#sandbox.url + path, { method, headers, agent: false }, resolve)
        .once('error', reject)
        .end(text)
    })
  }
}

export class WatchStream {
  readonly #response: IncomingMessage
  readonly #lines: AsyncIterator<string>

  constructor(response: IncomingMessage) {
    this.#response = response
    response.on('error', () => {})
    this.#lines = createInterface(response)[Symbol.asyncIterator]()
  }

  async next(): Promise<WatchEvent | undefined> {
    try {
      const line = await this.#lines.next()
      return line.done ? undefined : JSON.parse(line.value)
    } catch {
      return undefined
    }
  }

  /** The next event that is as wanted. @throws Error if the watch ends before it */
  async until(isWanted: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    for (;;) {
      const event = await this.next()
      if (!event) throw new Error('the watch ended before the event came')
      if (isWanted(event)) return event
    }
  }

  close(): void {
    this.#response.destroy()
  }
}

export function aWorkload(name: string, spec: object = {}, metadata: object = {}) {
  return {
    metadata: { name, labels: { app: name }, ...metadata },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      },
      ...spec,
    },
  }
}

/** Watches the object until it is as wanted. */
export async function eventually(
  client: Client,
  collection: string,
  name: string,
  isWanted: (object: Body) => boolean,
): Promise<Body> {
  const watch = await client.watch(`${collection}?watch=true&fieldSelector=metadata.name=${name}`)
  const { object } = await watch.until((event) => event.type !== 'DELETED' && isWanted(event.object))
  watch.close()
  return object
}
