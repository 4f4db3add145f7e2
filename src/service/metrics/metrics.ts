import type { Prices } from '../../domain/records/saved.ts'
import type { OperationType } from '../../domain/workload/trigger.ts'
import { ApiMetrics } from './api-metrics.ts'
import { exportComing } from './coming-metrics.ts'
import { ControllerMetrics } from './controller-metrics.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { WebhookMetrics } from './webhook-metrics.ts'
import { exportTeams, exportWorkloads } from './workload-metrics.ts'
import { WorkloadTracker, type TrackerOptions } from './workload-tracker.ts'

export interface MetricsOptions extends TrackerOptions {
  /** Adds a gauge with each workload's name, for small clusters. */
  readonly perWorkload: boolean
  /** Adds what was saved in money; default: no money. */
  readonly prices?: Prices | null
  /** Called at each scrape: whether all files of a calendar could be read. Default: there are none. */
  readonly calendars?: () => Iterable<{ name: string; readable: boolean }>
  /** Called at each scrape: how many workloads wait by their order. Default: none. */
  readonly waiting?: (type: OperationType) => number
  /** Called at each scrape: how many EndpointSlices lead to wakers. Default: none. */
  readonly slices?: () => number
  /** Called at each scrape: how many wakers are ready; undefined: nothing wakes on traffic, as by default. */
  readonly wakers?: () => number | undefined
}

/**
 * The metrics of the service, added to those of its process. Every replica exports its own; only the leader exports
 * those of the controller and of workloads.
 */
export class Metrics {
  readonly registry: ProcessMetrics
  readonly api: ApiMetrics
  readonly controller: ControllerMetrics
  readonly webhook: WebhookMetrics
  readonly workloads: WorkloadTracker
  readonly #leader
  readonly #released

  constructor(registry: ProcessMetrics, options: MetricsOptions) {
    const {
      clock,
      perWorkload,
      prices = null,
      calendars = () => [],
      waiting = () => 0,
      slices = () => 0,
      wakers = () => undefined,
    } = options
    const { own, ofLeader, handlerFailed } = registry
    this.registry = registry
    this.#leader = own.gauge('leader', 'Whether this replica is the leader, which acts (1), or not (0).')
    this.#released = own.gauge(
      'released',
      'Whether `dormouse release --all` has released the cluster, so that no replica leads until `release --undo` (1), or not (0).',
    )
    this.workloads = new WorkloadTracker(options)
    exportWorkloads(ofLeader, this.workloads, { perWorkload, prices })
    exportTeams(ofLeader, this.workloads, prices)
    exportComing(ofLeader, this.workloads, { clock, waiting })
    this.controller = new ControllerMetrics(ofLeader, handlerFailed, { slices, wakers })
    this.webhook = new WebhookMetrics(own, ofLeader)
    this.api = new ApiMetrics(own)
    this.#leader.set(0)
    this.#released.set(0)
    own.gauge(
      'calendar_readable',
      'Whether all files of a calendar of the configuration could be read the last time (1), or not (0).',
      ['calendar'],
      (gauge) => {
        for (const { name, readable } of calendars()) gauge.set({ calendar: name }, readable ? 1 : 0)
      },
    )
  }

  /** Whether this replica leads, and so exports the leader's metrics. */
  lead(leading: boolean): void {
    this.registry.leads = leading
    this.#leader.set(leading ? 1 : 0)
    // The proof of an earlier leadership is out of date.
    this.webhook.forgetProof()
    this.workloads.lead(leading)
  }

  /** Whether the Lease says that somebody has released the cluster. */
  released(is: boolean): void {
    this.#released.set(is ? 1 : 0)
  }
}
