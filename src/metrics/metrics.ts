import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestObserver } from '../api/ports.ts'
import type { Clock, Instant } from '../clock.ts'
import type * as Controller from '../controller/ports.ts'
import type { CertificateObserver } from '../certificates/ports.ts'
import type { LeadershipObserver } from '../leadership/ports.ts'
import type { Rules } from '../domain/rules.ts'
import type { OperationResult, OperationType, Trigger } from '../domain/state.ts'
import type { Kind } from '../domain/workload.ts'
import type { KubernetesObserver } from '../kubernetes/ports.ts'
import type * as Webhook from '../webhook/ports.ts'
import { exportComing } from './coming-metrics.ts'
import type { Informer } from './ports.ts'
import { startAtZero } from './zeros.ts'
import { WorkloadTracker } from './workload-tracker.ts'
import { exportWorkloads } from './workload-metrics.ts'

/** Answers of servers: 1 ms to 10 s. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** An edge's patch: its target is 1 s. */
const LAG = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 30, 60, 300]
/** Pods that come and go: 100 ms to 10 min. */
const PODS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Gauges that prom-client calls `_total`, which only counters may be. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

export interface MetricsOptions {
  readonly rules: Rules
  readonly clock: Clock
  /** What is in them is never touched, and so not counted; default: none. */
  readonly excludeNamespaces?: readonly string[]
  /** Adds a gauge with each workload's name, for small clusters. */
  readonly perWorkload: boolean
  /** Adds prom-client's metrics of the process. */
  readonly processMetrics: boolean
}

/**
 * All metrics of section 8 of the design. Those of the controller are told only by the replica that leads.
 * Durations are in seconds; labels are bounded: what comes from strangers is mapped to known values.
 */
