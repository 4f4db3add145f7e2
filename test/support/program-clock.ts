import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds that timers sleep at most in a program whose clock is moved, instead of a minute. */
const NAP = 500

/** The clock of a program that this process starts with `preload`; it can be moved while the program runs. */
export class ProgramClock {
  /** The module that the program is to load first. */
  readonly preload: string
  readonly #directory = mkdtempSync(join(tmpdir(), 'dormouse-clock-'))
  readonly #file: number
  #offset = 0

  /** `nap`: how long its timers sleep at most, in milliseconds; null: as long as they do, which is a minute. */
  constructor({ offset = 0, nap = NAP }: { offset?: number; nap?: number | null } = {}) {
    const path = join(this.#directory, 'offset')
    this.#file = openSync(path, 'w')
    this.moveTo(offset)
    const module = new URL('./moved-date.ts', import.meta.url)
    module.searchParams.set('offset', path)
    if (nap !== null) module.searchParams.set('nap', String(nap))
    this.preload = module.href
  }

  /** Milliseconds by which it is ahead of this process. */
  get offset(): number {
    return this.#offset
  }

  /** The program's time in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#offset
  }

  /** Sets it: it is so many milliseconds ahead of this process from now on. */
  moveTo(offset: number): void {
    this.#offset = offset
    writeSync(this.#file, new BigInt64Array([BigInt(offset)]), 0, 8, 0)
  }

  /** To be called when the program has ended. */
  remove(): void {
    closeSync(this.#file)
    rmSync(this.#directory, { recursive: true })
  }
}
