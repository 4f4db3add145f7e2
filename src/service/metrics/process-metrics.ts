import { collectDefaultMetrics, Registry } from 'prom-client'
import { handlerFailures } from './handler-failures.ts'
import { KubernetesMetrics } from './kubernetes-metrics.ts'
import { MetricFactory } from './metric-factory.ts'

/** Gauges of prom-client whose names end in `_total`, which only a counter's may. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/**
 * The registry of a process, with the metrics that each process of ours has: its calls to the API server, its watches,
 * and Node's. Others are added by `own` and `ofLeader`. Durations are in seconds. Labels are bounded: values from
 * strangers are mapped to known ones.
 */
export class ProcessMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly own = new MetricFactory()
  /** Exported only while `leads`. */
  readonly ofLeader = new MetricFactory()
  leads = false
  readonly handlerFailed = handlerFailures(this.own)
  readonly kubernetes = new KubernetesMetrics(this.own, this.ofLeader, this.handlerFailed)

  /** Adds prom-client's metrics of Node. */
  followNode(): void {
    collectDefaultMetrics({ register: this.own.registry })
    for (const name of MISNAMED) this.own.registry.removeSingleMetric(name)
  }

  /** In Prometheus's text format. */
  async exposition(): Promise<string> {
    const parts = [await this.own.registry.metrics()]
    if (this.leads) parts.push(await this.ofLeader.registry.metrics())
    return parts.map((part) => part.trimEnd()).join('\n\n') + '\n'
  }
}
