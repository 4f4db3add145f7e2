import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Prices } from '../../domain/records/saved.ts'
import { ApiMetrics } from './api-metrics.ts'
import { exportComing } from './coming-metrics.ts'
import { ControllerMetrics } from './controller-metrics.ts'
import { handlerFailures } from './handler-failures.ts'
import { KubernetesMetrics } from './kubernetes-metrics.ts'
import { MetricFactory } from './metric-factory.ts'
import { WebhookMetrics } from './webhook-metrics.ts'
import { exportTeams, exportWorkloads } from './workload-metrics.ts'
import { WorkloadTracker, type TrackerOptions } from './workload-tracker.ts'

/** Gauges of prom-client whose names end in `_total`, which only a counter's may. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

export interface MetricsOptions extends TrackerOptions {
  /** Adds a gauge with each workload's name, for small clusters. */
  readonly perWorkload: boolean
  /** Adds prom-client's metrics of the process. */
  readonly processMetrics: boolean
  /** Adds what was saved in money; default: no money. */
  readonly prices?: Prices | null
}

/**
 * All metrics. Every replica exports its own; only the leader exports those of the controller and of workloads.
 * Durations are in seconds. Labels are bounded: values from strangers are mapped to known ones.
 */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly api: ApiMetrics
  readonly controller: ControllerMetrics
  readonly kubernetes: KubernetesMetrics
  readonly webhook: WebhookMetrics
  readonly workloads: WorkloadTracker
  readonly #own = new MetricFactory()
  readonly #ofLeader = new MetricFactory()
  readonly #leader = this.#own.gauge(
    'leader',
    'Whether this replica is the leader, which acts (1), or not (0).',
  )
  readonly #released = this.#own.gauge(
    'released',
    'Whether `dormouse release --all` has released the cluster, so that no replica leads until `release --undo` (1), or not (0).',
  )
  #leading = false
  #waiting: () => number = () => 0
  #calendars: () => Iterable<{ name: string; readable: boolean }> = () => []

  constructor({ perWorkload, processMetrics, prices = null, ...options }: MetricsOptions) {
    const { clock } = options
    const handlerFailed = handlerFailures(this.#own)
    this.workloads = new WorkloadTracker(options)
    exportWorkloads(this.#ofLeader, this.workloads, { perWorkload, prices })
    exportTeams(this.#ofLeader, this.workloads, prices)
    exportComing(this.#ofLeader, this.workloads, { clock, waiting: () => this.#waiting() })
    this.controller = new ControllerMetrics(this.#ofLeader, handlerFailed)
    this.webhook = new WebhookMetrics(this.#own, this.#ofLeader)
    this.api = new ApiMetrics(this.#own)
    this.kubernetes = new KubernetesMetrics(this.#own, this.#ofLeader, handlerFailed)
    this.#leader.set(0)
    this.#released.set(0)
    this.#own.gauge(
      'calendar_readable',
      'Whether all files of a calendar of the configuration could be read the last time (1), or not (0).',
      ['calendar'],
      (gauge) => {
        for (const { name, readable } of this.#calendars()) gauge.set({ calendar: name }, readable ? 1 : 0)
      },
    )
    if (processMetrics) {
      collectDefaultMetrics({ register: this.#own.registry })
      for (const name of MISNAMED) this.#own.registry.removeSingleMetric(name)
    }
  }

  /** Whether this replica leads, and so exports the leader's metrics. */
  lead(leading: boolean): void {
    this.#leading = leading
    this.#leader.set(leading ? 1 : 0)
    // The proof of an earlier leadership is out of date.
    this.webhook.forgetProof()
    this.workloads.lead(leading)
  }

  /** Whether the Lease says that somebody has released the cluster. */
  released(is: boolean): void {
    this.#released.set(is ? 1 : 0)
  }

  /** To be called once, before the first scrape; `readable` is called at each. */
  followCalendars(readable: () => Iterable<{ name: string; readable: boolean }>): void {
    this.#calendars = readable
  }

  /** To be called once, before the first scrape; `waiting`, how many wakes wait by wake-order, is called at each. */
  followWaiting(waiting: () => number): void {
    this.#waiting = waiting
  }

  /** In Prometheus's text format. */
  async exposition(): Promise<string> {
    const parts = [await this.#own.registry.metrics()]
    if (this.#leading) {
      parts.push(await this.#ofLeader.registry.metrics())
    }
    return parts.map((part) => part.trimEnd()).join('\n\n') + '\n'
  }
}
