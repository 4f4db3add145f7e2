import type { Operation } from '../../src/domain/workload/state.ts'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import { HISTORY_LIMIT } from '../../src/domain/workload/history-codec.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'

const HALF_A_DAY = 12 * 3_600_000

/** The annotations that Dormouse has written of a Deployment after ten nights by its schedule, which is awake at `now`. */
export function tenNights(replicas: number, now: number): Record<string, string> {
  const history = Array.from({ length: HISTORY_LIMIT }, (_, index): Operation => {
    const type = index % 2 === 0 ? 'wake' : 'snooze'
    return {
      type,
      trigger: 'schedule',
      at: now - HALF_A_DAY - index * HALF_A_DAY + ((index * 377) % 1000),
      replicas: type === 'wake' ? replicas : 0,
      duration: 20_000 + index * 2001,
      by: null,
      result: 'succeeded',
    }
  })
  const [woken, snoozed] = history as [Operation, Operation]
  const texts = encodeState({
    kind: 'deployments',
    counter: 40,
    asleep: false,
    snoozed: { at: snoozed.at, replicas, trigger: 'schedule', by: null },
    woken: { at: woken.at },
    intent: { want: 'awake', at: woken.at, before: 'asleep', by: null, trigger: 'schedule' },
    history,
  })
  return { [ANNOTATION.state]: texts.state, [ANNOTATION.history]: texts.history ?? '' }
}
