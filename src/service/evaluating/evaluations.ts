import { LRUCache } from 'lru-cache'
import {
  LONGEST_SLEEP,
  quietLater,
  type Clock,
  type Instant,
  type Later,
  earliest,
} from '../../process/clock.ts'
import { planStep, type Step } from '../../domain/deciding/operation.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { readWorkload, type Reading } from '../../domain/workload/reading.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { isOlder, keyOf, parseKey, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { Timers } from '../../process/timers.ts'
import type * as Ports from './ports.ts'

/** The meaning of a copy, and the step that is due. */
export interface Evaluation {
  readonly reading: Reading | Unreadable
  /** Without facts about earlier copies. */
  readonly step: Step
  readonly at: Instant
  /** When time alone changes it; undefined: never. */
  readonly lookAgainAt: Instant | undefined
}

interface EvaluationsOptions {
  readonly workloads: { get(key: WorkloadKey): Workload | undefined; list(): Iterable<WorkloadKey> }
  readonly rules: Rules
  readonly clock: Clock
  /** Default: the system's timeouts, which keep no process alive. */
  readonly later?: Later | undefined
  /** Must call `changed` for these: time alone changed their decision, or it was made at a wrong time. */
  readonly due: (keys: Iterable<WorkloadKey>) => void
  /** Default: `planStep`. */
  readonly plan?: typeof planStep
}

/** An evaluation holds a state as objects, several KB; its users ask for it at about the same time. */
const KEPT = 1000
/** Milliseconds that a step which writes is used again: its operation is dated when it was planned. */
const STEP_LIFE = 2000

/** Reads and decides on each copy once a replica, for all who ask, and notices when time alone has changed that. */
export class Evaluations implements Ports.Evaluations {
  readonly #options: EvaluationsOptions
  readonly #plan: typeof planStep
  readonly #made = new LRUCache<Workload, Evaluation>({ max: KEPT })
  readonly #timers: Timers
  /** Keys that wait for the instant of a newer copy than the informer's, until that changes. */
  readonly #ahead = new Set<string>()
  /** The copy before the latest change, kept for listeners that ask what it meant. */
  #former: Workload | undefined
  /** The newest time of an evaluation. */
  #newest: Instant = 0
  #disarm: (() => void) | undefined

  constructor(options: EvaluationsOptions) {
    const { clock, later = quietLater, due, plan = planStep } = options
    this.#options = options
    this.#plan = plan
    this.#timers = new Timers((key) => due([parseKey(key)]), clock, later)
  }

  /** The evaluation of this copy that holds now. */
  of(workload: Workload): Evaluation {
    const now = this.#options.clock()
    const known = this.#made.get(workload)
    if (known && holds(known, now, this.#options.rules.keyring?.())) return known
    return this.#anew(workload, now, known?.step.read)
  }

  reading(workload: Workload): Reading | Unreadable {
    return this.#made.get(workload)?.reading ?? readWorkload(workload, this.#options.rules)
  }

  /** `earlier`: a reading of this copy. */
  #anew(workload: Workload, now: Instant, earlier?: Reading): Evaluation {
    const { workloads } = this.#options
    const evaluation = this.#evaluate(workload, now, earlier)
    this.#made.set(workload, evaluation)
    const copy = workloads.get(workload)
    const isAhead = copy !== undefined && isOlder(copy, workload)
    if (isAhead) this.#ahead.add(keyOf(workload))
    if (copy === workload || isAhead) this.#await(keyOf(workload), evaluation)
    return evaluation
  }

  /**
   * Call it first for every change of the informer. A copy whose decision cannot differ is evaluated when first asked
   * for.
   */
  changed(before: Workload | undefined, after: Workload | undefined): void {
    const known = before && this.#made.get(before)
    if (this.#former) this.#made.delete(this.#former)
    this.#former = before === after ? undefined : before
    if (before && !after) this.#timers.delete(keyOf(before))
    const workload = after ?? before
    const wasAhead = this.#ahead.size > 0 && workload !== undefined && this.#ahead.delete(keyOf(workload))
    if (!after) return
    if (before === after) this.#anew(after, this.#options.clock(), known?.step.read)
    else if (!before || isRelevant(before, after)) this.of(after)
    // The timer is that of the newer copy, which others go by: have this one evaluated at once.
    else if (wasAhead) this.#timers.set(keyOf(after), this.#options.clock())
  }

  stop(): void {
    this.#timers.clear()
    this.#ahead.clear()
    this.#disarm?.()
    this.#disarm = undefined
  }

  #await(key: string, { at, lookAgainAt }: Evaluation): void {
    // A timer that is due fires in a moment and notifies every listener: a question before that must not cancel it.
    if ((this.#timers.at(key) ?? Number.POSITIVE_INFINITY) <= at) return
    if (lookAgainAt === undefined) this.#timers.delete(key)
    else this.#timers.set(key, lookAgainAt)
  }

  /** Once a minute, checks whether the clock was set back to before the newest decision; set ahead, it makes timers due. */
  #lookAtClock(): void {
    const { clock, workloads, due } = this.#options
    this.#disarm = undefined
    if (clock() < this.#newest) {
      this.#newest = 0
      due(workloads.list())
    }
    this.#watchClock()
  }

  #watchClock(): void {
    const { later = quietLater } = this.#options
    this.#disarm ??= later(() => this.#lookAtClock(), LONGEST_SLEEP)
  }

  #evaluate(workload: Workload, now: Instant, earlier?: Reading): Evaluation {
    const { rules } = this.#options
    this.#newest = Math.max(this.#newest, now)
    this.#watchClock()
    const step = this.#plan(workload, now, rules, undefined, earlier)
    const reading = step.read?.workload === workload ? step.read : readWorkload(workload, rules)
    const ends =
      reading instanceof Unreadable ? [] : [reading.state.override?.until, reading.state.backoff?.until]
    const coming = [step.decision.lookAgainAt, ...ends].map((at) => (at && at > now ? at : undefined))
    return { reading, step, at: now, lookAgainAt: coming.reduce((a, b) => earliest(a, b)) }
  }
}

function holds(
  { step, at, lookAgainAt }: Evaluation,
  now: Instant,
  keyring: ReturnType<Required<Rules>['keyring']>,
): boolean {
  if (now < at || (lookAgainAt !== undefined && now >= lookAgainAt)) return false
  return !step.isDue || (now - at <= STEP_LIFE && step.isSignedBy(keyring))
}
