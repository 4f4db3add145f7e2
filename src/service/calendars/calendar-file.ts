import { open, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Clock, Instant } from '../../process/clock.ts'
import { messageOf } from '../../process/errors.ts'
import type { Logger } from '../../process/logger.ts'
import type { EventFilter, Expander, ReadEvents } from './ports.ts'

const DAY = 24 * 60 * 60_000
/** The size limit of a ConfigMap. */
const MAX_BYTES = 1024 * 1024
/** Days before and after today that are read: a search for an edge reaches a year. A file is read again every month. */
const BACK = 400 * DAY
const AHEAD = 800 * DAY
const READ_AGAIN = 30 * DAY
/**
 * Milliseconds until a file that could not be read is tried again though it has not changed, doubled each time: a thread
 * may have been too slow on a busy machine, a right or a mount may have been missing.
 */
const RETRY = { first: 60_000, longest: 60 * 60_000 }

const STILL = 'a calendar file cannot be read; what it said before still counts'
const NEVER = 'a calendar file cannot be read, so nothing is automatic for workloads whose calendars need it'

export interface CalendarFileOptions {
  readonly calendar: string
  readonly file: string
  /** Chooses the events that count. */
  readonly filter: EventFilter
  readonly expander: Expander
  readonly clock: Clock
  readonly logger: Logger
}

/** One file of one calendar. A file that becomes unreadable keeps what it said last. */
export class CalendarFile {
  readonly calendar: string
  readonly file: string
  readonly #options: CalendarFileOptions
  #content: ReadEvents | undefined
  #fault: string | undefined = 'it is not read yet'
  /** The file's size, inode and time at the latest attempt; undefined: there was none. */
  #version: string | undefined
  #triedAt: Instant | undefined
  /** Attempts that failed in a row. */
  #failures = 0

  constructor(options: CalendarFileOptions) {
    this.#options = options
    this.calendar = options.calendar
    this.file = options.file
  }

  /** Its events when it was read last; undefined: it was never read. */
  get content(): ReadEvents | undefined {
    return this.#content
  }

  /** Why the latest attempt to read it failed; undefined: it did not fail. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Reads the file if that is due. Resolves to whether `content` has changed, or the fault of a file never read. */
  async look(stopped: AbortSignal): Promise<boolean> {
    if (!(await this.#isDue())) return false
    try {
      return this.#succeeded(await this.#read(stopped))
    } catch (error) {
      return !stopped.aborted && this.#failed(messageOf(error))
    }
  }

  /** It is due when the file has changed, and after a time that depends on how often it could not be read. */
  async #isDue(): Promise<boolean> {
    const now = this.#options.clock()
    const version = await versionOf(this.#options.file)
    const wait =
      this.#failures === 0 ? READ_AGAIN : Math.min(RETRY.first * 2 ** (this.#failures - 1), RETRY.longest)
    // The clock may have been set back.
    const isOld = this.#triedAt === undefined || Math.abs(now - this.#triedAt) >= wait
    if (version === this.#version && !isOld) return false
    this.#version = version
    this.#triedAt = now
    return true
  }

  async #read(stopped: AbortSignal): Promise<ReadEvents> {
    const { file, filter, clock, expander } = this.#options
    const today = Math.floor(clock() / DAY) * DAY
    return await expander.expand(await textOf(file), filter, today - BACK, today + AHEAD, stopped)
  }

  #succeeded(content: ReadEvents): boolean {
    const { calendar, file, logger } = this.#options
    const isChanged = !isDeepStrictEqual(content, this.#content)
    if (isChanged || this.#fault !== undefined) {
      const { days, windows, notices } = content
      logger.info({ calendar, file, dates: days.length, windows: windows.length }, 'calendar file read')
      if (notices.length > 0) logger.warn({ calendar, file, notices }, 'not all of a calendar file counts')
    }
    this.#content = content
    this.#fault = undefined
    this.#failures = 0
    return isChanged
  }

  #failed(fault: string): boolean {
    const { calendar, file, logger } = this.#options
    const isNews = fault !== this.#fault
    if (isNews) logger.warn({ calendar, file, fault }, this.#content ? STILL : NEVER)
    this.#fault = fault
    this.#failures += 1
    return isNews && this.#content === undefined
  }
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { size, ino, mtimeMs } = await stat(file)
    return `${size} ${ino} ${mtimeMs}`
  } catch {
    return undefined
  }
}

/** @throws Error that says in words for people why it cannot be read */
async function textOf(file: string): Promise<string> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`)
  })
  try {
    const { size } = await handle.stat()
    if (size > MAX_BYTES)
      throw new Error(
        `it has ${(size / MAX_BYTES).toFixed(1)} MiB, more than the 1 MiB that is read: keep its all-day events alone`,
      )
    return await handle.readFile('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === undefined ? error : new Error(`it cannot be read (${code})`)
  } finally {
    await handle.close()
  }
}
