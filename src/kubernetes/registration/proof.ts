import { Companions } from '../../process/companions.ts'
import type { Logger } from '../../process/logger.ts'
import type { ProbeResult } from './probe.ts'

/** Whether API servers reach the webhook; `unknown`: too few probes yet. */
export type Proof = 'unknown' | 'proven' | 'unproven'

/** When the webhook is probed, in milliseconds. */
export interface Probing {
  /** Between two probes. */
  readonly every: number
  /** Before each retry of a failed probe: a configuration takes a moment to reach every API server. */
  readonly tries: readonly number[]
}

const PROBING: Probing = { every: 5 * 60_000, tries: [1000, 2000, 4000, 8000, 15_000] }
/** This many failed probes in a row end a proof. */
const FAILURES = 2

interface WebhookProofOptions {
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>
  /** Whether the webhook's policy is Fail. If not, one failure already counts: it changes nothing for users. */
  readonly isInForce: () => boolean
  readonly onChange: (proof: Proof, why: string) => void
  readonly logger: Logger
  readonly probing?: Probing | undefined
}

/** Probes whether API servers reach the webhook: every five minutes, and at each `begin`. */
export class WebhookProof {
  readonly #options: WebhookProofOptions
  readonly #loop: Companions
  #state: Proof = 'unknown'
  #failures = 0
  /** How often `begin` was called. */
  #begun = 0
  /** Retries since the last conclusion. */
  #tries = 0

  constructor(options: WebhookProofOptions) {
    this.#options = options
    this.#loop = new Companions({
      name: 'proof of the webhook',
      due: () => ({ change: String(this.#begun) }),
      reconcile: (_, signal) => this.#probe(signal),
      failed: (err) => {
        options.logger.error({ err }, 'the probe of the webhook failed')
        return this.#probing.every
      },
    })
    void this.#loop.start()
  }

  get state(): Proof {
    return this.#state
  }

  get hasBegun(): boolean {
    return this.#begun > 0
  }

  get #probing(): Probing {
    return this.#options.probing ?? PROBING
  }

  /** Probes now. Called once the configuration is as desired, and when the CA bundle or our certificate changes. */
  begin(): void {
    this.#begun++
    this.#tries = 0
    this.#loop.changed()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /** Resolves with the milliseconds until the next probe. */
  async #probe(signal: AbortSignal): Promise<number> {
    const { every, tries } = this.#probing
    const result = await this.#options.probe(signal)
    const pause = result.type === 'reached' ? undefined : tries[this.#tries++]
    if (pause !== undefined) return pause
    this.#tries = 0
    this.#conclude(result)
    return every
  }

  #conclude(result: ProbeResult): void {
    const { isInForce, logger } = this.#options
    if (result.type === 'unknown') return
    if (result.type === 'reached') {
      this.#failures = 0
      return this.#turn('proven', '')
    }
    this.#failures += 1
    logger.warn({ why: result.why, failures: this.#failures }, 'the API server did not reach the webhook')
    const inForce = this.#state === 'proven' || isInForce()
    if (this.#failures >= FAILURES || !inForce) this.#turn('unproven', result.why)
  }

  /** Reports `unproven` again even if it was unproven before: Events expire. */
  #turn(state: Proof, why: string): void {
    const before = this.#state
    this.#state = state
    if (state !== before || state === 'unproven') this.#options.onChange(state, why)
  }
}
