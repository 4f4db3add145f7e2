import { listedRecord } from '../../../domain/records/record.ts'
import type { Workload } from '../../../domain/workload/workload.ts'
import type { Instant } from '../../../process/clock.ts'
import type { ApiDeps } from '../ports.ts'
import { ChangeLog } from './change-log.ts'

/** Milliseconds for which a record is reused: one change goes to many streams. */
const FRESH = 1000

/** A record as JSON. */
interface Made {
  readonly text: string
  readonly at: Instant
}

/** Shared by all streams of lists while there are any: the log of changes, and the records. */
export interface Shared {
  readonly log: ChangeLog
  /** The workload's record as JSON, made once for all streams. */
  textOf(workload: Workload): string
  /** Resolves at the next change, after `timeout` ms, or when aborted. */
  changed(timeout: number, signal: AbortSignal): Promise<void>
}

interface Told extends Shared {
  /** `after` undefined: it was deleted. */
  tell(before: Workload | undefined, after: Workload | undefined): void
}

/** Listens for changes of records while a list is watched; without streams a change costs nothing. */
export class WatchedWorkloads {
  readonly #deps: Pick<ApiDeps, 'workloads' | 'rules' | 'clock'>
  #shared: Told | undefined
  #streams = 0

  constructor(deps: Pick<ApiDeps, 'workloads' | 'rules' | 'clock'>) {
    this.#deps = deps
    deps.workloads.onChange((before, after) => this.#shared?.tell(before, after))
  }

  /** Call `leave` once the stream has ended. */
  join(): Shared {
    this.#streams += 1
    return (this.#shared ??= this.#begin())
  }

  leave(): void {
    this.#streams -= 1
    if (this.#streams === 0) this.close()
  }

  close(): void {
    this.#shared = undefined
  }

  #begin(): Told {
    const { workloads, rules, clock } = this.#deps
    const log = new ChangeLog((key) => workloads.get(key) !== undefined)
    const made = new WeakMap<Workload, Made>()
    const waiting = new Set<() => void>()
    return {
      log,
      textOf(workload) {
        const now = clock()
        const known = made.get(workload)
        if (known && known.at <= now && now < known.at + FRESH) return known.text
        const text = JSON.stringify(listedRecord(workload, now, rules))
        made.set(workload, { text, at: now })
        return text
      },
      tell(before, after) {
        const workload = after ?? before
        if (!workload) return
        // An input of its decision may have changed, and the workload itself not.
        made.delete(workload)
        log.add(workload)
        for (const wake of waiting) wake()
      },
      async changed(timeout, signal) {
        if (signal.aborted) return
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, timeout)
        const stop = () => resolve()
        waiting.add(resolve)
        signal.addEventListener('abort', stop)
        await promise
        clearTimeout(timer)
        waiting.delete(resolve)
        signal.removeEventListener('abort', stop)
      },
    }
  }
}
