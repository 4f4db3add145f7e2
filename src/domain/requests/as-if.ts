import type { Instant } from '../../service/process/clock.ts'
import type { Rules } from '../deciding/rules.ts'
import { readWorkload } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'
import { planRequest } from './request.ts'

/** Hours that somebody thinks of; those that it leaves out stay. */
export interface Hours {
  readonly schedule?: string
  readonly timezone?: string
}

/**
 * The workload as it would be, managed and with these hours.
 * @throws Refusal as the request itself does
 */
export function withHours(workload: Workload, hours: Hours, now: Instant, rules: Rules): Workload {
  const reading = readWorkload(workload, rules)
  const isManaged = !(reading instanceof Unreadable) && reading.enabled === true
  return planRequest(
    workload,
    { action: isManaged ? 'schedule' : 'enable', ...hours },
    'local:you',
    now,
    rules,
  ).after
}
