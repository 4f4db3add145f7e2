import type { Instant } from '../clock.ts'
import { backoff, type Due } from './failures.ts'

/** Milliseconds in which writes are counted, and after which one that was left in peace starts anew. */
const WINDOW = 60_000

interface Account {
  /** Monotonic times of the latest writes, oldest first; no more than the budget allows. */
  readonly writes: number[]
  /** The edge that was carried out last. */
  edge: Instant | undefined
  /** How many rests the present episode had; 0: there is none. */
  rests: number
  /** The end of the latest rest. */
  until: number
  /** Whether something had to wait for it. */
  told: boolean
}

/** What is due has to wait. */
interface Rest {
  /** Monotonic milliseconds. */
  readonly until: number
  /** `episode`: the budget has just been used up; `rest`: another rest keeps something waiting; undefined: known already. */
  readonly news: 'episode' | 'rest' | undefined
}

/**
 * The net under the rules: whatever loops, with somebody outside or by a mistake of ours, no workload is
 * written more often than this. Past its budget it rests as after a refusal, ten seconds and twice as long each
 * time, with one write after each rest, until it was left in peace for a minute. An edge is never kept waiting.
 * Remembers only what was written of late.
 */
export class WriteBudget {
  readonly limit: number
  readonly #random: () => number
  /** By the latest write, oldest first, as far as none of them rests. */
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

  /** undefined: what is due may be written at once. `now` is monotonic. */
  restOf(key: string, due: Due, now: number): Rest | undefined {
    const account = this.#accounts.get(key)
    if (!account || (due.dueAt ?? 0) > (account.edge ?? 0)) return undefined
    if (account.rests > 0 && now >= account.until + WINDOW) account.rests = 0
    if (account.rests === 0) {
      const [oldest] = this.#recent(account, now)
      if (oldest === undefined || account.writes.length < this.limit) return undefined
      this.#rest(account, now)
      account.until = Math.max(account.until, oldest + WINDOW)
      account.told = true
      return { until: account.until, news: 'episode' }
    }
    if (now >= account.until) return undefined
    const news = account.told ? undefined : 'rest'
    account.told = true
    return { until: account.until, news }
  }

  /** It was written; `edge` is the instant of the edge that this carried out. */
  wrote(key: string, edge: Instant | undefined, now: number): void {
    const account = this.#accounts.get(key) ?? {
      writes: [],
      edge: undefined,
      rests: 0,
      until: 0,
      told: false,
    }
    this.#accounts.delete(key)
    this.#accounts.set(key, account)
    if (this.#recent(account, now).push(now) > this.limit) account.writes.shift()
    account.edge = Math.max(edge ?? 0, account.edge ?? 0)
    if (account.rests > 0) this.#rest(account, now)
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

  #rest(account: Account, now: number): void {
    account.rests++
    account.until = now + backoff('refused', account.rests, this.#random())
    account.told = false
  }

  /** A write may add one, so each looks at two: what is over goes, what still rests is looked at later. */
  #forgetSome(now: number): void {
    for (const [key, account] of this.#accounts.entries().take(2)) {
      if (now < (account.writes.at(-1) ?? 0) + WINDOW) return
      this.#accounts.delete(key)
      if (now < account.until + WINDOW) this.#accounts.set(key, account)
    }
  }
}
