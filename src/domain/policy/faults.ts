import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { ANNOTATION } from '../workload.ts'
import { A_FLAG } from './effective.ts'
import { INHERITED_ANNOTATIONS, type InheritedAnnotation, type Namespace } from './inheritance.ts'

/** What is wrong with one of the annotations that people write; undefined: nothing. An empty text means none. */
export function settingFault(name: InheritedAnnotation, text: string): string | undefined {
  return text.trim() === '' ? undefined : FAULT[name](text)
}

/** The faults of a Namespace's annotations, in one text; undefined: there is none. */
export function namespaceFault({ annotations }: Namespace): string | undefined {
  const faults = INHERITED_ANNOTATIONS.flatMap((name) => {
    const text = annotations[name]
    const fault = text === undefined ? undefined : settingFault(name, text)
    return fault === undefined ? [] : [`${ANNOTATION[name]}: ${fault}`]
  })
  return faults.length === 0 ? undefined : faults.join('; ')
}

const FAULT: Record<InheritedAnnotation, (text: string) => string | undefined> = {
  enabled: flagFault,
  schedule: scheduleFault,
  timezone: timezoneFault,
  calendar: () => undefined,
  autoWake: flagFault,
  awakeUntil: (text) =>
    Number.isFinite(Date.parse(text)) ? undefined : 'write a time such as 2026-11-24T18:00+01:00, or a date',
}

function flagFault(text: string): string | undefined {
  return text === 'true' || text === 'false' ? undefined : A_FLAG
}

function scheduleFault(text: string): string | undefined {
  try {
    parseSchedule(text)
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}
