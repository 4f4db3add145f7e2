import type { Counter, Histogram } from 'prom-client'
import { FINAL_RESULTS, OPERATION_TYPES, TRIGGERS } from '../domain/state.ts'
import { KINDS } from '../domain/workload.ts'

const COMPONENTS = ['informer', 'controller']
/** The answers of the webhook that are a fault of ours. */
const FAULTS = [
  { webhook: 'scale', decision: 'denied', reason: 'failed' },
  { webhook: 'scale', decision: 'denied', reason: 'unchecked' },
  { webhook: 'workloads', decision: 'allowed', reason: 'failed' },
]
const WEBHOOKS = ['scale', 'workloads']
/** Why most watches end: the server's time for them is over. */
const ORDINARY = 'ended'

/**
 * Tells what has not happened yet as 0. Prometheus sees an increase only between two values: of a counter
 * that is born at 500, as after a whole wave, the 500 would be lost, and so would the first failure.
 */
export function startAtZero(metrics: {
  operations: Counter<'type' | 'trigger' | 'kind' | 'result'>
  operationDuration: Histogram<'type' | 'kind'>
  failures: Counter<'component'>
  reviews: Counter<'webhook' | 'decision' | 'reason'>
  reviewDuration: Histogram<'webhook'>
  watchRestarts: Counter<'kind' | 'reason'>
  withheld: Counter<'kind'>
}): void {
  for (const kind of KINDS) {
    metrics.watchRestarts.inc({ kind, reason: ORDINARY }, 0)
    metrics.withheld.inc({ kind }, 0)
    for (const type of OPERATION_TYPES) {
      metrics.operationDuration.zero({ type, kind })
      for (const trigger of TRIGGERS)
        for (const result of FINAL_RESULTS) metrics.operations.inc({ type, trigger, kind, result }, 0)
    }
  }
  for (const component of COMPONENTS) metrics.failures.inc({ component }, 0)
  for (const fault of FAULTS) metrics.reviews.inc(fault, 0)
  for (const webhook of WEBHOOKS) metrics.reviewDuration.zero({ webhook })
}
