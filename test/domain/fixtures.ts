import { expect } from 'chai'
import type { Request } from '../../src/domain/requests/operations.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { asked } from '../support/decisions.ts'
import { at } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'

/** Awake at noon, asleep at night. */
export const WORK = '8:00-18:00,Mon-Fri'
export const NOON = at('Mon 12:00')
export const NIGHT = at('Mon 20:00')

/** Deployments that are managed, with 3 replicas: without a schedule; woken by its edge; put to sleep by the next. */
export const unscheduled = aDeployment().withReplicas(3).enabled().remembering({})
export const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled(WORK)
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
export const asleep = awake.snoozed({ at: at('Mon 18:00') })

/** How the API refuses a request. */
export function refusal(workload: Workload, request: Request, now = NOON): Refusal {
  try {
    asked(workload, request, now)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  return expect.fail(`${request.action} was not refused`)
}
