import { parseEnd } from '../schedule/awake-until.ts'
import { A_DURATION, durationIn } from '../schedule/duration.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { faultOf } from '../text.ts'
import { ANNOTATION } from '../annotations.ts'
import { INHERITABLE, type Form } from '../inheritable.ts'
import { A_COUNT, A_FLAG, countOf } from './effective.ts'
import { A_TRAFFIC_MODE, trafficMode } from '../traffic-mode.ts'
import { LONGEST_SETTING } from './settings.ts'
import { INHERITED_ANNOTATIONS, type InheritedAnnotation, type Namespace } from './inheritance.ts'

/** The fault of an annotation that people write; undefined: none. An empty text means none. */
export function settingFault(name: InheritedAnnotation, text: string): string | undefined {
  if (text.trim() === '') return undefined
  return name === 'awakeUntil' ? endFault(text) : FAULT[INHERITABLE[name].form](text)
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

const FAULT: Record<Form, (text: string) => string | undefined> = {
  flag: flagFault,
  count: (text) => (countOf(text) === 'unclear' ? A_COUNT : undefined),
  schedule: (text) => faultOf(() => parseSchedule(text), InvalidSchedule),
  timezone: timezoneFault,
  calendar: calendarFault,
  traffic: (text) => (trafficMode(text) === undefined ? `write ${A_TRAFFIC_MODE}` : undefined),
  duration: (text) => (durationIn(text.trim()) === undefined ? `write ${A_DURATION}` : undefined),
}

/** The zone of a date does not matter to whether it can be read. */
function endFault(text: string): string | undefined {
  return faultOf(() => parseEnd(text.trim(), 'UTC'), InvalidSchedule)
}

function calendarFault(text: string): string | undefined {
  if (text.length > LONGEST_SETTING) return `write at most ${LONGEST_SETTING} characters`
  return /^[-_.A-Za-z0-9, ]*$/.test(text) ? undefined : 'write names of calendars, separated by commas'
}

export function flagFault(text: string): string | undefined {
  return text === 'true' || text === 'false' ? undefined : A_FLAG
}
