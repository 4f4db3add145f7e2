import { systemLater, type Clock, type Later } from '../../process/clock.ts'
import type { Config } from '../config/config.ts'
import { calendarOf, type Calendar, type Calendars } from '../../domain/schedule/calendar.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { CalendarFile } from './calendar-file.ts'
import { FolderWatches } from './folder-watches.ts'
import type { Expander, ReadEvents } from './ports.ts'

/** Milliseconds without a change before files are looked at: several are written one after another. */
const QUIET = 200
/** A watch may miss changes on a network file system; a look costs a `stat` for each file. */
const LOOK_EVERY = 60_000

interface CalendarsOptions {
  readonly calendars: Config['calendars']
  readonly expander: Expander
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
  /** Milliseconds that the start waits for files at most; default: until all are read. */
  readonly patience?: number | undefined
}

/** By calendar: what all its files say together, or why it cannot be used. */
export type CalendarSnapshot = Readonly<Record<string, FromFiles | string>>
type FromFiles = Pick<ReadEvents, 'days' | 'windows'>

type Listener = (names: ReadonlySet<string>) => void

/**
 * The calendars of the configuration, made again when one of their files changes. A calendar with a file that was never
 * readable cannot be used.
 */
export class ConfiguredCalendars implements Calendars, Runnable {
  readonly name = 'calendars'
  readonly names: readonly string[]
  readonly #options: CalendarsOptions
  readonly #files: readonly CalendarFile[]
  readonly #watches: FolderWatches
  readonly #made = new Map<string, Calendar | string>()
  /** Grows with each change, so that no schedule compiled before it is used again. */
  #revision = 0
  readonly #listeners: Listener[] = []
  readonly #stopped = new AbortController()
  #disarm: (() => void) | undefined
  /** Settles when no look is under way. */
  #looking: Promise<void> = Promise.resolve()

  constructor(options: CalendarsOptions) {
    const { calendars, expander, clock, logger } = options
    this.#options = options
    this.names = Object.keys(calendars)
    this.#files = Object.entries(calendars).flatMap(([calendar, { files, events, means }]) =>
      files.map((file) => {
        const filter = { ...events, means }
        return new CalendarFile({ calendar, file, filter, expander, clock, logger })
      }),
    )
    this.#watches = new FolderWatches(
      this.#files.map(({ file }) => file),
      () => this.#lookIn(QUIET),
    )
    this.#make(this.names)
  }

  find(name: string): Calendar | string | undefined {
    return this.#made.get(name)
  }

  snapshot(): CalendarSnapshot {
    return Object.fromEntries(this.names.map((name) => [name, this.#contentOf(name)]))
  }

  /** Whether all files of each calendar could be read the last time. */
  *readable(): Iterable<{ name: string; readable: boolean }> {
    for (const name of this.names)
      yield { name, readable: this.#filesOf(name).every(({ fault }) => fault === undefined) }
  }

  /** The events in the files of a calendar that do not count or are read in another way than written, a line each. */
  notices(name: string): string[] {
    return this.#filesOf(name).flatMap(
      ({ file, content }) => content?.notices.map((each) => `${file}: ${each}`) ?? [],
    )
  }

  /** The listener is called with the names of the calendars that have changed. */
  onChange(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves when each file was read or found unreadable, or when patience has ended. */
  async start(): Promise<void> {
    if (this.#files.length === 0) return
    const { later = systemLater, patience } = this.#options
    this.#watches.open()
    this.#looking = this.#look()
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const disarm = patience === undefined ? undefined : later(resolve, patience)
    await Promise.race([this.#looking, over])
    disarm?.()
    // A file may have changed before its watch began.
    this.#lookIn(QUIET)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#disarm?.()
    this.#watches.close()
    await this.#looking
  }

  /** Looks at the files after this time, unless this is called again meanwhile. */
  #lookIn(milliseconds: number): void {
    if (this.#stopped.signal.aborted) return
    const { later = systemLater } = this.#options
    this.#disarm?.()
    this.#disarm = later(() => {
      this.#disarm = undefined
      this.#looking = this.#lookAfter(this.#looking)
    }, milliseconds)
  }

  async #lookAfter(before: Promise<void>): Promise<void> {
    await before
    this.#watches.open()
    await this.#look()
    // If something has changed meanwhile, a sooner look is armed.
    if (!this.#disarm) this.#lookIn(LOOK_EVERY)
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopped
    const changed = new Set<string>()
    for (const file of this.#files) if (await file.look(signal)) changed.add(file.calendar)
    if (changed.size === 0 || signal.aborted) return
    this.#make(changed)
    this.#notify(changed)
  }

  #make(names: Iterable<string>): void {
    this.#revision += 1
    for (const name of names) {
      const { dates = {}, means = 'asleep' } = this.#options.calendars[name] ?? {}
      const content = this.#contentOf(name)
      const calendar =
        typeof content === 'string'
          ? content
          : calendarOf(name, dates, { ...content, means, revision: this.#revision })
      this.#made.set(name, calendar)
    }
  }

  #contentOf(name: string): FromFiles | string {
    const files = this.#filesOf(name)
    const unread = files.find(({ content }) => content === undefined)
    if (unread) return `${unread.file}: ${unread.fault}`
    return {
      days: files.flatMap(({ content }) => content?.days ?? []),
      windows: files.flatMap(({ content }) => content?.windows ?? []),
    }
  }

  #filesOf(name: string): CalendarFile[] {
    return this.#files.filter(({ calendar }) => calendar === name)
  }

  /** A listener that throws disturbs neither the others nor later changes. */
  #notify(names: ReadonlySet<string>): void {
    for (const listener of this.#listeners) {
      try {
        listener(names)
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the calendars failed')
      }
    }
  }
}
