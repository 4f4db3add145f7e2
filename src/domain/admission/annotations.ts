import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { nearestName } from '../nearest.ts'
import { isManaged } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { A_FLAG } from '../policy/effective.ts'
import { SETTING_NAMES } from '../policy/settings.ts'
import { clip } from '../text.ts'
import { ANNOTATION, type AnnotationName, type Workload } from '../workload.ts'
import { about } from './messages.ts'

/** The annotations that people write. */
const SETTINGS = [...SETTING_NAMES, 'awakeUntil'] as const
const EFFECTIVE_WHILE_MANAGED = SETTINGS.filter((name) => name !== 'enabled')
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

/** Warnings about annotations that this write added or changed and that have no effect, with the one probably meant. */
export function withoutEffect(
  before: Workload | undefined,
  after: Workload,
  unknown: readonly string[],
  rules: Rules,
): string[] {
  const says = unknown.map((name) => {
    const meant = nearestName(name.slice(name.indexOf('/') + 1), SETTINGS)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${ANNOTATION[meant]}?`
  })
  if (!isManaged(after, rules)) {
    for (const name of EFFECTIVE_WHILE_MANAGED) {
      const value = after.annotations[name]
      if (value && value !== before?.annotations[name])
        says.push(`: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
    }
  }
  return says.slice(0, MOST_WARNINGS).map((text) => about(after, text))
}

const FAULT: Record<Exclude<AnnotationName, 'state'>, (value: string) => string | undefined> = {
  enabled: flagFault,
  schedule: scheduleFault,
  timezone: (value) => (value === '' ? undefined : timezoneFault(value)),
  calendar: () => undefined,
  autoWake: flagFault,
  awakeUntil: (value) =>
    value === '' || Number.isFinite(Date.parse(value))
      ? undefined
      : 'write a time such as 2026-11-24T18:00+01:00, or a date',
}

function flagFault(value: string): string | undefined {
  return ['true', 'false', ''].includes(value) ? undefined : A_FLAG
}

function scheduleFault(value: string): string | undefined {
  if (value.trim() === '') return undefined
  try {
    parseSchedule(value)
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}