export class Metrics
  implements
    Controller.Observer,
    LeadershipObserver,
    KubernetesObserver,
    RequestObserver,
    Webhook.Observer,
    CertificateObserver
{
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly workloads: WorkloadTracker
  readonly #own = new Registry()
  readonly #controller = new Registry()
  #leading = false
  #informer: Informer | undefined

  readonly #leader = this.#gauge('leader', 'Whether this replica is the one that acts (1) or not (0).', [])
  readonly #webhookProven = this.#gauge(
    'webhook_proven',
    'Whether the API server was seen to reach the webhook (1) or not (0); without it manual scaling goes unchecked.',
    [],
    'controller',
  )
  readonly #certificate = this.#gauge(
    'certificate_expiry_timestamp_seconds',
    'When the serving certificate expires, in seconds since the epoch.',
    [],
  )
  readonly #http = this.#counter(
    'http_requests_total',
    'Requests answered by the API, by route, method and status code.',
    ['route', 'method', 'code'],
  )
  readonly #httpDuration = this.#histogram(
    'http_request_duration_seconds',
    'How long the API took to answer.',
    ['route', 'method', 'code'],
    QUICK,
  )
  readonly #kubernetes = this.#counter(
    'kubernetes_requests_total',
    'Calls to the Kubernetes API, by verb, resource and status code (0: no answer).',
    ['verb', 'resource', 'code'],
  )
  readonly #kubernetesDuration = this.#histogram(
    'kubernetes_request_duration_seconds',
    'How long calls to the Kubernetes API took.',
    ['verb', 'resource'],
    QUICK,
  )
  readonly #watchConnected = this.#gauge(
    'watch_connected',
    'Whether the watch of this kind stands (1) or not (0): without it nothing of that kind is noticed.',
    ['kind'],
  )
  readonly #watchRestarts = this.#counter(
    'watch_restarts_total',
    'Watches that ended and were begun anew, by kind and reason.',
    ['kind', 'reason'],
  )
  readonly #failures = this.#counter(
    'handler_failures_total',
    'Changes of workloads whose handling threw; they are handled again.',
    ['component'],
  )
  readonly #reviews = this.#counter(
    'admission_reviews_total',
    'Admission reviews decided, by webhook, decision and reason.',
    ['webhook', 'decision', 'reason'],
  )
  readonly #reviewDuration = this.#histogram(
    'admission_duration_seconds',
    'How long admission reviews took.',
    ['webhook'],
    QUICK,
  )

  readonly #operations = this.#counter(
    'operations_total',
    'Snoozes and wakes that came to an end, by what brought them about and how they ended.',
    ['type', 'trigger', 'kind', 'result'],
    'controller',
  )
  readonly #operationDuration = this.#histogram(
    'operation_duration_seconds',
    'Time from the patch until the pods had followed.',
    ['type', 'kind'],
    PODS,
    'controller',
  )
  readonly #scheduleLag = this.#histogram(
    'schedule_lag_seconds',
    "Time from a schedule's edge to the patch that carries it out.",
    [],
    LAG,
    'controller',
  )
  readonly #queueDepth = this.#gauge('queue_depth', 'Workloads that wait for a worker.', [], 'controller')
  readonly #queueWait = this.#histogram(
    'queue_wait_seconds',
    'How long workloads waited for a worker.',
    [],
    QUICK,
    'controller',
  )
  readonly #withheld = this.#counter(
    'writes_withheld_total',
    'Times that a workload had been written so often that its repairs and completions had to wait, by kind.',
    ['kind'],
    'controller',
  )
  readonly #eventsDropped = this.#counter(
    'events_dropped_total',
    'Kubernetes Events that were not written, to spare the API server.',
    [],
    'controller',
  )

  constructor({ rules, clock, perWorkload, excludeNamespaces, processMetrics }: MetricsOptions) {
    this.workloads = new WorkloadTracker({ rules, clock, excludeNamespaces })
    exportWorkloads(this.#controller, this.workloads, perWorkload)
    exportComing(this.#controller, this.workloads, clock)
    startAtZero({
      operations: this.#operations,
      operationDuration: this.#operationDuration,
      failures: this.#failures,
      reviews: this.#reviews,
      reviewDuration: this.#reviewDuration,
      watchRestarts: this.#watchRestarts,
      withheld: this.#withheld,
    })
    this.#leader.set(0)
    // Without a certificate there is no time at which it ends: 0 would be one long past.
    this.#certificate.remove()
    this.#webhookProven.remove()
    if (processMetrics) {
      collectDefaultMetrics({ register: this.#own })
      for (const name of MISNAMED) this.#own.removeSingleMetric(name)
    }
  }

  /** Whether this replica acts, and so tells the controller's metrics. */
  lead(leading: boolean): void {
    this.#leading = leading
    this.#leader.set(leading ? 1 : 0)
    // Only who leads tries it; what an earlier term found is past.
    this.#webhookProven.remove()
    this.workloads.lead(leading)
  }

  /** To be called once, before anything is told: `informer` is asked at each scrape. */
  follow(informer: Informer): void {
    this.#informer = informer
    this.workloads.find = (key) => informer.get(key)
  }

  /** A call to the Kubernetes API; code 0: no answer. */
  request(verb: string, resource: string, code: number, seconds: number): void {
    this.#kubernetes.inc({ verb, resource, code })
    this.#kubernetesDuration.observe({ verb, resource }, seconds)
  }

  /** `reason` from a fixed set. */
  watchRestarted(kind: Kind, reason: string): void {
    this.#watchRestarts.inc({ kind, reason })
  }

  eventDropped(): void {
    this.#eventsDropped.inc()
  }

  /** `route` is the route's pattern; undefined: no route matched. */
  answered(route: string | undefined, method: string, code: number, seconds: number): void {
    const labels = { route: route ?? 'none', method: METHODS.has(method) ? method : 'other', code }
    this.#http.inc(labels)
    this.#httpDuration.observe(labels, seconds)
  }

  operation(type: OperationType, trigger: Trigger, kind: Kind, result: OperationResult): void {
    this.#operations.inc({ type, trigger, kind, result })
  }

  operationDuration(type: OperationType, kind: Kind, seconds: number): void {
    this.#operationDuration.observe({ type, kind }, seconds)
  }

  scheduleLag(seconds: number): void {
    this.#scheduleLag.observe(seconds)
  }

  queueDepth(depth: number): void {
    this.#queueDepth.set(depth)
  }

  queueWait(seconds: number): void {
    this.#queueWait.observe(seconds)
  }

  writeWithheld(kind: Kind): void {
    this.#withheld.inc({ kind })
  }

  listenerFailed(): void {
    this.#failures.inc({ component: 'informer' })
  }

  decidingFailed(): void {
    this.#failures.inc({ component: 'controller' })
  }

  /** `reason` from a fixed set. */
  admission(
    webhook: string,
    decision: 'allowed' | 'denied' | 'patched',
    reason: string,
    seconds: number,
  ): void {
    this.#reviews.inc({ webhook, decision, reason })
    this.#reviewDuration.observe({ webhook }, seconds)
  }

  certificateExpires(at: Instant): void {
    this.#certificate.set(at / 1000)
  }

  webhookProven(proven: boolean): void {
    this.#webhookProven.set(proven ? 1 : 0)
  }

  /** In Prometheus's text format. */
  async exposition(): Promise<string> {
    for (const { kind, connected } of this.#informer?.watches ?? [])
      this.#watchConnected.set({ kind }, connected ? 1 : 0)
    const parts = [await this.#own.metrics()]
    if (this.#leading) {
      this.workloads.catchUp()
      parts.push(await this.#controller.metrics())
    }
    return parts.map((part) => part.trimEnd()).join('\n\n') + '\n'
  }

  #registry(room: Room): { registers: Registry[] } {
    return { registers: [room === 'controller' ? this.#controller : this.#own] }
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[], room: Room = 'own'): Counter<L> {
    return new Counter({ name: `dormouse_${name}`, help, labelNames, ...this.#registry(room) })
  }

  #gauge<L extends string>(name: string, help: string, labelNames: L[], room: Room = 'own'): Gauge<L> {
    return new Gauge({ name: `dormouse_${name}`, help, labelNames, ...this.#registry(room) })
  }

  #histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
    room: Room = 'own',
  ): Histogram<L> {
    return new Histogram({ name: `dormouse_${name}`, help, labelNames, buckets, ...this.#registry(room) })
  }
}

type Room = 'own' | 'controller'
