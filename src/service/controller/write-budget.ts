import type { Instant } from '../../process/clock.ts'
import { backoff, type Due } from './failures.ts'

/** Milliseconds over which writes are counted, and after which an episode ends if nothing undid our writes. */
const WINDOW = 60_000

interface Account {
  /** Monotonic times of the latest writes, oldest first; no more than the budget allows. */
  readonly writes: number[]
  /** The instant of the latest edge that was written. */
  edge: Instant | undefined
  /** How many delays the present episode has had; 0: no episode. */
  delays: number
  /** The end of the latest delay. */
  until: number
  /** Whether a write that waits for the delay was reported. */
  reported: boolean
}

/** How long a write that is due has to wait. */
interface Delay {
  /** Monotonic milliseconds. */
  readonly until: number
  /** `episode`: the budget has just been used up; `delay`: a write waits for another delay; undefined: reported already. */
  readonly news: 'episode' | 'delay' | undefined
}

/**
 * Limits how often one workload is written, whatever the cause of the loop: another writer, or a fault of ours. Past
 * its budget a workload is written once after each delay, which is ten seconds and doubles, until nothing had to be
 * written for a minute. An edge never waits. Workloads written long ago are forgotten.
 */
export class WriteBudget {
  readonly limit: number
  readonly #random: () => number
  /** Ordered by the latest write, oldest first; accounts still in a delay are moved to the end. */
  readonly #accounts = new Map<string, Account>()

  /** `limit` writes a minute; `random` gives [0, 1). */
  constructor(limit: number, random: () => number = Math.random) {
    this.limit = limit
    this.#random = random
  }

  /** How many workloads it remembers. */
  get size(): number {
    return this.#accounts.size
  }

  /** undefined: the write may be sent at once. `now` is monotonic. */
  delayOf(key: string, due: Due, now: number): Delay | undefined {
    const account = this.#accounts.get(key)
    if (!account || (due.dueAt ?? 0) > (account.edge ?? 0)) return undefined
    if (account.delays > 0 && now >= account.until + WINDOW) account.delays = 0
    if (account.delays === 0) {
      const [oldest] = this.#recent(account, now)
      if (oldest === undefined || account.writes.length < this.limit) return undefined
      this.#delay(account, now)
      account.until = Math.max(account.until, oldest + WINDOW)
      account.reported = true
      return { until: account.until, news: 'episode' }
    }
    if (now >= account.until) return undefined
    const news = account.reported ? undefined : 'delay'
    account.reported = true
    return { until: account.until, news }
  }

  /** The workload was written; `edge` is the instant of the edge that this write was due to. */
  wrote(key: string, edge: Instant | undefined, now: number): void {
    const account = this.#accounts.get(key) ?? {
      writes: [],
      edge: undefined,
      delays: 0,
      until: 0,
      reported: false,
    }
    this.#accounts.delete(key)
    this.#accounts.set(key, account)
    if (this.#recent(account, now).push(now) > this.limit) account.writes.shift()
    account.edge = Math.max(edge ?? 0, account.edge ?? 0)
    if (account.delays > 0) this.#delay(account, now)
    this.#forgetSome(now)
  }

  clear(): void {
    this.#accounts.clear()
  }

  #recent({ writes }: Account, now: number): number[] {
    const old = writes.findIndex((at) => at > now - WINDOW)
    writes.splice(0, old < 0 ? writes.length : old)
    return writes
  }

  #delay(account: Account, now: number): void {
    account.delays++
    account.until = now + backoff('refused', account.delays, this.#random())
    account.reported = false
  }

  /** Each write adds at most one account, so it checks two: old ones go, those still in a delay are checked later. */
  #forgetSome(now: number): void {
    for (const [key, account] of this.#accounts.entries().take(2)) {
      if (now < (account.writes.at(-1) ?? 0) + WINDOW) return
      this.#accounts.delete(key)
      if (now < account.until + WINDOW) this.#accounts.set(key, account)
    }
  }
}
