import { watch, type FSWatcher } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { systemLater, type Clock, type Later } from '../../process/clock.ts'
import type { Config } from '../config/config.ts'
import { calendarOf, type Calendar, type Calendars } from '../../domain/schedule/calendar.ts'
import { messageOf } from '../../process/errors.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
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
/** Several files are written one after another: look at them once nothing has changed for this long. */
const QUIET_MS = 200
/** The watch of a folder may miss changes on a network file system; looking costs a `stat` for each file. */
const LOOK_EVERY_MS = 60_000

interface CalendarsOptions {
  readonly calendars: Config['calendars']
  readonly expander: Expander
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
  /** Milliseconds that the start waits for files at most; default: until all are read. */
  readonly patience?: number
}

/** By calendar: what its files say, or why it cannot be used. */
export type CalendarSnapshot = Readonly<Record<string, FromFiles | string>>
type FromFiles = Pick<ReadEvents, 'days' | 'windows'>

/** The calendars as they were when the snapshot was made. */
export function calendarsIn(calendars: Config['calendars'], snapshot: CalendarSnapshot): Calendars {
  const known = new Map(
    Object.entries(calendars).map(([name, { dates, means }]) => {
      const read = snapshot[name] ?? NOTHING
      return [name, typeof read === 'string' ? read : calendarOf(name, dates, { ...read, means })]
    }),
  )
  return { find: (name) => known.get(name), names: [...known.keys()] }
}

const NOTHING: FromFiles = { days: [], windows: [] }

/** The state of one file of one calendar. */
interface FileState {
  readonly calendar: string
  readonly file: string
  readonly filter: EventFilter
  /** Its size, inode and time when it was last read; undefined: there was none. */
  version: string | undefined
  readAt: number
  /** Its content at the last successful read; undefined: there was none. */
  read: ReadEvents | undefined
  fault: string | undefined
  /** How often in a row it could not be read. */
  failures: number
}

/**
 * The calendars of the configuration. Reads files again when they change, also when Kubernetes swaps a whole folder by
 * a symbolic link. A file that becomes unreadable keeps its last dates; a calendar with a file that never was readable
 * cannot be used.
 */
export class ConfiguredCalendars implements Calendars, Runnable {
  readonly name = 'calendars'
  readonly names: readonly string[]
  readonly #options: CalendarsOptions
  readonly #known = new Map<string, Calendar | string>()
  /** The content of each calendar's files. */
  readonly #read = new Map<string, FromFiles>()
  readonly #files: readonly FileState[]
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #listeners: ((names: ReadonlySet<string>) => void)[] = []
  #disarm: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()
  #revision = 0
  readonly #stopped = new AbortController()

