import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { pino } from 'pino'
import type { Logger } from '../../src/process/logger.ts'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import type { KubernetesObserver } from '../../src/kubernetes/ports.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Handler = (received: Received, response: ServerResponse) => void

export const silentLogger: Logger = pino({ level: 'silent' })

/**
 * An HTTP server on loopback that lists and watches collections, or answers as each test tells it to, however rudely;
 * with a client of ours, which has no credentials.
 */
export class FakeApiServer {
  readonly received: Received[] = []
  readonly observer = new RecordingObserver()
  /** It has to end or hold the response itself. Asks the collections where no test says otherwise. */
  handler: Handler = (received, response) => {
    if (!this.#collections.some((collection) => collection.take(received, response)))
      answer(response, 404, failure(404, 'no such path', 'NotFound'))
  }
  readonly #collections: FakeCollection[] = []
  #transport: HttpTransport | undefined
  readonly sockets = new Set<Socket>()
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #origin = ''

  async start(): Promise<this> {
    this.#server.on('connection', (socket) => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo
    this.#origin = `http://127.0.0.1:${port}`
    return this
  }

  get url(): URL {
    return new URL(this.#origin)
  }

  get transport(): HttpTransport {
    return (this.#transport ??= transportTo(this.url))
  }

  get client(): KubernetesClient {
    return clientFor(this.transport, this.observer)
  }

  /** A collection that it serves from now on. */
  collection(path: string): FakeCollection {
    const collection = new FakeCollection(path)
    this.#collections.push(collection)
    return collection
  }

  /** Ends what its client has open, and the server. */
  async close(): Promise<void> {
    await this.#transport?.close()
    await this.stop()
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://fake')
    const received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    this.received.push(received)
    this.handler(received, response)
  }
}

export interface StoredObject {
  readonly metadata: { readonly name: string; resourceVersion?: string; [field: string]: unknown }
  [field: string]: unknown
}

/** One collection as an API server keeps it: versions, conflicts, watches, JSON Patch. */
export class FakeCollection {
  readonly objects = new Map<string, StoredObject>()
  readonly watches = new Set<ServerResponse>()
  readonly path: string
  /** Answers first, where it answers at all. */
  refuse: (received: Received, response: ServerResponse) => boolean = () => false
  #version = 10
  readonly #history: { readonly version: number; readonly line: string }[] = []

  constructor(path: string) {
    this.path = path
  }

  /** Whether the request was for this collection. */
  take(received: Received, response: ServerResponse): boolean {
    const { path, method, query, body } = received
    if (path !== this.path && !path.startsWith(`${this.path}/`)) return false
    if (this.refuse(received, response)) return true
    const name = path.slice(this.path.length + 1)
    if (name === '') {
      if (query.has('watch')) this.#watch(response, Number(query.get('resourceVersion')))
      else if (method === 'POST') this.#create(response, JSON.parse(body))
      else answer(response, 200, this.#list(query.get('fieldSelector')))
      return true
    }
    const object = this.objects.get(name)
    if (!object) answer(response, 404, failure(404, `${name} not found`, 'NotFound'))
    else if (method === 'GET') answer(response, 200, object)
    else if (method === 'DELETE') answer(response, 200, this.delete(name))
    else this.#patch(response, object, JSON.parse(body))
    return true
  }

  put(object: StoredObject): StoredObject {
    const type = this.objects.has(object.metadata.name) ? 'MODIFIED' : 'ADDED'
    const metadata = { uid: 'an-uid', ...object.metadata, resourceVersion: String(++this.#version) }
    const stored = { ...object, metadata }
    this.objects.set(object.metadata.name, stored)
    this.#tell(type, stored)
    return stored
  }

  delete(name: string): StoredObject | undefined {
    const object = this.objects.get(name)
    this.objects.delete(name)
    if (object) {
      const metadata = { ...object.metadata, resourceVersion: String(++this.#version) }
      this.#tell('DELETED', { ...object, metadata })
    }
    return object
  }

  /** Ends every watch, perhaps with a last event. */
  cut(event?: object): void {
    for (const response of this.watches) response.end(event ? `${JSON.stringify(event)}\n` : undefined)
    this.watches.clear()
  }

  #list(fieldSelector: string | null) {
    const items = [...this.objects.values()].filter(
      ({ metadata }) => fieldSelector === null || fieldSelector === `metadata.name=${metadata.name}`,
    )
    return { metadata: { resourceVersion: String(this.#version) }, items }
  }

  /** The events since that version are told first. */
  #watch(response: ServerResponse, from: number): void {
    response.writeHead(200).flushHeaders()
    for (const { version, line } of this.#history) if (version > from) response.write(line)
    this.watches.add(response)
    response.on('close', () => this.watches.delete(response))
  }

  #create(response: ServerResponse, object: StoredObject): void {
    const { name } = object.metadata
    if (this.objects.has(name)) answer(response, 409, failure(409, `${name} exists`, 'AlreadyExists'))
    else answer(response, 201, this.put(object))
  }

  #patch(response: ServerResponse, object: StoredObject, operations: Operation[]): void {
    const { newDocument } = jsonPatch.applyPatch(structuredClone(object), operations)
    if (newDocument.metadata.resourceVersion === object.metadata.resourceVersion) {
      answer(response, 200, this.put(newDocument))
    } else answer(response, 409, failure(409, 'the object has been modified', 'Conflict'))
  }

  /** An event of every watch. */
  #tell(type: string, object: StoredObject): void {
    const line = `${JSON.stringify({ type, object })}\n`
    this.#history.push({ version: this.#version, line })
    for (const response of this.watches) response.write(line)
  }
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function failure(code: number, message: string, reason = 'Whatever'): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message, reason }
}

export class RecordingObserver implements KubernetesObserver {
  readonly calls: string[] = []
  readonly restarts: string[] = []
  dropped = 0
  listenerFailures = 0

  request(verb: string, resource: string, code: number): void {
    this.calls.push(`${verb} ${resource} ${code}`)
  }

  watchRestarted(kind: string, reason: string): void {
    this.restarts.push(`${kind} ${reason}`)
  }

  eventDropped(): void {
    this.dropped++
  }

  listenerFailed(): void {
    this.listenerFailures++
  }
}

/** A transport to the fake without credentials. */
export function transportTo(server: URL): HttpTransport {
  return new HttpTransport({
    server,
    proxy: undefined,
    known: undefined,
    current: async () => ({ headers: {}, tls: {}, tlsId: '' }),
    renew: () => {},
  })
}

export function clientFor(
  transport: HttpTransport,
  observer = new RecordingObserver(),
  timeout = 5000,
): KubernetesClient {
  return new KubernetesClient({ transport, observer, timeout, delay: async () => {} })
}

/** Resolves when the condition holds; the test's own timeout is its limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(2)
}
