/** A request to the API server, as RBAC names it. */
export interface Called {
  readonly verb: Verb
  /** Changes an object that exists, as a patch or as a whole; Leases are renewed all the time, and left out. */
  readonly writes: boolean
  /** `deployments`; a subresource as `deployments/scale`. */
  readonly resource: string
  /** Empty: none, or all of them. */
  readonly namespace: string
  /** Empty: the collection. */
  readonly name: string
  /** Path and query. */
  readonly url: string
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'other'

const WRITES: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** `/api/v1/…` or `/apis/<group>/<version>/…`, then `[namespaces/<namespace>/]<resource>[/<name>[/<subresource>]]`. */
export function calledBy(method: string, url: string): Called {
  const { pathname, searchParams } = new URL(url, 'http://cluster')
  const parts = pathname.split('/').slice(pathname.startsWith('/api/') ? 3 : 4)
  // `namespaces` and a name alone are a namespace itself.
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2
  const namespace = isNamespaced ? (parts[1] ?? '') : ''
  const [resource = '', name = '', subresource] = isNamespaced ? parts.slice(2) : parts
  const named = { resource: subresource === undefined ? resource : `${resource}/${subresource}`, name }
  const verb = verbOf(method, name, searchParams)
  const writes = (verb === 'patch' || verb === 'update') && resource !== 'leases'
  return { verb, writes, ...named, namespace, url }
}

function verbOf(method: string, name: string, query: URLSearchParams): Verb {
  if (method !== 'GET') return WRITES[method] ?? 'other'
  if (query.has('watch')) return 'watch'
  return name === '' ? 'list' : 'get'
}
