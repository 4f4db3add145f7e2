import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { ANNOTATION, type AnnotationName, type Workload } from '../workload.ts'

/** What is wrong with an annotation that a person set or changed; one that was wrong before is not refused again. */
export function annotationFault(before: Workload | undefined, { annotations }: Workload): string | undefined {
  for (const name of ['enabled', 'schedule', 'timezone'] as const) {
    const value = annotations[name]
    if (value === undefined || value === before?.annotations[name]) continue
    const fault = FAULT[name](value)
    if (fault !== undefined) return `${ANNOTATION[name]}: ${fault}`
  }
  return undefined
}

const FAULT: Record<Exclude<AnnotationName, 'state'>, (value: string) => string | undefined> = {
  enabled: (value) => (value === 'true' || value === 'false' ? undefined : 'write "true" or "false"'),
  schedule: scheduleFault,
  timezone: (value) => (value === '' ? undefined : timezoneFault(value)),
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
