import type { Instant } from '../clock.ts'
import type { OperationType } from '../domain/state.ts'

/** The next change of one workload that the clock brings. */
export interface Coming {
  readonly type: OperationType
  readonly at: Instant
}

/** All that come at one instant. */
export interface Wave {
  readonly at: Instant
  readonly workloads: number
}

/**
 * How many workloads will sleep or wake when. Most share their schedule's edges, so there are few instants,
 * and to read them all is cheap however many workloads there are.
 */
export class ComingTransitions {
  readonly #instants: Record<OperationType, Map<Instant, number>> = { snooze: new Map(), wake: new Map() }

  replace(before: Coming | undefined, after: Coming | undefined): void {
    if (before) this.#add(before, -1)
    if (after) this.#add(after, 1)
  }

  /** Those later than `now`, up to `milliseconds` later. */
  within(type: OperationType, now: Instant, milliseconds: number): number {
    return this.#count(type, (at) => at > now && at <= now + milliseconds)
  }

  /** Those whose instant has passed, and that are still what they were. */
  overdue(type: OperationType, now: Instant): number {
    return this.#count(type, (at) => at <= now)
  }

  /** The earliest after `now`. */
  next(type: OperationType, now: Instant): Wave | undefined {
    let next: Wave | undefined
    for (const [at, workloads] of this.#instants[type]) {
      if (at > now && (next === undefined || at < next.at)) next = { at, workloads }
    }
    return next
  }

  #count(type: OperationType, counts: (at: Instant) => boolean): number {
    let sum = 0
    for (const [at, workloads] of this.#instants[type]) if (counts(at)) sum += workloads
    return sum
  }

  #add({ type, at }: Coming, workloads: number): void {
    const instants = this.#instants[type]
    const sum = (instants.get(at) ?? 0) + workloads
    if (sum === 0) instants.delete(at)
    else instants.set(at, sum)
  }
}
