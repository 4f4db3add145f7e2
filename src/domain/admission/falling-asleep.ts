import type { Instant } from '../../service/process/clock.ts'
import { decide } from '../deciding/decide.ts'
import { carryOut } from '../deciding/operation.ts'
import { earliest } from '../deciding/intent.ts'
import type { Rules } from '../deciding/rules.ts'
import { situationOf } from '../deciding/situation.ts'
import type { Heir, Namespace } from '../policy/inheritance.ts'
import { nextTransition } from '../deciding/foresight.ts'
import { clocksOf, wallClock } from '../schedule/zone.ts'
import { counted } from '../text.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'
import type { Annotations } from './annotations.ts'
import { aboutNamespace } from './messages.ts'

/** More are not looked at: the API server waits. */
const MOST_WORKLOADS = 200
/** Of so many the next wake is computed. */
const MOST_WAKES = 20

interface Sleepers {
  readonly count: number
  /** Whether there may be more. */
  readonly isLeast: boolean
  /** The first wake of one of them by itself, and its zone. */
  readonly wakes: { readonly at: Instant; readonly zone: string } | undefined
}

/** The workloads that fall asleep at once when their Namespace gets these annotations, and would not without them. */
export function fallingAsleep(
  namespace: Namespace,
  annotations: Annotations,
  workloads: Iterable<Workload>,
  now: Instant,
  rules: Rules,
): Sleepers {
  const { inheritedFrom } = rules
  const then = { ...namespace, annotations }
  const changed: Rules = inheritedFrom
    ? { ...rules, inherited: (heir: Heir) => inheritedFrom(then, heir) }
    : rules
  let [count, seen] = [0, 0]
  let wakes: Sleepers['wakes']
  if (!rules.inheritsSame(namespace, then))
    for (const workload of workloads) {
      if (++seen > MOST_WORKLOADS) break
      const after = sleepOf(workload, now, changed)
      if (!after || sleepOf(workload, now, rules)) continue
      count += 1
      if (count <= MOST_WAKES) wakes = sooner(wakes, wakeOf(after, now, changed))
    }
  return { count, isLeast: seen > MOST_WORKLOADS, wakes }
}

/** The workload as it falls asleep now; undefined: it does not. */
function sleepOf(workload: Workload, now: Instant, rules: Rules): Reading | undefined {
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return undefined
  const situation = situationOf(reading, now, rules)
  const decision = decide(situation)
  return decision.action === 'snooze' ? carryOut(situation, decision) : undefined
}

function wakeOf(asleep: Reading, now: Instant, rules: Rules): Sleepers['wakes'] {
  const next = nextTransition(asleep, now, rules)
  return next && { at: next.at, zone: clocksOf(asleep.zone) }
}

function sooner(a: Sleepers['wakes'], b: Sleepers['wakes']): Sleepers['wakes'] {
  return a && b ? (earliest(a.at, b.at) === a.at ? a : b) : (a ?? b)
}

/** Warnings for the person who annotates the Namespace; none if nothing falls asleep. */
export function tellSleepers(name: string, { count, isLeast, wakes }: Sleepers, now: Instant): string[] {
  if (count === 0) return []
  const who = `${isLeast ? 'at least ' : ''}${counted(count, 'workload')} ${count === 1 ? 'falls' : 'fall'} asleep now`
  const end = wakes
    ? `; ${count === 1 ? 'it wakes' : 'they wake from'} ${wallClock(wakes.at, wakes.zone, now)} (${wakes.zone})${count === 1 ? '' : ' on'}`
    : `, and nothing wakes ${count === 1 ? 'it' : 'them'} by itself`
  return [aboutNamespace(name, `: ${who}${end}`)]
}
