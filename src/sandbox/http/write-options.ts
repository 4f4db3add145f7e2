import type { IncomingMessage } from 'node:http'
import type { Requester } from '../admission/client-writes.ts'
import { list } from '../store/object.ts'
import type { WriteOptions } from '../store/registry.ts'
import type { Resource } from '../store/resources.ts'
import { invalid } from '../store/status.ts'
import type { Call } from './call.ts'

export function writeOptions({ request, query, route }: Call): WriteOptions {
  return { manager: fieldManager(request, query), dryRun: isDryRun(route.resource, query) }
}

/** Who sent the request, and its options as admission sees them. */
export function requester({ method, query, route, user, warn }: Call): Requester {
  const parameters = Object.fromEntries(
    ['fieldManager', 'fieldValidation']
      .map((name) => [name, query.get(name)] as const)
      .filter(([, value]) => value !== null),
  )
  return {
    user,
    options: {
      // To admission, a PATCH is an update.
      kind: method === 'POST' ? 'CreateOptions' : 'UpdateOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...parameters,
      ...(isDryRun(route.resource, query) ? { dryRun: ['All'] } : {}),
    },
    warn,
  }
}

/** Whether a deletion is a dry run, by the query or by the body. */
export function isDryDeletion({ body, query, route }: Call): boolean {
  return list(body, 'dryRun').includes('All') || isDryRun(route.resource, query)
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
