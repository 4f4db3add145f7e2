import type { Instant } from '../../service/process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { wallClock } from '../schedule/zone.ts'
import { withoutPrefixes } from '../workload/author.ts'
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
  const { zone } = settingsOf(workload, rules)
  const worded = (text: string) => wordedFor(text, zone, now)
  const warnings = decision.warnings.map(worded)
  if (decision.type !== 'denied') return { ...decision, warnings }
  return { ...decision, warnings, message: worded(decision.message) }
}

const ISO = /(?<![\w@])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g

/** Names the zone behind the first time. A text that would grow too long for a warning keeps its times in UTC. */
function wordedFor(text: string, zone: string, now: Instant): string {
  const named = withoutPrefixes(text)
  let isFirst = true
  const worded = named.replaceAll(ISO, (time) => {
    const where = isFirst ? ` (${zone})` : ''
    isFirst = false
    return `${wallClock(Date.parse(time), zone, now)}${where}`
  })
  return worded.length <= LONGEST ? worded : named
}
