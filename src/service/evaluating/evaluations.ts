import { LRUCache } from 'lru-cache'
import { quietLater, type Clock, type Instant, type Later, type Monotonic } from '../process/clock.ts'
import { earliest, isTimeless } from '../../domain/deciding/decision.ts'
import { planStep, type Step } from '../../domain/deciding/operation.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { readWorkload, type Reading } from '../../domain/workload/reading.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { keyOf, parseKey, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { NEVER, Timers } from '../process/timers.ts'
import type * as Ports from './ports.ts'

/** The meaning of a copy, and the step that is due. */
export interface Evaluation {
  readonly reading: Reading | Unreadable
  /** Without what is known of earlier copies. */
  readonly step: Step
  readonly at: Instant
  /** When time alone changes it; undefined: never. */
  readonly lookAgainAt: Instant | undefined
}

interface EvaluationsOptions {
  readonly workloads: { get(key: WorkloadKey): Workload | undefined }
  readonly rules: Rules
  readonly clock: Clock
  /** Tells when the clock was set. */
  readonly monotonic: Monotonic
  /** Default: the system's timeouts, which keep no process alive. */
  readonly later?: Later | undefined
  /** Time alone has changed what is decided, or the clock was set back, so that it may have been decided at a wrong time. */
  readonly due: (key: WorkloadKey) => void
  /** Default: `planStep`. */
  readonly plan?: typeof planStep
}

/** An evaluation holds a state as text and as objects, several KB; its users ask for it at about the same time. */
const KEPT = 1000
/** Milliseconds that a step which writes is used again: its operation is dated when it was planned. */
const STEP_LIFE = 2000

/** Reads and decides on each copy once a replica, for all who ask, and notices when time alone has changed that. */
export class Evaluations implements Ports.Evaluations {
  readonly #options: EvaluationsOptions
  readonly #plan: typeof planStep
  readonly #made = new LRUCache<Workload, Evaluation>({ max: KEPT })
  readonly #timers: Timers

  constructor(options: EvaluationsOptions) {
    const { clock, monotonic, later = quietLater, due, plan = planStep } = options
    this.#options = options
    this.#plan = plan
    this.#timers = new Timers((key) => due(parseKey(key)), clock, later, monotonic)
  }

  /** The evaluation of this copy that holds now. */
  of(workload: Workload): Evaluation {
    const { clock, workloads } = this.#options
    const now = clock()
    const known = this.#made.get(workload)
    if (known && holds(known, now)) return known
    const evaluation = this.#evaluate(workload, now)
    this.#made.set(workload, evaluation)
    if (workloads.get(workload) === workload) this.#await(keyOf(workload), evaluation)
    return evaluation
  }

  /**
   * Call it first for every change of the informer. A copy whose decision cannot differ is evaluated when first asked
   * for.
   */
  changed(before: Workload | undefined, after: Workload | undefined): void {
    if (before) this.#made.delete(before)
    if (before && !after) this.#timers.delete(keyOf(before))
    if (after && (!before || before === after || isRelevant(before, after))) this.of(after)
  }

  stop(): void {
    this.#timers.clear()
  }

  #await(key: string, { step, lookAgainAt }: Evaluation): void {
    if (lookAgainAt === undefined && isTimeless(step.decision)) this.#timers.delete(key)
    else this.#timers.set(key, lookAgainAt ?? NEVER)
  }

  #evaluate(workload: Workload, now: Instant): Evaluation {
    const { rules } = this.#options
    const reading = readWorkload(workload, rules)
    const step = this.#plan(workload, now, rules)
    const ends =
      reading instanceof Unreadable ? [] : [reading.state.override?.until, reading.state.backoff?.until]
    const coming = [step.decision.lookAgainAt, ...ends].map((at) => (at && at > now ? at : undefined))
    return { reading, step, at: now, lookAgainAt: coming.reduce((a, b) => earliest(a, b)) }
  }
}

function holds({ step, at, lookAgainAt }: Evaluation, now: Instant): boolean {
  if (now < at || (lookAgainAt !== undefined && now >= lookAgainAt)) return false
  return step.change === undefined || now - at <= STEP_LIFE
}
