import { NOTHING_SAVED, plus, type Saved } from '../../domain/records/saved.ts'
import type { Sleep } from '../../domain/schedule/schedule.ts'

/** Replicas and their requests. Whole numbers, so that sums are exact when shares are subtracted again. */
export interface Share {
  readonly replicas: number
  readonly microcores: number
  readonly bytes: number
}

const NOTHING: Share = { replicas: 0, microcores: 0, bytes: 0 }
export const MICROCORES = 1_000_000

/** The share of `replicas` pods that request `cpu` cores and `memory` bytes each. */
export function shareOf(replicas: number, { cpu, memory }: { cpu: number; memory: number }): Share {
  return {
    replicas,
    microcores: Math.round(cpu * MICROCORES) * replicas,
    bytes: Math.round(memory) * replicas,
  }
}

/** A sum of shares. */
class Shares {
  #total = NOTHING

  get total(): Share {
    return this.#total
  }

  replace(before: Share = NOTHING, after: Share = NOTHING): void {
    const { replicas, microcores, bytes } = this.#total
    this.#total = {
      replicas: replicas + after.replicas - before.replicas,
      microcores: microcores + after.microcores - before.microcores,
      bytes: bytes + after.bytes - before.bytes,
    }
  }
}

/** How a workload counts: its share is added to that of the sleepers, or of those awake. */
interface Counted {
  readonly asleep: boolean
  readonly share?: Share
}

/**
 * Requests of the workloads of a namespace or a team, asleep and awake, and what sleep has saved: the sleepers' requests
 * multiplied by time. That is added up whenever the requests change or the sum is read; it needs no timer.
 */
export class Usage {
  readonly #asleep = new Shares()
  readonly #awake = new Shares()
  #at: number
  #saved = NOTHING_SAVED

  /** `seconds`, here and below: a time that never goes back. */
  constructor(seconds: number) {
    this.#at = seconds
  }

  /** One workload counts as `after` instead of as `before`; undefined: it does not count. */
  replace(before: Counted | undefined, after: Counted | undefined, seconds: number): void {
    this.saved(seconds)
    const shareIf = (counted: Counted | undefined, asleep: boolean) =>
      counted?.asleep === asleep ? counted.share : undefined
    this.#asleep.replace(shareIf(before, true), shareIf(after, true))
    this.#awake.replace(shareIf(before, false), shareIf(after, false))
  }

  /** The requests of sleeping workloads' kept replicas, and of awake workloads' replicas. */
  *shares(): Iterable<Share & { state: Sleep }> {
    yield { state: 'asleep', ...this.#asleep.total }
    yield { state: 'awake', ...this.#awake.total }
  }

  /** Since the start; never decreases. */
  saved(seconds: number): Saved {
    const passed = seconds - this.#at
    this.#at = seconds
    const { replicas, microcores, bytes } = this.#asleep.total
    this.#saved = plus(this.#saved, {
      replicaSeconds: replicas * passed,
      coreSeconds: (microcores / MICROCORES) * passed,
      byteSeconds: bytes * passed,
    })
    return this.#saved
  }
}

/** Counts the time during which it runs; `now` is monotonic, so no clock that is set changes what it counts. */
export class Stopwatch {
  #since: number | undefined
  #before = 0

  start(now: number): void {
    this.#since ??= now
  }

  stop(now: number): void {
    this.#before = this.seconds(now)
    this.#since = undefined
  }

  /** Seconds counted up to now. */
  seconds(now: number): number {
    return this.#before + (this.#since === undefined ? 0 : (now - this.#since) / 1000)
  }
}
