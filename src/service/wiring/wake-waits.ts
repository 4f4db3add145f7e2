import type { Instant } from '../process/clock.ts'
import type { Decision } from '../../domain/deciding/decision.ts'
import { planStep } from '../../domain/deciding/operation.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { memberOf, wakeOrderOf, wakingEdge } from '../../domain/deciding/wake-order.ts'
import { waitIn, type WakeWait, type WaveMember } from '../../domain/deciding/wake-wait.ts'
import type { Workload } from '../../domain/workload/workload.ts'

/** Milliseconds for which what is known of a wave is used again: a list asks once for each workload. */
const KEPT = 1000

/**
 * What a wake waits for by its order, for whoever asks, on any replica: the controller alone carries the order out, and
 * only on the leader. All of it follows from the workloads.
 */
export class WakeWaits {
  readonly #workloadsOf: (namespace: string) => Iterable<Workload>
  readonly #rules: Rules
  /** Milliseconds. */
  readonly #timeout: number
  #readAt = 0
  /** By namespace and edge. */
  readonly #waves = new Map<string, readonly WaveMember[]>()

  constructor(workloadsOf: (namespace: string) => Iterable<Workload>, rules: Rules, timeout: number) {
    this.#workloadsOf = workloadsOf
    this.#rules = rules
    this.#timeout = timeout
  }

  of(workload: Workload, decision: Decision, now: Instant): WakeWait | undefined {
    const edge = wakingEdge(workload, decision)
    // Past ten timeouts nobody waits any more.
    if (edge === undefined || now >= edge + 10 * this.#timeout) return undefined
    const members = this.#membersOf(workload.namespace, edge, now)
    return waitIn({ edge, members, timeout: this.#timeout }, wakeOrderOf(workload), now)
  }

  #membersOf(namespace: string, edge: Instant, now: Instant): readonly WaveMember[] {
    if (Math.abs(now - this.#readAt) > KEPT) {
      this.#waves.clear()
      this.#readAt = now
    }
    const key = `${namespace}/${edge}`
    const members = this.#waves.get(key) ?? this.#read(namespace, edge, now)
    this.#waves.set(key, members)
    return members
  }

  #read(namespace: string, edge: Instant, now: Instant): readonly WaveMember[] {
    const workloads = [...this.#workloadsOf(namespace)]
    if (!workloads.some(({ annotations }) => annotations.wakeOrder)) return []
    return workloads
      .map((each) => memberOf(each, edge, planStep(each, now, this.#rules).decision))
      .filter((member) => member !== undefined)
  }
}
