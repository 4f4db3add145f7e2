import type { IncomingMessage } from 'node:http'
import type { Requester } from '../admission/client-writes.ts'
import { isRecord, text } from '../store/object.ts'
import type { DeleteOptions, WriteOptions } from '../store/registry.ts'
import type { Resource } from '../store/resources.ts'
import { invalid } from '../store/status.ts'
import type { Call } from './call.ts'

export function writeOptions({ request, query, route }: Call): WriteOptions {
  return { manager: fieldManager(request, query), dryRun: isDryRun(route.resource, query) }
}

/** As admission calls them: to it, a PATCH is an update. */
const OPTIONS_KIND: Record<string, string> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'UpdateOptions',
  DELETE: 'DeleteOptions',
}

/** Who sent the request, and its options as admission sees them. */
export function requester({ method, query, body, route, user, warn }: Call): Requester {
  const parameters = Object.fromEntries(
    ['fieldManager', 'fieldValidation', 'propagationPolicy']
      .map((name) => [name, query.get(name)] as const)
      .filter(([, value]) => value !== null),
  )
  return {
    user,
    options: {
      ...(method === 'DELETE' && isRecord(body) ? body : {}),
      kind: OPTIONS_KIND[method],
      apiVersion: 'meta.k8s.io/v1',
      ...parameters,
      ...(isDryRun(route.resource, query) ? { dryRun: ['All'] } : {}),
    },
    warn,
  }
}

/** DeleteOptions from the query and from the body. */
export function deleteOptions({ body, query, route }: Call): DeleteOptions {
  const asked = isRecord(body) ? body : {}
  const policy = text(asked, 'propagationPolicy') || query.get('propagationPolicy')
  const [uid, resourceVersion] = ['uid', 'resourceVersion'].map((field) =>
    text(asked['preconditions'], field),
  )
  const dryRun = Array.isArray(asked['dryRun']) && asked['dryRun'].includes('All')
  return {
    orphan: policy === 'Orphan' || asked['orphanDependents'] === true,
    dryRun: dryRun || isDryRun(route.resource, query),
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
  }
}

/** The field manager: the parameter, else the first word of the User-Agent, as on the real API server. */
function fieldManager(request: IncomingMessage, query: URLSearchParams): string {
  return (query.get('fieldManager') ?? request.headers['user-agent']?.split('/')[0] ?? 'unknown').slice(
    0,
    128,
  )
}

/** @throws StatusError 422 for another value than All */
function isDryRun(resource: Resource, query: URLSearchParams): boolean {
  const values = query.getAll('dryRun')
  if (values.some((value) => value !== 'All'))
    throw invalid(resource, '', [
      {
        reason: 'FieldValueInvalid',
        field: 'dryRun',
        message: `Invalid value: ${values.join()}: supported values: "All"`,
      },
    ])
  return values.length > 0
}
