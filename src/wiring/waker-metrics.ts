import { KNOCK_STATES } from '../domain/traffic/knock.ts'
import type { KnockResult, Protocol, RefusalReason, WakerObserver } from '../waker/ports.ts'
import type { MetricFactory } from '../service/metrics/metric-factory.ts'

const RESULTS: readonly KnockResult[] = [...KNOCK_STATES, 'failed']
const REFUSALS: readonly RefusalReason[] = [
  'no-port',
  'full',
  'service-full',
  'silent',
  'automatic',
  'held',
  'off',
  'late',
]
const PROTOCOLS: readonly Protocol[] = ['http1', 'h2', 'tls', 'raw']
/** A pod starts in a second, or in some minutes. */
const SECONDS = [0.01, 0.05, 0.25, 1, 2.5, 5, 10, 20, 40, 60, 90, 180, 600]

/** The metrics that wakers export. */
export class WakerMetrics implements WakerObserver {
  readonly #knocks
  readonly #refused
  readonly #joined
  readonly #seconds
  readonly #connections

  /** `held`: connections that wait at present. */
  constructor(metrics: MetricFactory, held: () => number) {
    this.#knocks = metrics.counter(
      'waker_knocks_total',
      'Knocks of a waker, by the state that they found; failed: no answer, or a refusal.',
      ['result'],
    )
    metrics.gauge('waker_held', 'Connections that wait for a pod.', [], (gauge) => gauge.set(held()))
    this.#refused = metrics.counter(
      'waker_refused_total',
      "Connections in the modes any and connect that were not joined to a pod, or whose port is nobody's.",
      ['reason'],
    )
    this.#joined = metrics.counter('waker_joined_total', 'Connections that were joined to a pod.')
    this.#seconds = metrics.histogram(
      'waker_seconds_to_ready',
      'Seconds from the first byte of a connection until it was joined to a pod.',
      [],
      SECONDS,
    )
    this.#connections = metrics.counter(
      'waker_connections_total',
      'Connections in the modes any and connect, by what their first bytes are of.',
      ['protocol'],
    )
    for (const result of RESULTS) this.#knocks.inc({ result }, 0)
    for (const reason of REFUSALS) this.#refused.inc({ reason }, 0)
    for (const protocol of PROTOCOLS) this.#connections.inc({ protocol }, 0)
  }

  knocked(result: KnockResult): void {
    this.#knocks.inc({ result })
  }

  connected(protocol: Protocol): void {
    this.#connections.inc({ protocol })
  }

  refused(reason: RefusalReason): void {
    this.#refused.inc({ reason })
  }

  joined(seconds: number): void {
    this.#joined.inc()
    this.#seconds.observe(seconds)
  }
}
