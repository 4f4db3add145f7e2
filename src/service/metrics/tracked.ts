import type { Instant } from '../../process/clock.ts'
import { autoscalerConflict, type AutoscalerConflict } from '../../domain/deciding/scaling.ts'
import { formOf } from '../../domain/sleeping/forms.ts'
import { completed } from '../../domain/deciding/history.ts'
import { isLate } from '../../domain/deciding/late.ts'
import { nextTransition } from '../../domain/deciding/foresight.ts'
import { isAtRest, type Reading } from '../../domain/workload/reading.ts'
import type { Source } from '../../domain/policy/settings.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Operation } from '../../domain/workload/state.ts'
import { currentReplicas, type Workload } from '../../domain/workload/workload.ts'
import { replicasSaved } from '../../domain/records/saved.ts'
import { workloadState, type WorkloadState } from '../../domain/records/workload-state.ts'
import type { Coming } from './coming.ts'
import { shareOf, type Share } from './savings.ts'

/** One managed workload's part of the metrics. */
export interface Tracked {
  readonly state: WorkloadState
  /** The source of `enabled`. */
  readonly source: string
  /** The value of its team label, bounded; undefined: no label is configured. */
  readonly team?: string
  readonly asleep: boolean
  /** The requests of its replicas, or of its kept count while asleep; undefined: they cannot be read. */
  readonly share?: Share
  readonly coming?: Coming
  /** Its schedule, if calendars may change that. */
  readonly schedule?: Schedule
  /** Its latest wake took too long, and pods are still missing. */
  readonly isLate?: true
  /** The conflict between an autoscaler and its schedule. */
  readonly conflict?: AutoscalerConflict
}

/**
 * A managed workload as metrics see it, and its history; undefined: it is not managed, or its Deployment is instead.
 */
export function readTracked(
  workload: Workload,
  reading: Reading | Unreadable,
  now: Instant,
  rules: Rules,
): { tracked: Tracked; history: readonly Operation[] } | undefined {
  if (workload.owner && workload.kind === 'replicasets') return undefined
  const state = workloadState(reading, now)
  if (reading instanceof Unreadable)
    return { tracked: { state, source: managedBy(null), asleep: false }, history: [] }
  if (state === 'unmanaged') return undefined
  const asleep = isAtRest(reading)
  const runs = formOf(workload).countsPods ? currentReplicas(workload) : 0
  const coming = workload.deleting ? undefined : nextTransition(reading, now, rules)
  const conflict = autoscalerConflict(reading, rules)
  const tracked = {
    state,
    source: managedBy(reading.effective.sources.enabled),
    asleep,
    share: shareOf(asleep ? replicasSaved(reading) : runs, workload.requests),
    ...(coming && { coming: { type: coming.type, at: coming.at } }),
    ...(isLate(completed(reading, now, rules.policy)) && { isLate: true as const }),
    ...(conflict && { conflict }),
    ...(reading.schedule?.calendar && { schedule: reading.schedule }),
  }
  return { tracked, history: reading.state.history }
}

/** The source of `enabled` as metrics name it: `workload`, `namespace` (whichever), `policy/dev`. */
function managedBy(source: Source | null): string {
  if (source === null) return 'workload'
  return source.startsWith('namespace/') ? 'namespace' : source
}
