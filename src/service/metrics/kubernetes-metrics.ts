import type { Kind } from '../../domain/workload/workload.ts'
import type { KubernetesObserver, TrafficResource } from '../../kubernetes/ports.ts'
import type { HandlerFailed } from './handler-failures.ts'
import type { MetricFactory } from './metric-factory.ts'

/** The commonest reason: a proxy or an API server that stops ended the watch early. */
const ORDINARY = 'ended'

/** The informer, which is asked at each scrape. */
export interface Informer {
  readonly watches: Iterable<{
    readonly kind: Kind | 'namespaces' | TrafficResource
    readonly connected: boolean
  }>
  /** Those that are watched only while this replica leads. */
  readonly whileLeading?: readonly TrafficResource[]
}

/** Our calls to the API server, and our watches. */
export class KubernetesMetrics implements KubernetesObserver {
  readonly #handlerFailed: HandlerFailed
  readonly #requests
  readonly #durations
  readonly #restarts
  readonly #eventsDropped
  #watches: () => Informer['watches'] = () => []

  /** `leader`: for Events, which the leader alone writes. */
  constructor(factory: MetricFactory, leader: MetricFactory, handlerFailed: HandlerFailed) {
    this.#handlerFailed = handlerFailed
    this.#requests = factory.counter(
      'kubernetes_requests_total',
      'Calls to the Kubernetes API, by verb, resource and status code (0: no answer).',
      ['verb', 'resource', 'code'],
    )
    this.#durations = factory.histogram(
      'kubernetes_request_duration_seconds',
      'How long calls to the Kubernetes API took.',
      ['verb', 'resource'],
    )
    factory.gauge(
      'watch_connected',
      'Whether the watch of this kind is connected (1) or not (0); while it is not, changes go unnoticed.',
      ['kind'],
      (gauge) => {
        for (const { kind, connected } of this.#watches()) gauge.set({ kind }, connected ? 1 : 0)
      },
    )
    this.#restarts = factory.counter(
      'watch_restarts_total',
      'Watches that ended early or failed and were restarted, by kind and reason.',
      ['kind', 'reason'],
    )
    this.#eventsDropped = leader.counter(
      'events_dropped_total',
      'Kubernetes Events that were not written, to spare the API server.',
    )
  }

  /** To be called once, before the first scrape; the informer is asked at each. */
  follow(informer: Informer): void {
    const kinds = Array.from(informer.watches, ({ kind }) => kind)
    for (const kind of [...kinds, ...(informer.whileLeading ?? [])])
      this.#restarts.inc({ kind, reason: ORDINARY }, 0)
    this.#watches = () => informer.watches
  }

  request(verb: string, resource: string, code: number, seconds: number): void {
    this.#requests.inc({ verb, resource, code })
    this.#durations.observe({ verb, resource }, seconds)
  }

  /** `reason` from a fixed set. */
  watchRestarted(kind: Kind | 'namespaces' | TrafficResource, reason: string): void {
    this.#restarts.inc({ kind, reason })
  }

  eventDropped(): void {
    this.#eventsDropped.inc()
  }

  listenerFailed(): void {
    this.#handlerFailed('informer')
  }
}
