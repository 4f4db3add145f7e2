import type { StatusRecord, TransitionRecord } from '../../domain/records/record.ts'
import { STATES, type State } from '../../words/state.ts'
import { shortTime } from '../../words/time.ts'

/** `cluster`: the cluster's name, where the page shows several. */
export type Workload = StatusRecord & { readonly cluster?: string }
export type Transition = TransitionRecord

/** The fields that identify a workload. */
export type Identity = Pick<Workload, 'cluster' | 'namespace' | 'type' | 'name'>

/** Its form in the page's address: `shop/deployment/web`, behind its cluster where there are several. */
export function keyOf({ cluster, namespace, type, name }: Identity): string {
  return `${cluster === undefined ? '' : `${cluster}/`}${namespace}/${type}/${name}`
}

/** The choices of the list; the first, of all that Dormouse manages or holds, is the default. */
export const FILTERS = { managed: 'Managed', ...STATES, all: 'All' } as const

export type Filter = keyof typeof FILTERS

/** Whether Dormouse leaves it alone, as far as is known. */
export function isLeftAlone(state: State): boolean {
  return state === 'unmanaged' || state === 'unknown'
}

/**
 * The end of the wait of a workload that was switched too often, or whose change the cluster refused; a wake is never
 * refused.
 */
export function waitOf(workload: Workload, now: number): string | undefined {
  const { backoff_until: until, held_by: holder, reason_values: values } = workload
  if (holder !== 'backoff' || until === null) return undefined
  const end = shortTime(Date.parse(until), now)
  if (values['cause'] === 'failure')
    return `The cluster refused the last change: the next try is at ${end}. A click tries at once.`
  return `Switched too often: its schedule and Snooze wait until ${end}. Wake works at once.`
}
