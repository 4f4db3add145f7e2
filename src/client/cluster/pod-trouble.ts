import { fieldsOf, troubleOf, type Trouble } from '../../domain/workload/trouble.ts'

/** The fields of a pod that are read. */
export interface PodObject {
  readonly metadata: { readonly deletionTimestamp?: string }
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly Condition[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: object
  }
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number; readonly reason?: string } }
}

/** The causes, the most telling first. */
const RANKS = ['unscheduled', 'waiting', 'failed', 'starting', 'unready'] as const
interface Cause extends Trouble {
  readonly rank: (typeof RANKS)[number]
}

/** Why pods of a workload are not ready, as the first of them says that says most; undefined: none says anything. */
export function troubleOfPods(pods: readonly PodObject[]): Trouble | undefined {
  const causes = pods.flatMap((pod) => causeOf(pod) ?? [])
  for (const rank of RANKS) {
    const found = causes.find((cause) => cause.rank === rank)
    if (found) return { code: found.code, message: found.message }
  }
  return undefined
}

function causeOf({ metadata, status = {} }: PodObject): Cause | undefined {
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status
  if (metadata.deletionTimestamp !== undefined || phase === 'Succeeded') return undefined
  if (phase === 'Failed') return { rank: 'failed', ...troubleOf(status.reason, status.message, 'Failed') }
  const isUnscheduled = conditions.find((each) => each.type === 'PodScheduled' && each.status === 'False')
  if (isUnscheduled) {
    const { reason, message } = isUnscheduled
    return { rank: 'unscheduled', ...troubleOf(reason, message, 'Unschedulable') }
  }
  const containers = [...initContainerStatuses, ...containerStatuses]
  const waiting = containers.find(({ state }) => state?.waiting && !isStarting(state.waiting.reason))
  if (waiting) return waitingCause(waiting)
  const starting = containers.find(({ state }) => state?.waiting)
  if (starting)
    return { rank: 'starting', ...troubleOf(starting.state?.waiting?.reason, notYet(starting), 'Waiting') }
  const unready = containerStatuses.find(({ ready, state }) => ready === false && state?.running)
  return (
    unready && {
      rank: 'unready',
      ...troubleOf('NotReady', `container ${unready.name} runs, and its readiness probe fails`, 'NotReady'),
    }
  )
}

/** A container that has crashed says little while it waits for its next start: how it ended says more. */
function waitingCause({ name, state, lastState }: ContainerStatus): Cause {
  const { reason, message = '' } = state?.waiting ?? {}
  const ended = lastState?.terminated
  const how = ended && [ended.reason ?? [], `exit code ${ended.exitCode ?? '?'}`].flat().join(', ')
  const text = how === undefined ? message : `its last run ended: ${how}`
  return { rank: 'waiting', ...troubleOf(reason, `container ${name}: ${text}`, 'Waiting') }
}

function notYet({ name }: ContainerStatus): string {
  return `container ${name} is not started yet`
}

function isStarting(reason: string | undefined): boolean {
  return reason === undefined || reason === 'ContainerCreating' || reason === 'PodInitializing'
}

/**
 * The selector of a workload's pods as a query has it; undefined: it has none, or one of all pods. `status.selector` is
 * the form of what has a scale subresource and no selector that we read.
 */
export function podSelector(spec: unknown, status: unknown): string | undefined {
  const { matchLabels = {}, matchExpressions = [] } = fieldsOf(fieldsOf(spec)['selector'])
  const terms = [
    ...Object.entries(fieldsOf(matchLabels)).map(([key, value]) => `${key}=${String(value)}`),
    ...(Array.isArray(matchExpressions) ? (matchExpressions as unknown[]) : []).flatMap(termOf),
  ]
  if (terms.length > 0) return terms.join(',')
  const { selector } = fieldsOf(status)
  return typeof selector === 'string' && selector !== '' ? selector : undefined
}

function termOf(expression: unknown): string[] {
  const { key, operator, values } = fieldsOf(expression)
  const list = Array.isArray(values) ? values.join(',') : ''
  if (typeof key !== 'string') return []
  if (operator === 'In') return [`${key} in (${list})`]
  if (operator === 'NotIn') return [`${key} notin (${list})`]
  return operator === 'Exists' ? [key] : [`!${key}`]
}
