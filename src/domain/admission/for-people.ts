import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { clocksOf, wallClock } from '../schedule/zone.ts'
import { printable } from '../../process/printable.ts'
import { textForPeople, withoutPrefixes } from '../workload/author.ts'
import { settingsOf } from '../workload/settings.ts'
import type { Workload } from '../workload/workload.ts'
import type { AdmissionDecision } from './decision.ts'
import { LONGEST } from './messages.ts'

/**
 * The decision in the words of people with kubectl, which prints its texts as they are: names without prefixes, times
 * on the clocks of the workload's zone. Its explanation, for programs, stays as it is.
 */
export function forPeople(
  decision: AdmissionDecision,
  workload: Workload,
  now: Instant,
  rules: Rules,
): AdmissionDecision {
  if (decision.type !== 'denied' && decision.warnings.length === 0) return decision
  const zone = clocksOf(settingsOf(workload, rules).zone)
  const worded = (text: string) => wordedFor(text, zone, now)
  const warnings = decision.warnings.map(worded)
  if (decision.type !== 'denied') return { ...decision, warnings }
  return { ...decision, warnings, message: worded(decision.message) }
}

/** Names the zone behind the first time. A text that would grow too long, for a warning or `longest`, keeps its times in UTC. */
export function wordedFor(text: string, zone: string, now: Instant, longest = LONGEST): string {
  let isFirst = true
  const worded = textForPeople(text, (at) => {
    const where = isFirst ? ` (${zone})` : ''
    isFirst = false
    return `${wallClock(at, zone, now)}${where}`
  })
  // Last, whatever was put into it.
  return printable(worded.length <= longest ? worded : withoutPrefixes(text))
}
