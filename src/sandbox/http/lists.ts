import { keyOf } from '../store/object-store.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { StoredObject } from '../store/object.ts'
import { wholeNumber } from './request.ts'
import type { Route } from './request.ts'
import { both, fieldSelector, labelSelector } from '../store/selectors.ts'
import type { Matcher } from '../store/selectors.ts'
import { badRequest } from '../store/status.ts'
import { isRecord } from '../store/object.ts'

export interface Page {
  objects: StoredObject[]
  /** A ListMeta. */
  metadata: { resourceVersion: string; continue?: string }
}

/** The query's selectors as one; undefined: everything matches. @throws StatusError 400 */
export function selection(query: URLSearchParams): Matcher | undefined {
  return both(labelSelector(query.get('labelSelector')), fieldSelector(query.get('fieldSelector')))
}

/**
 * One page of a list. Further pages show the list as it was at the first page, reconstructed from the store's log.
 * @throws StatusError 400, 410 if the log no longer reaches back to that version
 */
export function page(store: ObjectStore, { resource, namespace }: Route, query: URLSearchParams): Page {
  const matcher = selection(query)
  const limit = wholeNumber(query, 'limit') ?? 0
  const token = query.get('continue')
  const position = token ? decode(token) : undefined
  const version = position?.version ?? store.version

  const at = version === store.version ? undefined : version
  const all =
    at === undefined ? store.list(resource.store, namespace) : store.listAt(resource.store, namespace, at)
  const matching = matcher ? all.filter(matcher) : all
  const rest = position ? matching.filter((object) => key(object) > position.after) : matching
  const objects = limit > 0 ? rest.slice(0, limit) : rest
  const last = objects.at(-1)
  const metadata = { resourceVersion: String(version) }
  if (objects.length === rest.length || !last) return { objects, metadata }
  return { objects, metadata: { ...metadata, continue: encode(version, key(last)) } }
}

const key = ({ metadata }: StoredObject) => keyOf(metadata.namespace, metadata.name)

const encode = (version: number, after: string) =>
  Buffer.from(JSON.stringify({ version, after })).toString('base64url')

function decode(token: string): { version: number; after: string } {
  try {
    const position: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (
      isRecord(position) &&
      typeof position['version'] === 'number' &&
      typeof position['after'] === 'string'
    )
      return { version: position['version'], after: position['after'] }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw badRequest('continue key is not valid: expected the token of an earlier list')
}
