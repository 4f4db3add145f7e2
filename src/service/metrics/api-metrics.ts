import type { RequestObserver } from '../api/ports.ts'
import type { MetricFactory } from './metric-factory.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The answers of our API. */
export class ApiMetrics implements RequestObserver {
  readonly #requests
  readonly #durations

  constructor(factory: MetricFactory) {
    this.#requests = factory.counter(
      'http_requests_total',
      'Requests answered by the API, by route, method and status code.',
      ['route', 'method', 'code'],
    )
    this.#durations = factory.histogram('http_request_duration_seconds', 'How long the API took to answer.', [
      'route',
      'method',
      'code',
    ])
  }

  /** `route` from a fixed set; an unusual method, which strangers may make up, becomes `other`. */
  answered(route: string, method: string, code: number, seconds: number): void {
    const labels = { route, method: METHODS.has(method) ? method : 'other', code }
    this.#requests.inc(labels)
    this.#durations.observe(labels, seconds)
  }
}
