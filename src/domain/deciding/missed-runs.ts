import type { Instant } from '../../process/clock.ts'
import type { Decision } from './decision.ts'
import type { PatchOperation } from '../json-patch.ts'
import { factsOf } from '../kinds.ts'
import { iso } from '../text.ts'
import type { Change } from '../workload/change.ts'
import { wantsPods, type Workload } from '../workload/workload.ts'

/**
 * The change without the missed runs of a CronJob that wakes: Kubernetes starts one Job if a time of its schedule lies
 * between `status.lastScheduleTime` (or its creation) and now. At an edge the runs due since then are not missed; those
 * from before it fell asleep (`asleepSince`) have been run. Other workloads, and those that
 * should catch up, are unchanged.
 */
export function withoutMissedRuns(
  before: Workload,
  woken: Workload,
  decision: Partial<Pick<Decision, 'intent' | 'dueAt'>> & { readonly asleepSince?: Instant | undefined },
  now: Instant,
): Workload {
  const { kind, annotations, lastScheduleTime, createdAt } = woken
  if (factsOf(kind).startsJobs !== true || wantsPods(before) || !wantsPods(woken)) return woken
  if (annotations.catchUp === 'true') return woken
  const { intent, dueAt, asleepSince = 0 } = decision
  const isAtEdge = intent?.trigger === 'schedule' && intent.at === dueAt
  // A run that is due at the very instant of the edge is to start. A clock that was ahead may have put the sleep past now.
  const since = wholeSeconds(isAtEdge ? Math.min(now, Math.max(intent.at - 1000, asleepSince)) : now)
  return since > (lastScheduleTime ?? createdAt) ? { ...woken, lastScheduleTime: since } : woken
}

/** The patch of the status that goes before the change's own; none if it does not set `lastScheduleTime`. */
export function statusPatch(workload: Workload, { lastScheduleTime }: Change): PatchOperation[] {
  if (lastScheduleTime === undefined) return []
  const path = '/status/lastScheduleTime'
  const known = workload.lastScheduleTime
  return [
    { op: 'test', path: '/metadata/uid', value: workload.uid },
    { op: 'test', path, value: known === undefined ? null : iso(known) },
    { op: 'add', path, value: iso(lastScheduleTime) },
  ]
}

function wholeSeconds(instant: Instant): Instant {
  return Math.floor(instant / 1000) * 1000
}