  constructor(options: CalendarsOptions) {
    const { calendars } = options
    this.#options = options
    this.names = Object.keys(calendars)
    this.#files = Object.entries(calendars).flatMap(([calendar, { files, events, means }]) =>
      files.map((file) => ({
        calendar,
        file,
        filter: { ...events, means },
        version: undefined,
        readAt: 0,
        read: undefined,
        fault: 'it is not read yet',
        failures: 0,
      })),
    )
    for (const name of this.names) this.#make(name)
  }

  find(name: string): Calendar | string | undefined {
    return this.#known.get(name)
  }

  /** Lets another thread build the same calendars, by `CalendarSnapshot`. */
  snapshot(): CalendarSnapshot {
    return Object.fromEntries(
      this.names.map((name) => {
        const known = this.#known.get(name)
        return [name, typeof known === 'string' ? known : (this.#read.get(name) ?? NOTHING)]
      }),
    )
  }

  /** Whether all files of each calendar could be read the last time. */
  *readable(): Iterable<{ name: string; readable: boolean }> {
    for (const name of this.names)
      yield { name, readable: this.#filesOf(name).every(({ fault }) => fault === undefined) }
  }

  /** The parts of a calendar's files that do not count, or were read in another way than it was written, a line each. */
  notices(name: string): string[] {
    return this.#filesOf(name).flatMap(
      ({ file, read }) => read?.notices.map((each) => `${file}: ${each}`) ?? [],
    )
  }

  #filesOf(name: string): FileState[] {
    return this.#files.filter(({ calendar }) => calendar === name)
  }

  /** The listener is called with the names of the calendars that have changed. */
  onChange(listener: (names: ReadonlySet<string>) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Resolves when all files are read, or patience has ended: a calendar cannot be used until its files are read. A file
   * that cannot be read stops its calendar alone.
   */
  async start(): Promise<void> {
    if (this.#files.length === 0) return
    const { later = systemLater, patience } = this.#options
    this.#watch()
    this.#looking = this.#look()
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const disarm = patience === undefined ? undefined : later(resolve, patience)
    await Promise.race([this.#looking, over])
    disarm?.()
    // A file may have changed before its watch began.
    this.#lookIn(QUIET_MS)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#disarm?.()
    for (const watcher of this.#watchers.values()) watcher.close()
    await this.#looking
  }

  #watch(): void {
    for (const directory of new Set(this.#files.map(({ file }) => dirname(file)))) {
      if (this.#watchers.has(directory)) continue
      try {
        const watcher = watch(directory, { persistent: false }, () => this.#lookIn(QUIET_MS))
        // The folder was removed: watch it again once it is back.
        const ended = () => {
          watcher.close()
          this.#watchers.delete(directory)
        }
        watcher.on('error', ended)
        this.#watchers.set(directory, watcher)
      } catch {
        // There is no such folder yet.
      }
    }
  }

  #lookIn(milliseconds: number): void {
    if (this.#stopped.signal.aborted) return
    const { later = systemLater } = this.#options
    this.#disarm?.()
    this.#disarm = later(() => {
      this.#disarm = undefined
      this.#looking = this.#lookAgain(this.#looking)
    }, milliseconds)
  }

  async #lookAgain(before: Promise<void>): Promise<void> {
    await before
    this.#watch()
    await this.#look()
    // Something that changed meanwhile is looked at sooner.
    if (!this.#disarm) this.#lookIn(LOOK_EVERY_MS)
  }

  async #look(): Promise<void> {
    const changed = new Set<string>()
    for (const state of this.#files) if (await this.#isOther(state)) changed.add(state.calendar)
    if (changed.size === 0 || this.#stopped.signal.aborted) return
    this.#revision += 1
    const others = new Set([...changed].filter((name) => this.#make(name)))
    if (others.size > 0) this.#tell(others)
  }

  /** A listener that throws disturbs neither the others nor later changes. */
  #tell(names: ReadonlySet<string>): void {
    for (const listener of this.#listeners) {
      try {
        listener(names)
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the calendars failed')
      }
    }
  }

  /** Whether anything was read, or could not be read, otherwise than before. */
  async #isOther(state: FileState): Promise<boolean> {
    const { clock, expander, logger } = this.#options
    const { calendar, file, filter } = state
    const now = clock()
    const version = await versionOf(file)
    const old = Math.abs(now - state.readAt) >= lifeOf(state)
    if (state.readAt !== 0 && version === state.version && !old) return false
    state.version = version
    state.readAt = now
    const today = Math.floor(now / DAY) * DAY
    try {
      const text = await readText(file)
      const read = await expander.expand(text, filter, today - BACK, today + AHEAD, this.#stopped.signal)
      const same = state.fault === undefined && state.read && isDeepStrictEqual(state.read, read)
      state.read = read
      state.fault = undefined
      state.failures = 0
      if (!same) this.#tellRead(calendar, file, read)
      return !same
    } catch (error) {
      if (this.#stopped.signal.aborted) return false
      const fault = messageOf(error)
      if (fault !== state.fault) logger.warn({ calendar, file, fault }, state.read ? STILL : NEVER)
      const news = fault !== state.fault
      state.fault = fault
      state.failures += 1
      return news
    }
  }

  #tellRead(calendar: string, file: string, { days, windows, notices }: ReadEvents): void {
    const { logger } = this.#options
    const found = { calendar, file, dates: days.length, windows: windows.length }
    logger.info(found, 'calendar file read')
    if (notices.length > 0) logger.warn({ calendar, file, notices }, 'not all of a calendar file counts')
  }

  /** Whether it differs from the former one. */
  #make(name: string): boolean {
    const { dates = {}, means = 'asleep' } = this.#options.calendars[name] ?? {}
    const files = this.#filesOf(name)
    const unread = files.find(({ read }) => read === undefined)
    const before = this.#known.get(name)
    if (unread) {
      const fault = `${unread.file}: ${unread.fault}`
      this.#known.set(name, fault)
      return before !== fault
    }
    const read = {
      days: files.flatMap(({ read: each }) => each?.days ?? []),
      windows: files.flatMap(({ read: each }) => each?.windows ?? []),
    }
    const known = this.#read.get(name)
    if (known && typeof before === 'object' && isDeepStrictEqual(known, read)) return false
    this.#read.set(name, read)
    this.#known.set(name, calendarOf(name, dates, { ...read, means, revision: this.#revision }))
    return true
  }
}

const STILL = 'a calendar file cannot be read; what it said before still counts'
const NEVER = 'a calendar file cannot be read, so nothing is automatic for workloads whose calendars need it'

/** Milliseconds for which the dates of an unchanged file are used. */
function lifeOf({ failures }: FileState): number {
  return failures === 0 ? READ_AGAIN : Math.min(RETRY.first * 2 ** (failures - 1), RETRY.longest)
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { size, ino, mtimeMs } = await stat(file)
    return `${size} ${ino} ${mtimeMs}`
  } catch {
    return undefined
  }
}

async function readText(file: string): Promise<string> {
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
