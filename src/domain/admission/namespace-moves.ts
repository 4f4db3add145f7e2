import { type Instant, earliest } from '../../process/clock.ts'
import { decide } from '../deciding/decide.ts'
import { carryOut } from '../deciding/operation.ts'
import type { Rules } from '../deciding/rules.ts'
import { situationOf } from '../deciding/situation.ts'
import type { Heir, Namespace } from '../policy/inheritance.ts'
import { nextTransition } from '../deciding/foresight.ts'
import { clocksOf, wallClock } from '../schedule/zone.ts'
import { counted } from '../text.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'
import { aboutNamespace } from './messages.ts'

/** More are not looked at: the API server waits. */
const MOST_WORKLOADS = 200
/** The next wake is computed for so many. */
const MOST_WAKES = 20

/** The workloads that a write of their Namespace moves at once. */
interface Moved {
  readonly asleep: number
  readonly awake: number
  /** Whether there may be more. */
  readonly isLeast: boolean
  /** The first wake by itself of one that falls asleep, and its zone. */
  readonly wakes: { readonly at: Instant; readonly zone: string } | undefined
}

/** The parts of a Namespace that say what its workloads inherit. */
export type Inheritable = Pick<Namespace, 'annotations' | 'labels'>

/** The workloads that fall asleep or wake at once when their Namespace becomes so, and would not without that. */
export function movedByNamespace(
  namespace: Namespace,
  after: Inheritable,
  workloads: Iterable<Workload>,
  now: Instant,
  rules: Rules,
): Moved {
  const { inheritedFrom } = rules
  const then = { ...namespace, ...after }
  const changed: Rules = inheritedFrom
    ? { ...rules, inherited: (heir: Heir) => inheritedFrom(then, heir) }
    : rules
  let [asleep, awake, seen] = [0, 0, 0]
  let wakes: Moved['wakes']
  if (!rules.inheritsSame(namespace, then))
    for (const workload of workloads) {
      if (++seen > MOST_WORKLOADS) break
      const move = moveOf(workload, now, changed)
      if (!move || moveOf(workload, now, rules)?.action === move.action) continue
      if (move.action === 'wake') awake += 1
      else if (++asleep <= MOST_WAKES) wakes = sooner(wakes, wakeOf(move.target, now, changed))
    }
  return { asleep, awake, isLeast: seen > MOST_WORKLOADS, wakes }
}

interface Move {
  readonly action: 'snooze' | 'wake'
  readonly target: Reading
}

/** The workload as it falls asleep or wakes now; undefined: it does neither. */
function moveOf(workload: Workload, now: Instant, rules: Rules): Move | undefined {
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return undefined
  const situation = situationOf(reading, now, rules)
  const decision = decide(situation)
  const { action } = decision
  return action === 'snooze' || action === 'wake'
    ? { action, target: carryOut(situation, decision) }
    : undefined
}

function wakeOf(asleep: Reading, now: Instant, rules: Rules): Moved['wakes'] {
  const next = nextTransition(asleep, now, rules)
  return next && { at: next.at, zone: clocksOf(asleep.zone) }
}

function sooner(a: Moved['wakes'], b: Moved['wakes']): Moved['wakes'] {
  return a && b ? (earliest(a.at, b.at) === a.at ? a : b) : (a ?? b)
}

/** Warnings for the person who writes the Namespace; none if nothing moves. */
export function tellMoves(name: string, { asleep, awake, isLeast, wakes }: Moved, now: Instant): string[] {
  const least = isLeast ? 'at least ' : ''
  const says: string[] = []
  if (asleep > 0) {
    const isOne = asleep === 1
    const end = wakes
      ? `; ${isOne ? 'it wakes' : 'they wake from'} ${wallClock(wakes.at, wakes.zone, now)} (${wakes.zone})${isOne ? '' : ' on'}`
      : `, and nothing wakes ${isOne ? 'it' : 'them'} by itself`
    says.push(`${least}${counted(asleep, 'workload')} ${isOne ? 'falls' : 'fall'} asleep now${end}`)
  }
  if (awake > 0) says.push(`${least}${counted(awake, 'workload')} ${awake === 1 ? 'wakes' : 'wake'} now`)
  return says.map((each) => aboutNamespace(name, `: ${each}`))
}
