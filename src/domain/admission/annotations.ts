import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { nearestName } from '../nearest.ts'
import { clip } from '../text.ts'
import { ANNOTATION, type AnnotationName, type Workload } from '../workload.ts'
import { about } from './messages.ts'

/** The annotations that people write. */
const SETTINGS = ['enabled', 'schedule', 'timezone', 'catchUp'] as const
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
): string[] {
  const says = unknown.map((name) => {
    const meant = nearestName(name.slice(name.indexOf('/') + 1), SETTINGS)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${ANNOTATION[meant]}?`
  })
  if (after.annotations.enabled !== 'true') {
    for (const name of ['schedule', 'timezone'] as const) {
      const value = after.annotations[name]
      if (value && value !== before?.annotations[name])
        says.push(`: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
    }
  }
  return says.slice(0, MOST_WARNINGS).map((text) => about(after, text))
}

const FAULT: Record<Exclude<AnnotationName, 'state'>, (value: string) => string | undefined> = {
  enabled: (value) => (value === 'true' || value === 'false' ? undefined : 'write "true" or "false"'),
  schedule: scheduleFault,
  timezone: (value) => (value === '' ? undefined : timezoneFault(value)),
  catchUp: (value) => (value === 'true' || value === 'false' ? undefined : 'write "true" or "false"'),
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
