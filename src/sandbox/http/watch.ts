import type { ServerResponse } from 'node:http'
import type { StoredObject } from '../store/object.ts'
import type { Change, ObjectStore } from '../store/object-store.ts'
import type { Presentation } from './presentation.ts'
import type { Matcher } from '../store/selectors.ts'
import { StatusError } from '../store/status.ts'

/** As on a real API server. */
const BOOKMARK_EVERY_MS = 60_000
const LARGEST_BACKLOG = 16 * 1024 * 1024

export interface WatchOptions {
  store: string
  namespace: string | undefined
  matcher: Matcher | undefined
  /** Undefined: the existing objects are sent first, as ADDED. */
  since: number | undefined
  bookmarks: boolean
  timeoutSeconds: number | undefined
  presentation: Presentation
}

/** One watch: a position in the store's log, and the response to which all later changes are written. */
class Watch {
  readonly #response: ServerResponse
  readonly #options: WatchOptions
  readonly #store: ObjectStore
  readonly #timers: NodeJS.Timeout[] = []
  #cursor: number

  constructor(response: ServerResponse, options: WatchOptions, store: ObjectStore) {
    this.#response = response
    this.#options = options
    this.#store = store
    this.#cursor = options.since ?? store.version
  }

  begin(): void {
    const { since, store, namespace, matcher, bookmarks, timeoutSeconds } = this.#options
    this.#response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    if (since === undefined) {
      const objects = this.#store.list(store, namespace)
      const present = matcher ? objects.filter(matcher) : objects
      this.#write(present.map((object) => this.#line('ADDED', object)))
    }
    const bookmark = () => {
      if (bookmarks) this.#bookmark()
    }
    this.#timers.push(setInterval(bookmark, BOOKMARK_EVERY_MS).unref())
    if (timeoutSeconds === undefined) return
    const end = () => {
      bookmark()
      this.end()
    }
    this.#timers.push(setTimeout(end, Math.min(timeoutSeconds, 86_400) * 1000).unref())
  }

  /** Writes the changes that the log has after this watch's position. */
  advance(): void {
    try {
      const changes = this.#store.since(this.#cursor)
      this.#cursor = Math.max(this.#cursor, this.#store.version)
      this.#write(changes.flatMap((change) => this.#reported(change)))
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      this.#write([`{"type":"ERROR","object":${JSON.stringify(error)}}\n`])
      this.end()
    }
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#response.end()
  }

  /**
   * A change as this watch reports it: an object that starts to match the selector is ADDED, one that no longer
   * does is DELETED.
   */
  #reported({ type, store, object, previous }: Change): string[] {
    const { matcher, namespace } = this.#options
    if (store !== this.#options.store) return []
    if (namespace !== undefined && object.metadata.namespace !== namespace) return []
    if (!matcher) return [this.#line(type, object)]
    const before = previous !== undefined && matcher(previous)
    const after = type !== 'DELETED' && matcher(object)
    if (after) return [this.#line(before ? 'MODIFIED' : 'ADDED', object)]
    if (!before) return []
    const { resourceVersion } = object.metadata
    return [this.#line('DELETED', { ...previous, metadata: { ...previous.metadata, resourceVersion } })]
  }

  #bookmark(): void {
    this.advance()
    const bookmark = this.#options.presentation.bookmark(String(this.#cursor))
    this.#write([`{"type":"BOOKMARK","object":${bookmark}}\n`])
  }

  #line(type: Change['type'], object: StoredObject): string {
    return `{"type":"${type}","object":${this.#options.presentation.one(object)}}\n`
  }

  #write(lines: string[]): void {
    if (lines.length === 0 || this.#response.writableEnded) return
    this.#response.write(lines.join(''))
    if (this.#response.writableLength > LARGEST_BACKLOG) this.#response.destroy()
  }
}

/** All open watches. */
export class Watches {
  readonly #store: ObjectStore
  readonly #open = new Set<Watch>()
  #isPending = false

  constructor(store: ObjectStore) {
    this.#store = store
    store.subscribe(() => {
      if (this.#isPending) return
      this.#isPending = true
      setImmediate(() => this.#advance())
    })
  }

  open(response: ServerResponse, options: WatchOptions): void {
    const watch = new Watch(response, options, this.#store)
    this.#open.add(watch)
    response.once('close', () => {
      watch.end()
      this.#open.delete(watch)
    })
    watch.begin()
    watch.advance()
  }

  #advance(): void {
    this.#isPending = false
    for (const watch of this.#open) watch.advance()
  }
}
