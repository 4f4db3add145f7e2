import type { Instant } from '../../process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { readWorkload } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'
import { planRequest } from './request.ts'

/** Hours that somebody thinks of; a part that is left out stays. */
export interface Hours {
  readonly schedule?: string | undefined
  readonly timezone?: string | undefined
}

/**
 * The workload as it would be, managed and with these hours; as it is where they say nothing.
 * @throws Refusal as the request itself does
 */
export function withHours(
  workload: Workload,
  { schedule, timezone }: Hours,
  now: Instant,
  rules: Rules,
): Workload {
  if (schedule === undefined && timezone === undefined) return workload
  const reading = readWorkload(workload, rules)
  const isManaged = !(reading instanceof Unreadable) && reading.enabled === true
  const hours = { ...(schedule !== undefined && { schedule }), ...(timezone !== undefined && { timezone }) }
  const action = isManaged ? 'schedule' : 'enable'
  return planRequest(workload, { action, ...hours }, 'local:you', now, rules).after
}
