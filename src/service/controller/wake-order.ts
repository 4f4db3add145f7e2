import type { Clock, Instant } from '../process/clock.ts'
import { isCredible } from '../../domain/deciding/decision-time.ts'
import type { Decision } from '../../domain/deciding/decision.ts'
import { memberOf, wakeOrderOf, wakingEdge } from '../../domain/deciding/wake-order.ts'
import { waitIn, type WaveMember } from '../../domain/deciding/wake-wait.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'

interface WakeOrderPorts {
  readonly workloads: { list(namespace?: string): Iterable<Workload> }
  readonly clock: Clock
  /** What would be done about a workload now. */
  readonly decide: (workload: Workload) => Decision
  /** These wait no longer for some number: they are to be evaluated. */
  readonly release: (keys: readonly string[]) => void
}

/** What one edge wakes in one namespace. */
interface Wave {
  readonly edge: Instant
  readonly members: Map<string, WaveMember>
  /** The numbers of those that wait. */
  readonly waiting: Map<string, number>
}

/**
 * At an edge that wakes, a workload waits until those of its namespace that the same edge wakes and whose
 * `dormouse.dev/wake-order` is lower are ready. It waits no longer than the edge and so many timeouts as there are lower
 * numbers. All of it follows from the workloads, so a new leader goes on in the middle of a wave.
 */
export class WakeOrder {
  readonly #ports: WakeOrderPorts
  /** Milliseconds. */
  readonly #timeout: number
  /** The numbers of those that name one, by namespace: where nobody names any, nothing else is kept or computed. */
  readonly #named = new Map<string, Map<string, number>>()
  readonly #waves = new Map<string, Wave[]>()

  constructor(ports: WakeOrderPorts, timeout: number) {
    this.#ports = ports
    this.#timeout = timeout
  }

  /** Learns which namespaces have an order, before anything is evaluated. */
  open(): void {
    for (const workload of this.#ports.workloads.list()) this.#name(workload)
  }

  /** Until when a decision waits; undefined: it may be carried out now. */
  waitsUntil(workload: Workload, decision: Decision): Instant | undefined {
    const edge = wakingEdge(workload, decision)
    const named = this.#named.get(workload.namespace)
    if (edge === undefined || !named) return undefined
    const now = this.#ports.clock()
    const order = wakeOrderOf(workload)
    const wave = this.#waveOf(workload.namespace, edge, now)
    const key = keyOf(workload)
    wave.members.set(key, { order, pending: true })
    const members = wave.members.values()
    const wait = waitIn({ edge, members, timeout: this.#timeout }, order, now)
    if (wait) wave.waiting.set(key, order)
    return wait?.until
  }

  /** How many workloads wait. */
  get waiting(): number {
    let sum = 0
    for (const waves of this.#waves.values()) for (const wave of waves) sum += wave.waiting.size
    return sum
  }

  /** How many waves it remembers, and of how many namespaces. */
  get size(): { namespaces: number; waves: number } {
    return { namespaces: this.#waves.size, waves: [...this.#waves.values()].flat().length }
  }

  /** To be called at each evaluation, before `waitsUntil`; `decision` undefined: nothing is to be done about it. */
  evaluated(workload: Workload, decision: Decision | undefined): void {
    this.#name(workload)
    const key = keyOf(workload)
    this.#forgetWrong(workload.namespace)
    for (const wave of this.#waves.get(workload.namespace) ?? []) {
      // `waitsUntil` says whether it still does.
      wave.waiting.delete(key)
      const member = memberOf(workload, wave.edge, decision)
      if (member) this.#set(wave, key, member)
      else if (wave.members.has(key)) this.#remove(wave, key)
    }
  }

  /** Waves of a clock that was ahead: those that it had woken sleep again, and the edge is still to come. */
  #forgetWrong(namespace: string): void {
    const waves = this.#waves.get(namespace)
    if (!waves) return
    const now = this.#ports.clock()
    const credible = waves.filter(({ edge }) => isCredible(edge, now))
    if (credible.length < waves.length) this.#waves.set(namespace, credible)
  }

  /** The workload no longer exists. */
  drop(workload: Workload): void {
    const { namespace } = workload
    const key = keyOf(workload)
    const named = this.#named.get(namespace)
    named?.delete(key)
    if (named?.size === 0) this.#named.delete(namespace)
    for (const wave of this.#waves.get(namespace) ?? []) this.#remove(wave, key)
    if (this.#waves.get(namespace)?.every(({ members }) => members.size === 0)) this.#waves.delete(namespace)
  }

  clear(): void {
    this.#named.clear()
    this.#waves.clear()
  }

  #name(workload: Workload): void {
    const { namespace, annotations } = workload
    const named = this.#named.get(namespace)
    if (annotations.wakeOrder) {
      const all = named ?? new Map<string, number>()
      all.set(keyOf(workload), wakeOrderOf(workload))
      this.#named.set(namespace, all)
    } else if (named?.delete(keyOf(workload)) && named.size === 0) this.#named.delete(namespace)
  }

  #waveOf(namespace: string, edge: Instant, now: Instant): Wave {
    // Past ten timeouts nobody waits any more.
    const waves = (this.#waves.get(namespace) ?? []).filter((each) => now < each.edge + 10 * this.#timeout)
    const known = waves.find((each) => each.edge === edge)
    const wave = known ?? { edge, members: new Map<string, WaveMember>(), waiting: new Map<string, number>() }
    if (!known) waves.push(wave)
    this.#waves.set(namespace, waves)
    if (!known) this.#fill(wave, namespace)
    return wave
  }

  #fill(wave: Wave, namespace: string): void {
    for (const each of this.#ports.workloads.list(namespace)) {
      if (each.namespace !== namespace) continue
      this.#name(each)
      const member = memberOf(each, wave.edge, this.#ports.decide(each))
      if (member) wave.members.set(keyOf(each), member)
    }
  }

  #set(wave: Wave, key: string, member: WaveMember): void {
    const before = wave.members.get(key)
    wave.members.set(key, member)
    if (before?.pending && (!member.pending || member.order !== before.order))
      this.#release(wave, before.order)
  }

  #remove(wave: Wave, key: string): void {
    const member = wave.members.get(key)
    wave.waiting.delete(key)
    if (!wave.members.delete(key) || !member?.pending) return
    this.#release(wave, member.order)
  }

  /** Lets those evaluate anew that wait for a number of which nothing is pending any more. */
  #release(wave: Wave, order: number): void {
    for (const member of wave.members.values()) if (member.pending && member.order === order) return
    const keys = [...wave.waiting].filter(([, waits]) => waits > order).map(([key]) => key)
    if (keys.length > 0) this.#ports.release(keys)
  }
}
