import type { MetricFactory } from './metric-factory.ts'

const COMPONENTS = ['informer', 'controller'] as const
/** Counts a fault of ours over a single workload. */
export type HandlerFailed = (component: (typeof COMPONENTS)[number]) => void

export function handlerFailures(factory: MetricFactory): HandlerFailed {
  const failures = factory.counter(
    'handler_failures_total',
    'Changes of workloads that could not be handled, by a fault of Dormouse; they are retried.',
    ['component'],
  )
  for (const component of COMPONENTS) failures.inc({ component }, 0)
  return (component) => failures.inc({ component })
}
