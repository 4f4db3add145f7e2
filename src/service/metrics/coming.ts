import type { Instant } from '../../process/clock.ts'
import type { OperationType } from '../../domain/workload/trigger.ts'
import { Tally } from './tally.ts'

/** The next snooze or wake of one workload by schedule. */
export interface Coming {
  readonly type: OperationType
  readonly at: Instant
}

/** All workloads that change at one instant. */
export interface Wave {
  readonly at: Instant
  readonly workloads: number
}

/**
 * How many workloads will be put to sleep or woken, by instant. Most workloads share their schedule's edges, so there
 * are few instants, and reading them all is cheap.
 */
export class ComingTransitions extends Tally<Coming> {
  constructor() {
    super(({ type, at }) => `${type} ${at}`)
  }

  /** How many come after `now`, and at most `milliseconds` after it. */
  within(type: OperationType, now: Instant, milliseconds: number): number {
    return this.#count(type, (at) => at > now && at <= now + milliseconds)
  }

  /** How many were due by `now`, and have not happened. */
  overdue(type: OperationType, now: Instant): number {
    return this.#count(type, (at) => at <= now)
  }

  /** The earliest after `now`. */
  next(type: OperationType, now: Instant): Wave | undefined {
    let next: Wave | undefined
    for (const [coming, workloads] of this) {
      const { at } = coming
      if (coming.type === type && at > now && (next === undefined || at < next.at)) next = { at, workloads }
    }
    return next
  }

  #count(type: OperationType, counts: (at: Instant) => boolean): number {
    let sum = 0
    for (const [coming, workloads] of this) if (coming.type === type && counts(coming.at)) sum += workloads
    return sum
  }
}
