import { statusRecord } from '../../../domain/records/record.ts'
import type { Workload } from '../../../domain/workload/workload.ts'
import { Refusal } from '../../../process/errors.ts'
import { whenGone, type ApiContext } from '../context.ts'
import type { PodWaits } from '../pod-waits.ts'
import type { ApiDeps } from '../ports.ts'
import { sinceThen } from '../writes.ts'
import type { BulkItem } from './item.ts'

/** Milliseconds, the longest that a timer takes: the deadline for all ends each wait. */
const ENDLESS = 2 ** 31 - 1

/** Waits for the pods of many workloads in the one place of their request, with one deadline for all. */
export class Following {
  readonly #deps: Pick<ApiDeps, 'clock' | 'rules'>
  readonly #podWaits: PodWaits
  readonly #gone: AbortSignal
  readonly #timeout: number
  readonly #deadline = new AbortController()
  readonly #waits: Promise<void>[] = []
  #late = 0

  /** `timeout`: milliseconds from `end` on. */
  constructor(deps: Pick<ApiDeps, 'clock' | 'rules'>, podWaits: PodWaits, ctx: ApiContext, timeout: number) {
    this.#deps = deps
    this.#timeout = timeout
    this.#podWaits = podWaits
    this.#gone = whenGone(ctx)
  }

  /** Starts to wait for the pods of `written`, and puts the outcome into `item`. */
  add(item: BulkItem, written: Workload): void {
    const wait = this.#follow(item, written)
    // `end` throws earlier errors
    wait.catch(() => undefined)
    this.#waits.push(wait)
  }

  /** Resolves once all pods have followed, or when the time is up; returns of how many workloads they have not. */
  async end(): Promise<number> {
    const timer = setTimeout(() => this.#deadline.abort(), this.#timeout)
    try {
      await Promise.all(this.#waits)
      return this.#late
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits no more. */
  stop(): void {
    this.#deadline.abort()
  }

  async #follow(item: BulkItem, written: Workload): Promise<void> {
    const signal = AbortSignal.any([this.#gone, this.#deadline.signal])
    const { clock, rules } = this.#deps
    try {
      const before = statusRecord(written, clock(), rules)
      const outcome = statusRecord(await this.#podWaits.followed(written, ENDLESS, signal), clock(), rules)
      item.message += sinceThen(before, outcome)
      item.operation_in_progress = outcome.operation_in_progress
      if (outcome.operation_in_progress) this.#late += 1
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      item.message += `; by now ${error.message}`
      item.operation_in_progress = false
    }
  }
}
