import type { Command } from 'commander'
import { DateTime } from 'luxon'
import type { Instant } from '../process/clock.ts'
import { calendarAdditions, calendarEffect, type Replaced } from '../domain/schedule/calendar-effect.ts'
import { findCalendars, InvalidCalendar, type Calendar } from '../domain/schedule/calendar.ts'
import { compileSchedule, InvalidTimezone, type Edge, type Schedule } from '../domain/schedule/schedule.ts'
import { InvalidSchedule, isTimezone, scheduleDoubt } from '../domain/schedule/syntax.ts'
import { writtenInstant } from '../domain/workload/instant.ts'
import { wholeNumber } from './options.ts'
import { printable } from '../process/printable.ts'
import { UsageError } from '../process/errors.ts'
import { ZONE_DATA } from '../process/zone-data.ts'
import { createLogger } from '../process/logger.ts'
import type { CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

/** The coming year. */
const DAYS_SHOWN = 366
const DAY = 24 * 60 * 60_000
/** Lines of added hours that are printed. */
const MOST_ADDED = 100

interface ExplainOptions {
  readonly timezone?: string
  readonly count: number
  readonly from?: string
  readonly calendar?: string
  readonly config?: string
  readonly json?: true
}

/** `dormouse explain`: prints how Dormouse reads a schedule, and its next edges. */
export function registerExplain(
  program: Command,
  ports: Pick<CliPorts, 'stdout' | 'clock' | 'environment' | 'logDestination'>,
): void {
  const { stdout, clock } = ports
  program
    .command('explain')
    .description('Show how Dormouse reads a schedule: its canonical form and its next edges')
    .argument('<schedule>', "such as '8:00-18:00,Mon-Fri'")
    .option('--timezone <zone>', 'IANA time zone (default: that of the configuration)')
    .option('--count <n>', 'number of edges', wholeNumber(1, 1000), 10)
    .option('--from <time>', 'ISO 8601, in the time zone if it names none (default: now)')
    .option('--calendar <names>', 'calendars of the configuration, separated by commas')
    .option('--config <file>', 'YAML configuration of the service')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      () =>
        `\nExamples:\n  ${program.name()} explain '8:00-18:00,Mon-Fri' --timezone Europe/Berlin\n  ${program.name()} explain 'Mon 7:00-Fri 20:00' --from 2026-03-28`,
    )
    .allowExcessArguments()
    .action(async (text: string, options: ExplainOptions, { args }: Command) => {
      const { count, from, json } = options
      if (args.length > 1) throw new UsageError(unquoted(program.name(), args.join(' ')))
      const timezone = options.timezone ?? (await configOf(options, ports)).timezone
      const start = from === undefined || !isTimezone(timezone) ? clock() : instantOf(from, timezone)
      // Only the dates around that time are read from calendar files.
      const { calendars, notes: ofFiles } = await calendarsOf(options, { ...ports, clock: () => start })
      const schedule = compile(text, timezone, calendars)
      const doubt = scheduleDoubt(text)
      const notes = doubt === undefined ? ofFiles : [...ofFiles, doubt]
      const explanation = schedule
        ? explain(schedule, start, count, calendars, notes)
        : explainNone(timezone, start, notes)
      stdout.write(json ? `${JSON.stringify(explanation, null, 2)}\n` : render(explanation))
    })
}

interface NamedCalendars {
  readonly calendars: readonly Calendar[]
  /** The parts of their files that do not count. */
  readonly notes: readonly string[]
}

/** @throws UsageError that names the unusable calendar, and why */
async function calendarsOf(
  options: ExplainOptions,
  ports: Pick<CliPorts, 'clock' | 'environment' | 'logDestination'>,
): Promise<NamedCalendars> {
  const { calendar } = options
  if (calendar === undefined) return { calendars: [], notes: [] }
  const config = await configOf(options, ports)
  const { readCalendars } = await import('../wiring/calendars.ts')
  const known = await readCalendars(config, ports.clock, createLogger('error', ports.logDestination))
  try {
    const calendars = findCalendars(calendar, known)
    const notes = calendars.flatMap(({ name }) => known.notices(name).map((each) => `${name}: ${each}`))
    return { calendars, notes }
  } catch (error) {
    if (!(error instanceof InvalidCalendar)) throw error
    const advice = options.config === undefined ? ' (--config names the configuration)' : ''
    throw new UsageError(`--calendar: ${error.message}${advice}`, { cause: error })
  }
}

function unquoted(name: string, text: string): string {
  return `a schedule is one argument: quote it, as in ${name} explain '${text}'`
}

/** Times in ISO 8601: `at` in UTC, `local` with the zone's offset. */
interface Explanation {
  /** null: the schedule is empty, which is valid. */
  readonly schedule: string | null
  readonly timezone: string
  /** The release of the tz database. */
  readonly zoneData: string
  readonly from: string
  /** null: an empty schedule sets none. */
  readonly state: Edge['to'] | null
  /** The latest edge; null: the schedule has none, with calendars none within a year before. */
  readonly since: string | null
  /** The dates that calendars replace within a year. */
  readonly calendar: readonly Replaced[]
  /** The hours that calendars add within a year. */
  readonly added: readonly {
    readonly start: string
    readonly end: string
    readonly calendar: string
    readonly event: string | null
  }[]
  /** The parts of the calendars' files that do not count, or were read in another way than it was written. */
  readonly notes: readonly string[]
  readonly edges: readonly { readonly at: string; readonly local: string; readonly to: Edge['to'] }[]
}

