import type { Workload, WorkloadKey } from '../../../domain/workload/workload.ts'
import type { ApiDeps } from '../ports.ts'
import { ChangeLog } from './change-log.ts'
import { ListedRecords } from './listed-records.ts'

/** Shared by all streams of lists while there are any: the log of changes, and the records. */
export interface Shared {
  readonly log: ChangeLog
  readonly records: ListedRecords
  /** Resolves at the next change, after `timeout` ms, or when aborted. */
  changed(timeout: number, signal: AbortSignal): Promise<void>
}

/** Listens for changes of records while a list is watched; without streams a change costs nothing. */
export class WatchedWorkloads {
  readonly #deps: Pick<ApiDeps, 'workloads' | 'rules' | 'clock'>
  #shared: (Shared & { readonly tell: () => void }) | undefined
  #streams = 0

  constructor(deps: Pick<ApiDeps, 'workloads' | 'rules' | 'clock'>) {
    this.#deps = deps
    const told = (before: Workload | undefined, after: Workload | undefined) => {
      if (!this.#shared) return
      if (after) this.#shared.records.changed(after)
      const key = after ?? before
      if (key) this.#changed(key)
    }
    deps.workloads.onChange(told)
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

  #changed(key: WorkloadKey): void {
    this.#shared?.log.add(key)
    this.#shared?.tell()
  }

  #begin(): Shared & { tell: () => void } {
    const { workloads, rules, clock } = this.#deps
    const waiting = new Set<() => void>()
    return {
      log: new ChangeLog((key) => workloads.get(key) !== undefined),
      records: new ListedRecords({ rules, clock }),
      tell() {
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
