import type { Clock, Instant } from '../../process/clock.ts'
import { isCredible } from '../../domain/deciding/decision-time.ts'
import type { Decision } from '../../domain/deciding/decision.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import {
  hasOrder,
  isSameEdge,
  memberOf,
  moveBy,
  movingEdge,
  orderOf,
  waitIn,
  type OrderWait,
  type WaveMember,
} from '../../domain/deciding/order.ts'
import type { Edge } from '../../domain/schedule/schedule.ts'
import type { OperationType } from '../../domain/workload/trigger.ts'
import { keyOf, parseKey, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Evaluations } from './evaluations.ts'

interface OrderWaitsPorts {
  readonly workloads: {
    get(key: WorkloadKey): Workload | undefined
    list(namespace: string): Iterable<Workload>
  }
  readonly evaluations: Pick<Evaluations, 'of'>
  readonly clock: Clock
  /** These workloads need not wait for lower numbers any longer: decide on them again. */
  readonly released: (keys: readonly WorkloadKey[]) => void
}

/** The workloads of one namespace that one edge moves. */
interface Wave {
  readonly edge: Edge
  /** undefined: nobody there names a number. */
  readonly members: Map<string, WaveMember> | undefined
  /** By key: the number of each workload that waits. */
  readonly waiting: Map<string, number>
  /** By number: the wait of its members, valid until a member changes, and since when it is known. */
  readonly known: Map<number, { readonly at: Instant; readonly wait: OrderWait | undefined }>
}

/** Past so many timeouts nobody waits any more: there are no more lower numbers. */
const LONGEST = 10

/**
 * At an edge a workload waits until the workloads of its namespace that the same edge moves, and that have a lower
 * `dormouse.dev/wake-order` or `sleep-order`, are ready or asleep. This follows from the workloads alone, so all replicas agree, and a new leader
 * continues a wave.
 */
export class OrderWaits {
  readonly #ports: OrderWaitsPorts
  /** Milliseconds that is waited at most for each lower number. */
  readonly #timeout: number
  /** By namespace. */
  readonly #waves = new Map<string, Wave[]>()

  constructor(ports: OrderWaitsPorts, timeout: number) {
    this.#ports = ports
    this.#timeout = timeout
  }

  /** The wait for this decision about a workload; undefined: none. */
  of(workload: Workload, decision: Decision, now: Instant): OrderWait | undefined {
    const edge = movingEdge(workload, decision)
    if (edge === undefined || this.#isOver(edge, now)) return undefined
    const wave = this.#waveOf(workload.namespace, edge, now)
    const order = orderOf(workload, edge.to)
    const wait = this.#waitIn(wave, order, now)
    if (this.#ports.workloads.get(workload) !== workload) return wait
    if (wait) wave.waiting.set(keyOf(workload), order)
    else wave.waiting.delete(keyOf(workload))
    return wait
  }

  /** How many workloads wait for such a move, unchanged since. */
  waiting(type: OperationType): number {
    const waves = [...this.#waves.values()].flat().filter(({ edge }) => moveBy(edge) === type)
    return waves.reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  /** To be called for every change that the informer sees, before anybody asks about that copy. */
  changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    const waves = workload && this.#waves.get(workload.namespace)
    if (!waves || (before && after && before !== after && !isRelevant(before, after))) return
    if (after) this.#beginOrdered(after, waves)
    const now = this.#ports.clock()
    const key = keyOf(workload)
    for (const wave of waves) {
      wave.waiting.delete(key)
      if (wave.members && replace(wave.members, key, after && this.#memberOf(after, wave.edge)))
        this.#release(wave, now)
    }
  }

  #isOver({ at }: Edge, now: Instant): boolean {
    return now >= at + LONGEST * this.#timeout
  }

  /** Drops the waves in which it is the first that names a number: they are read again when needed. */
  #beginOrdered(workload: Workload, waves: readonly Wave[]): void {
    const ordered = waves.filter(({ members, edge }) => members ?? !hasOrder(workload, edge.to))
    if (ordered.length < waves.length) this.#waves.set(workload.namespace, ordered)
  }

  #waveOf(namespace: string, edge: Edge, now: Instant): Wave {
    const known = this.#waves.get(namespace)?.find((wave) => isSameEdge(wave.edge, edge))
    if (known) return known
    this.#forget(now)
    const members = this.#read(namespace, edge)
    const wave = { edge, members, waiting: new Map<string, number>(), known: new Map() }
    this.#waves.set(namespace, [...(this.#waves.get(namespace) ?? []), wave])
    return wave
  }

  /** Drops waves that are over, and those of a clock that was ahead: their edge is still to come. */
  #forget(now: Instant): void {
    for (const [namespace, waves] of this.#waves) {
      const kept = waves.filter(({ edge }) => !this.#isOver(edge, now) && isCredible(edge.at, now))
      if (kept.length > 0) this.#waves.set(namespace, kept)
      else this.#waves.delete(namespace)
    }
  }

  #read(namespace: string, edge: Edge): Wave['members'] {
    const workloads = [...this.#ports.workloads.list(namespace)]
    if (!workloads.some((each) => hasOrder(each, edge.to))) return undefined
    const members = new Map<string, WaveMember>()
    for (const each of workloads) replace(members, keyOf(each), this.#memberOf(each, edge))
    return members
  }

  #memberOf(workload: Workload, edge: Edge): WaveMember | undefined {
    const wave = { edge, timeout: this.#timeout }
    const { reading, step } = this.#ports.evaluations.of(workload)
    const state = reading instanceof Unreadable ? undefined : reading.written
    return memberOf(workload, wave, state, step.decision)
  }

  #waitIn({ edge, members, known }: Wave, order: number, now: Instant): OrderWait | undefined {
    if (!members) return undefined
    const before = known.get(order)
    if (before && now >= before.at && (!before.wait || now < before.wait.until)) return before.wait
    const wait = waitIn({ edge, members: members.values(), timeout: this.#timeout }, order, now)
    known.set(order, { at: now, wait })
    return wait
  }

  /** A member changed: releases the workloads that have no lower number left to wait for. */
  #release(wave: Wave, now: Instant): void {
    wave.known.clear()
    const free = [...wave.waiting].filter(([, order]) => !this.#waitIn(wave, order, now))
    for (const [key] of free) wave.waiting.delete(key)
    if (free.length > 0) this.#ports.released(free.map(([key]) => parseKey(key)))
  }
}

/** Returns whether that changes anything for the others. */
function replace(members: Map<string, WaveMember>, key: string, after: WaveMember | undefined): boolean {
  const before = members.get(key)
  if (after) members.set(key, after)
  else members.delete(key)
  return before?.order !== after?.order || before?.pending !== after?.pending
}