function explain(
  schedule: Schedule,
  from: Instant,
  count: number,
  calendars: readonly Calendar[],
  notes: readonly string[],
): Explanation {
  const edges: Edge[] = []
  for (let edge = schedule.nextEdge(from); edge && edges.length < count; edge = schedule.nextEdge(edge.at)) {
    edges.push(edge)
  }
  const latest = schedule.latestEdge(from)
  return {
    schedule: schedule.text,
    timezone: schedule.zone,
    zoneData: ZONE_DATA,
    from: writtenInstant(from),
    state: schedule.stateAt(from),
    since: latest ? writtenInstant(latest.at) : null,
    calendar: calendarEffect(schedule.text, calendars, localDate(from, schedule.zone), DAYS_SHOWN),
    added: calendarAdditions(calendars, schedule.zone, from, from + DAYS_SHOWN * DAY).map(
      ({ start, end, calendar, event }) => ({
        start: writtenInstant(start),
        end: writtenInstant(end),
        calendar,
        event,
      }),
    ),
    notes,
    edges: edges.map(({ at, to }) => ({ at: writtenInstant(at), local: localIso(at, schedule.zone), to })),
  }
}

function explainNone(timezone: string, from: Instant, notes: readonly string[]): Explanation {
  const nothing = { schedule: null, state: null, since: null, calendar: [], added: [], edges: [] }
  return { ...nothing, timezone, zoneData: ZONE_DATA, from: writtenInstant(from), notes }
}

function render(explanation: Explanation): string {
  const { schedule, timezone, zoneData, from, calendar, added, notes, edges } = explanation
  if (schedule === null) return 'schedule  none: nothing happens by itself\n'
  const lines = [
    `schedule  ${schedule}`,
    `timezone  ${timezone} (zone data ${zoneData})`,
    `at        ${readable(from, timezone)}  ${from}`,
    `state     ${stateText(explanation)}`,
    ...labelled('calendar', calendar.map(replaced)),
    ...labelled(
      'added',
      added.slice(0, MOST_ADDED).map((each) => addition(each, timezone)),
    ),
    ...(added.length > MOST_ADDED ? [`          and ${added.length - MOST_ADDED} more; --json has all`] : []),
    ...labelled('note', notes),
    '',
    ...edges.map(({ at, to }) => `${readable(at, timezone)}  ${at}  ${to}`),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

/** Lines under one label. */
function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? label : '').padEnd(9)} ${line}`)
}

/** A search with calendars reaches a year. */
function stateText({ state, since, timezone, calendar, added, edges }: Explanation): string {
  if (since) return `${state} since ${readable(since, timezone)}`
  const hasNone = edges.length === 0 && calendar.length === 0 && added.length === 0
  return hasNone ? `always ${state}: it has no edges` : `${state} for a year at least`
}

/** `Thu 2026-12-24 to Fri 2027-01-01  none (de-be: Christmas)`. */
function replaced({ first, last, hours, calendar, event }: Replaced): string {
  const [from, to] = [first, last].map((date) =>
    DateTime.fromISO(date, { locale: 'en' }).toFormat('ccc yyyy-MM-dd'),
  )
  return `${first === last ? from : `${from} to ${to}`}  ${hours || 'none'} (${namedBy(calendar, event)})`
}

/** `Sat 2026-12-05 22:00 +01:00 to Sun 2026-12-06 02:00 +01:00  awake (releases: Release 12)`. */
function addition({ start, end, calendar, event }: Explanation['added'][number], zone: string): string {
  return `${readable(start, zone)} to ${readable(end, zone)}  awake (${namedBy(calendar, event)})`
}

function namedBy(calendar: string, event: string | null): string {
  return event === null ? calendar : `${calendar}: ${event}`
}

/** Midnight of the local date, as clocks in UTC show it. */
function localDate(instant: Instant, zone: string): number {
  return Date.parse(`${DateTime.fromMillis(instant, { zone }).toISODate()}T00:00:00Z`)
}

/** undefined: the text is empty. */
function compile(text: string, zone: string, calendars: readonly Calendar[]): Schedule | undefined {
  try {
    if (text.trim() !== '') return compileSchedule(text, zone, calendars)
    if (isTimezone(zone)) return undefined
    throw new InvalidTimezone(zone)
  } catch (error) {
    if (error instanceof InvalidTimezone)
      throw new UsageError(`--timezone: ${error.message}`, { cause: error })
    if (!(error instanceof InvalidSchedule)) throw error
    const shown = printable(text)
    const caret = `${' '.repeat(error.position - 1)}^`
    throw new UsageError(`${error.message}\n  ${shown}\n  ${caret}`, { cause: error })
  }
}

function instantOf(text: string, zone: string): Instant {
  const time = DateTime.fromISO(text, { zone })
  if (!time.isValid)
    throw new UsageError(`--from: expected ISO 8601 such as 2026-03-02T08:00, found '${text}'`)
  return time.toMillis()
}

function localIso(instant: Instant, zone: string): string {
  return (
    DateTime.fromMillis(instant, { zone }).toISO({ suppressMilliseconds: true }) ?? writtenInstant(instant)
  )
}

/** `Mon 2026-03-02 08:00 +01:00`, in the zone's time. */
function readable(iso: string, zone: string): string {
  return DateTime.fromISO(iso, { zone, locale: 'en' }).toFormat('ccc yyyy-MM-dd HH:mm ZZ')
}
