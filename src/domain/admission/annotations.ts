import type { Instant } from '../../clock.ts'
import { nearestName } from '../nearest.ts'
import { autoWakeFault, readSchedule } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { parseEnd } from '../schedule/awake-until.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { clip } from '../text.ts'
import { ANNOTATION, ANNOTATION_NAMES, type AnnotationName, type Workload } from '../workload.ts'
import { about } from './messages.ts'

/** The annotations that people write. */
const SETTINGS = ANNOTATION_NAMES.filter((name) => name !== 'state')
type Setting = Exclude<AnnotationName, 'state'>
/** Those that change what a schedule does, so that they do nothing without one. */
const OF_SCHEDULES = ['calendar', 'autoWake', 'awakeUntil', 'wakeOrder'] as const
/** One write may bring any number of unknown annotations. */
const MOST_WARNINGS = 3

/** The fault of an annotation that this write added or changed; undefined: there is none. */
export function annotationFault(before: Workload | undefined, { annotations }: Workload): string | undefined {
  for (const name of SETTINGS) {
    const value = annotations[name]
    if (value === undefined || value === before?.annotations[name]) continue
    const fault = FAULT[name](value)
    if (fault !== undefined) return `${ANNOTATION[name]}: ${fault}`
  }
  return undefined
}

/**
 * Warnings about annotations that this write added or changed and that have no effect, with the one probably meant, and
 * about calendars that cannot be used: the configuration may have them soon, so the write goes through.
 */
export function withoutEffect(
  before: Workload | undefined,
  after: Workload,
  unknown: readonly string[],
  now: Instant,
  rules: Rules,
): string[] {
  const says = unknown.map((name) => {
    const meant = nearestName(name.slice(name.indexOf('/') + 1), SUFFIXES)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${PREFIX}${meant}?`
  })
  const changed = (name: Setting) =>
    (after.annotations[name] ?? '') !== '' && after.annotations[name] !== before?.annotations[name]
  if (after.annotations.enabled !== 'true') {
    for (const name of SETTINGS)
      if (name !== 'enabled' && changed(name))
        says.push(`: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
  } else if (!after.annotations.schedule) {
    for (const name of OF_SCHEDULES)
      if (changed(name)) says.push(`: ${ANNOTATION[name]} has no effect without ${ANNOTATION.schedule}`)
  } else if (changed('calendar') || changed('awakeUntil')) says.push(...ineffective(after, now, rules))
  return says.slice(0, MOST_WARNINGS).map((text) => about(after, text))
}

const PREFIX = 'dormouse.dev/'
const SUFFIXES = SETTINGS.map((name) => ANNOTATION[name].slice(PREFIX.length))

/** What a valid calendar or awake-until does not do. */
function ineffective(workload: Workload, now: Instant, rules: Rules): string[] {
  const { awakeUntil, scheduleFault } = readSchedule(workload, rules)
  if (scheduleFault !== undefined) return [`: ${scheduleFault.slice(0, 160)}`]
  return awakeUntil !== undefined && awakeUntil <= now
    ? [`: ${ANNOTATION.awakeUntil} has no effect, since that is over`]
    : []
}

const FAULT: Record<Setting, (value: string) => string | undefined> = {
  enabled: (value) => (value === 'true' || value === 'false' ? undefined : 'write "true" or "false"'),
  schedule: (value) => (value.trim() === '' ? undefined : faultOf(() => parseSchedule(value))),
  timezone: (value) => (value === '' ? undefined : timezoneFault(value)),
  calendar: (value) =>
    /^[-_.A-Za-z0-9, ]*$/.test(value) ? undefined : 'write names of calendars, separated by commas',
  autoWake: autoWakeFault,
  // The zone of a date does not matter to whether it can be read.
  awakeUntil: (value) => (value.trim() === '' ? undefined : faultOf(() => parseEnd(value.trim(), 'UTC'))),
  wakeOrder: (value) => (/^\d?$/.test(value) ? undefined : 'write a number from 0 to 9'),
}

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}
