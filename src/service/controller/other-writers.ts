import { LRUCache } from 'lru-cache'
import { systemMonotonic } from '../../process/clock.ts'
import { contradictionOf } from '../../domain/deciding/other-writer.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import type { ControllerPorts } from './ports.ts'

/** This many times within ten minutes is no accident. */
const TIMES = 3
const WINDOW_MS = 10 * 60_000
/** How many workloads are remembered. */
const MOST = 5000

const TWO_TOOLS = 'If that is a tool, two tools decide about this workload: exclude it in one of them'

type Ports = Pick<ControllerPorts, 'clock' | 'evaluations' | 'logger' | 'monotonic' | 'recorder'>

/**
 * Warns by an Event about another writer that contradicts our decisions: at once about a tool, after repeated scaling
 * about a person. The recorder counts equal Events as one.
 */
export class OtherWriters {
  readonly #ports: Ports
  readonly #rules: Rules
  /** By uid: when a person scaled it against the decision; monotonic, oldest first. */
  readonly #byHand = new LRUCache<string, number[]>({ max: MOST })

  constructor(ports: Ports, rules: Rules) {
    this.#ports = ports
    this.#rules = rules
  }

  /** Examines the change between two copies. */
  changed(before: Workload, after: Workload): void {
    const { clock, evaluations } = this.#ports
    const evaluated = (copy: Workload) => evaluations.of(copy)
    const found = contradictionOf(before, after, evaluated, clock(), this.#rules)
    if (!found) return
    if (!found.byHand) return this.#warn(after, `It was ${found.text}. ${TWO_TOOLS}`)
    const times = recent(this.#byHand.get(after.uid) ?? [], this.#now())
    this.#byHand.set(after.uid, times)
    if (times.length >= TIMES)
      this.#warn(after, `It was ${found.text}, ${TIMES} times within 10 min. ${TWO_TOOLS}`)
  }

  forget({ uid }: Workload): void {
    this.#byHand.delete(uid)
  }

  clear(): void {
    this.#byHand.clear()
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

/** The times of the last ten minutes, and now; at most `TIMES`. */
function recent(times: readonly number[], now: number): number[] {
  return [...times.filter((each) => each > now - WINDOW_MS), now].slice(-TIMES)
}
