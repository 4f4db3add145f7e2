import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, Instant, Monotonic } from '../../src/process/clock.ts'
import type { Later } from '../../src/process/clock.ts'

interface Alarm {
  readonly callback: () => void
  readonly at: number
}

/** A time that the test advances: a clock that can jump, and timeouts independent of it. */
export class FakeTime {
  readonly #alarms = new Set<Alarm>()
  /** How long each timeout was armed for, in order. */
  readonly sleeps: number[] = []
  #elapsed = 0
  #offset: number

  constructor(start: Instant) {
    this.#offset = start
  }

  readonly clock: Clock = () => this.#elapsed + this.#offset

  readonly monotonic: Monotonic = () => this.#elapsed

  readonly later: Later = (callback, milliseconds) => {
    const alarm = { callback, at: this.#elapsed + milliseconds }
    this.sleeps.push(milliseconds)
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  get armed(): number {
    return this.#alarms.size
  }

  /** The clock is set; nothing else happens. */
  jump(milliseconds: number): void {
    this.#offset += milliseconds
  }

  /** Calls every timeout on the way at its instant, and awaits its effects. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#elapsed = Math.max(this.#elapsed, next.at)
      this.#alarms.delete(next)
      next.callback()
      await settled()
    }
    this.#elapsed = end
    await settled()
  }

  /** Passes on to the next timeout, and calls all that are due by then; awaits nothing of what they do. */
  passToNext(): void {
    this.#elapsed = Math.max(this.#elapsed, this.#next()?.at ?? this.#elapsed)
    for (const alarm of this.#alarms) {
      if (alarm.at > this.#elapsed) continue
      this.#alarms.delete(alarm)
      alarm.callback()
    }
  }

  async passTo(instant: Instant): Promise<void> {
    await this.pass(instant - this.clock())
  }

  #next(): Alarm | undefined {
    return [...this.#alarms].reduce<Alarm | undefined>(
      (first, alarm) => (first && first.at <= alarm.at ? first : alarm),
      undefined,
    )
  }
}

/** Until everything that needs neither time nor I/O has ended. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}
