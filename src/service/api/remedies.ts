import { OPERATIONS } from '../../domain/requests/operations.ts'
import { explanationIn, withRemedy, type Remedy } from '../../domain/workload/explanation.ts'
import { pathOf, type WorkloadKey } from '../../domain/workload/workload.ts'
import type { Refusal } from '../../process/errors.ts'

interface Asked {
  readonly path: Partial<WorkloadKey>
}

/**
 * The message of a refusal about a workload, with its remedy as a call: `…; to let it go: DELETE /api/v1/…/pin`, or
 * with the path of the one to ask in its place.
 */
export function messageAbout(workload: WorkloadKey, { code, message, details }: Refusal): string {
  const why = explanationIn(details)
  if (!why) return message
  const { path } = why.reason_values
  if (code === 'OWNED' && typeof path === 'string') return `${message}: ${path}`
  return withRemedy(why, (remedy) => callOf(workload, remedy))
}

/** The message of a refused request, with its remedy where it is about one workload: the path of a list has no name. */
export function messageTo(refusal: Refusal, { input }: { readonly input?: Asked }): string {
  const { namespace, kind, name } = input?.path ?? {}
  if (namespace === undefined || kind === undefined || name === undefined) return refusal.message
  return messageAbout({ namespace, kind, name }, refusal)
}

function callOf(workload: WorkloadKey, { action, query }: Remedy): string {
  const [method, path] = OPERATIONS[action].call.split(' ')
  const search = new URLSearchParams(query).toString()
  return `${method} ${pathOf(workload)}/${path}${search === '' ? '' : `?${search}`}`
}
