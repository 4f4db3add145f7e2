import type { WatchedWorkloads, Writer } from '../../src/kubernetes/ports.ts'
import { changed, type Change } from '../../src/domain/workload/change.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../src/domain/workload/workload.ts'

type Listener = Parameters<WatchedWorkloads['onChange']>[0]

/** An informer and a writer that cost next to nothing, so that the figures are the controller's own. */
export class Copies implements WatchedWorkloads, Writer {
  writes = 0
  /** Before a write is answered. */
  delay: () => Promise<void> = () => Promise.resolve()
  readonly #copies = new Map<string, Workload>()
  readonly #listeners: Listener[] = []
  #version = 1000

  get(key: WorkloadKey): Workload | undefined {
    return this.#copies.get(keyOf(key))
  }

  list(): Iterable<Workload> {
    return this.#copies.values()
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener)
  }

  isConnected(): boolean {
    return true
  }

  onRestored(): void {}

  onConnection(): void {}

  /** Something beside these that decides on them has changed: their copies are told again. */
  inputsChanged(keys: Iterable<WorkloadKey>): void {
    for (const key of keys) {
      const copy = this.get(key)
      if (copy) for (const listener of this.#listeners) listener(copy, copy)
    }
  }

  put(workload: Workload): Workload {
    const before = this.get(workload)
    const after = { ...workload, resourceVersion: String(++this.#version) }
    this.#copies.set(keyOf(workload), after)
    for (const listener of this.#listeners) listener(before, after)
    return after
  }

  async write<P extends { change: Change | undefined }>(key: WorkloadKey, plan: (workload: Workload) => P) {
    const copy = this.get(key)
    if (!copy) throw new TypeError(`there is no ${keyOf(key)}`)
    const planned = plan(copy)
    if (!planned.change) return { plan: planned, workload: copy, wrote: false }
    await this.delay()
    this.writes++
    return { plan: planned, workload: this.put(changed(copy, planned.change)), wrote: true }
  }
}
