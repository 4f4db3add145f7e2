import type { Instant } from '../../process/clock.ts'
import { IS_WANTED } from './decision.ts'
import type { Step } from './operation.ts'
import { autoscalerOf } from './scaling.ts'
import { isScaledByKeda, type Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import { situationOf } from './situation.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { restOf } from '../workload/state.ts'
import { FIELD_MANAGER, looksAsleep, wantsPods, isScaled, type Workload } from '../workload/workload.ts'

/** Somebody else moved a workload against the decision about it. */
export interface Contradiction {
  /** `manager:new-pykube scaled it to 0 replicas, against Dormouse (awake by schedule …)`. */
  readonly text: string
  /** A person may use the scale subresource; only repeated use contradicts Dormouse. */
  readonly byHand: boolean
}

/** A copy of a workload, read and decided on. */
interface Evaluated {
  readonly reading: Reading | Unreadable
  readonly step: Pick<Step, 'decision'>
}

/** Whether the change between two copies of a workload contradicts the decision on the first; undefined: it does not. */
export function contradictionOf(
  before: Workload,
  after: Workload,
  evaluated: (copy: Workload) => Evaluated,
  now: Instant,
  rules: Rules,
): Contradiction | undefined {
  // Each write of Dormouse changes the state as well.
  const isOurs = before.annotations.state !== after.annotations.state
  const isMoved = before.replicas !== after.replicas || before.snoozeKey !== after.snoozeKey
  if (isOurs || !isMoved || after.deleting) return undefined
  const { reading: is } = evaluated(after)
  if (is instanceof Unreadable || is.enabled !== true) return undefined
  const [slept, sleeps] = [before, after].map((each) => looksAsleep(each, restOf(is.state)))
  if (slept === sleeps) return undefined
  if (is.state.asleep === sleeps || after.replicasManager?.manager === FIELD_MANAGER) return undefined
  // An autoscaler may scale an awake workload to 0: it scales it up again.
  if (isByAutoscaler(before, after, rules)) return undefined
  const { action, reason } = evaluated(before).step.decision
  if (action !== 'none' || !IS_WANTED[reason.code]) return undefined
  const { who, what } = situationOf(is, now, rules).scaling
  return { text: `${what} by ${who}, against Dormouse (${reason.text})`, byHand: isScaled(after) }
}

/** Scaling to 0 leaves no field manager: then the former one counts. */
function isByAutoscaler(before: Workload, after: Workload, rules: Rules): boolean {
  const isUp = wantsPods(after)
  if (isScaledByKeda(after, rules)) return !isUp || isScaled(after)
  if (isUp) return false
  return autoscalerOf(after) !== undefined || (!after.replicasManager && autoscalerOf(before) !== undefined)
}
