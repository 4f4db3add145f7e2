import { explanationOfCauses } from '../../domain/workload/explanation.ts'
import { Refusal, messageOf } from '../../process/errors.ts'
import { ClusterRefusal } from '../../kubernetes/failures.ts'

const DENIED = /^admission webhook "[^"]*" denied the request: /

/** Whether the cluster refused it for lack of rights. */
export function isForbidden(error: unknown): error is ClusterRefusal {
  return error instanceof ClusterRefusal && error.status === 403 && !DENIED.test(messageIn(error))
}

export function isMissing(error: unknown): boolean {
  return error instanceof ClusterRefusal && error.status === 404
}

function messageIn({ details, message }: ClusterRefusal): string {
  return typeof details['message'] === 'string' ? details['message'] : message
}

/** Makes calls, and explains their failures to the person who made them. */
export async function explaining<Result>(place: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    throw explained(error, place)
  }
}

/** Explains a failed call to the person who made it, and how to fix it. `place`: `cluster dev`. */
function explained(error: unknown, place: string): unknown {
  if (!(error instanceof ClusterRefusal)) return error
  const message = messageIn(error)
  const options = { cause: error, details: error.details }
  const why = explanationOfCauses(error.details['causes'])
  if (why) return new Refusal('CLUSTER_REJECTED', why.reason, { cause: error, details: { ...why } })
  if (DENIED.test(message)) return new Refusal('CLUSTER_REJECTED', message.replace(DENIED, ''), options)
  if (error.status === 401)
    return new Refusal(
      'UNAUTHENTICATED',
      `${place} does not know you: log in again, or check with kubectl auth whoami`,
      options,
    )
  if (error.status === 403) return new Refusal('FORBIDDEN', `${message}; ${adviceOn(message)}`, options)
  if (error.status === 404) return new Refusal('NOT_FOUND', message, options)
  if (error.noAnswer === 'credentials')
    return new Refusal('UNAUTHENTICATED', `${place}: ${messageOf(error.cause)}`, options)
  if (error.noAnswer !== undefined) {
    const hasCause = error.cause !== undefined && error.noAnswer !== 'timeout'
    const why = hasCause ? ` (${rootOf(error.cause)})` : ''
    return new Refusal(
      'CLUSTER_UNAVAILABLE',
      `${place} ${NO_ANSWER[error.noAnswer]}${why}; does kubectl version reach it?`,
      options,
    )
  }
  return new Refusal(error.code, `${place}: ${message}`, options)
}

/** Advice on a missing right: in a namespace, for a list of all namespaces, or for anything else of the cluster. */
function adviceOn(message: string): string {
  const [, verb, resource] = /cannot (\w+) resource "([^"]+)"/.exec(message) ?? []
  if (message.includes('at the cluster scope'))
    return verb === 'list' && resource !== 'namespaces'
      ? 'name one namespace that you may read by -n'
      : 'ask whoever runs the cluster'
  if (verb === 'list') return `name a namespace that you may read by -n, or ${RIGHTS}`
  const isDefault = verb === 'get' && message.includes('in the namespace "default"')
  return isDefault ? `name its namespace by -n, or ${RIGHTS}` : RIGHTS
}

const RIGHTS =
  'ask whoever runs the cluster for the role edit in that namespace, or use --server with a token of Dormouse'

const NO_ANSWER = {
  unreachable: 'cannot be reached',
  timeout: 'took too long',
  hung: 'did not answer in time, while it answers other calls: an admission webhook may hang',
  silent: 'fell silent',
  cut: 'cut the connection',
  credentials: 'got no credentials',
} as const

function rootOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0])
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : messageOf(error)
}
