import type { ServerResponse } from 'node:http'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { answer, failure, type Received } from './fake-api-server.ts'

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
    this.tell(type, stored)
    return stored
  }

  delete(name: string): StoredObject | undefined {
    const object = this.objects.get(name)
    this.objects.delete(name)
    if (object) {
      const metadata = { ...object.metadata, resourceVersion: String(++this.#version) }
      this.tell('DELETED', { ...object, metadata })
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

  /** What happened since that version is told first. */
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
  tell(type: string, object: StoredObject): void {
    const line = `${JSON.stringify({ type, object })}\n`
    this.#history.push({ version: this.#version, line })
    for (const response of this.watches) response.write(line)
  }
}
