import type { CertificateObserver } from '../certificates/ports.ts'
import type { Instant } from '../../process/clock.ts'
import type { Observer } from '../webhook/ports.ts'
import type { MetricFactory } from './metric-factory.ts'

const WEBHOOKS = ['scale', 'workloads']
/** The answers that are a fault of Dormouse, which an alert counts. */
const FAULTS = [
  { webhook: 'scale', decision: 'denied', reason: 'failed' },
  { webhook: 'scale', decision: 'denied', reason: 'unchecked' },
  { webhook: 'workloads', decision: 'allowed', reason: 'failed' },
]

/** The webhook's reviews, its certificate, and whether the API server reaches it. */
export class WebhookMetrics implements Observer, CertificateObserver {
  readonly #reviews
  readonly #durations
  readonly #expiry
  readonly #proven

  /** `leader`: for the proof, which the leader alone tries. */
  constructor(factory: MetricFactory, leader: MetricFactory) {
    this.#reviews = factory.counter(
      'admission_reviews_total',
      'Admission reviews decided, by webhook, decision and reason.',
      ['webhook', 'decision', 'reason'],
    )
    for (const fault of FAULTS) this.#reviews.inc(fault, 0)
    this.#durations = factory.histogram('admission_duration_seconds', 'How long admission reviews took.', [
      'webhook',
    ])
    for (const webhook of WEBHOOKS) this.#durations.zero({ webhook })
    this.#expiry = factory.gauge(
      'certificate_expiry_timestamp_seconds',
      'When the serving certificate expires, in seconds since the epoch.',
    )
    this.#proven = leader.gauge(
      'webhook_proven',
      'Whether the API server was seen to reach the webhook (1) or not (0); without it manual scaling goes unchecked.',
    )
    // Absent rather than 0 until there is a certificate: 0 would be a time long past.
    this.#expiry.remove()
    this.forgetProof()
  }

  /** `reason` from a fixed set. */
  admission(
    webhook: string,
    decision: 'allowed' | 'denied' | 'patched',
    reason: string,
    seconds: number,
  ): void {
    this.#reviews.inc({ webhook, decision, reason })
    this.#durations.observe({ webhook }, seconds)
  }

  certificateExpires(at: Instant): void {
    this.#expiry.set(at / 1000)
  }

  proven(proven: boolean): void {
    this.#proven.set(proven ? 1 : 0)
  }

  /** Removes the proof from the metrics until there is a new one. */
  forgetProof(): void {
    this.#proven.remove()
  }
}
