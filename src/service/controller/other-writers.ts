import { LRUCache } from 'lru-cache'
import { systemMonotonic } from '../process/clock.ts'
import { automaticOperation, contradictionOf, isSameOperation } from '../../domain/deciding/other-writer.ts'
import { stateOf } from '../../domain/workload/reading.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { EMPTY_STATE, type Operation } from '../../domain/workload/state.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { ControllerPorts } from './ports.ts'

/** So often within ten minutes is no accident. */
const TIMES = 3
const WINDOW_MS = 10 * 60_000
/** How many workloads are remembered. */
const MOST = 5000
/** Milliseconds in which the last writes of the former leader still arrive. */
const SUCCESSION_MS = 10_000
/** Of how many workloads it is told within ten minutes that another Dormouse acts: it may act on all. */
const MOST_TOLD = 10

const TWO_TOOLS = 'If that is a tool, two tools decide about this workload: exclude it in one of them'
const TWO_DORMOUSES =
  'Two installations decide about this workload: `kubectl get leases -A` shows where a second Dormouse runs'

type Ports = Pick<ControllerPorts, 'clock' | 'logger' | 'monotonic' | 'recorder'>

/**
 * Warns people of another writer that decides about a workload, too: by an Event that names it. A tool is told of at once,
 * a hand that scales and another Dormouse when they do so again; the recorder counts equal Events as one.
 */
export class OtherWriters {
  readonly #ports: Ports
  readonly #rules: Rules
  /** By uid: when it was scaled by hand against what was decided; monotonic, oldest first. */
  readonly #byHand = new LRUCache<string, number[]>({ max: MOST })
  /** By uid: the operation that this controller wrote last, or tried to. */
  readonly #own = new LRUCache<string, Operation>({ max: MOST })
  /** When another Dormouse was seen to act, and when that was told. */
  #ofDormouse: number[] = []
  #told: number[] = []
  #since = 0

  constructor(ports: Ports, rules: Rules) {
    this.#ports = ports
    this.#rules = rules
  }

  /** This controller begins to act. */
  start(): void {
    this.#since = this.#now()
  }

  /** This controller is about to write an operation. */
  writes({ uid }: Workload, operation: Operation | undefined): void {
    if (operation) this.#own.set(uid, operation)
  }

  /** Looks at what came between two copies. */
  changed(before: Workload, after: Workload): void {
    if (before.annotations.state !== after.annotations.state) return this.#ofController(before, after)
    const found = contradictionOf(before, after, this.#ports.clock(), this.#rules)
    if (!found) return
    if (!found.byHand) return this.#warn(after, `It was ${found.text}. ${TWO_TOOLS}`)
    const times = recent(this.#byHand.get(after.uid) ?? [], this.#now())
    this.#byHand.set(after.uid, times)
    if (times.length >= TIMES)
      this.#warn(after, `It was ${found.text}, ${TIMES} times within 10 min. ${TWO_TOOLS}`)
  }

  forget({ uid }: Workload): void {
    this.#byHand.delete(uid)
    this.#own.delete(uid)
  }

  clear(): void {
    this.#byHand.clear()
    this.#own.clear()
    this.#ofDormouse = []
    this.#told = []
  }

  #ofController(before: Workload, after: Workload): void {
    const then = before.annotations.state === undefined ? EMPTY_STATE : stateOf(before)
    const now = stateOf(after)
    const operation = then && now && automaticOperation(then, now)
    if (!operation || isSameOperation(operation, this.#own.get(after.uid))) return
    const at = this.#now()
    if (at < this.#since + SUCCESSION_MS) return
    this.#ofDormouse = recent(this.#ofDormouse, at)
    if (this.#ofDormouse.length < TIMES) return
    const told = recent(this.#told, at)
    if (told.length > MOST_TOLD) return
    this.#told = told
    const what = operation.type === 'wake' ? 'woken' : 'put to sleep'
    this.#warn(after, `It was ${what} by another Dormouse. ${TWO_DORMOUSES}`)
  }

  #warn(workload: Workload, message: string): void {
    const { logger, recorder } = this.#ports
    logger.warn({ workload: keyOf(workload) }, message)
    recorder.record(workload, 'Warning', 'OtherWriter', message)
  }

  #now(): number {
    const { monotonic = systemMonotonic } = this.#ports
    return monotonic()
  }
}

/** The times of the last ten minutes, and now: as many as anybody asks for. */
function recent(times: readonly number[], now: number): number[] {
  return [...times.filter((each) => each > now - WINDOW_MS), now].slice(-MOST_TOLD - 1)
}
