import type { Logger } from '../../process/logger.ts'
import { delay as systemDelay, type Delay } from '../delay.ts'
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
  readonly delay?: Delay | undefined
}

/** Probes whether API servers reach the webhook: every five minutes, and at each `begin`. */
export class WebhookProof {
  readonly #options: WebhookProofOptions
  readonly #stopping = new AbortController()
  #state: Proof = 'unknown'
  #failures = 0
  #again = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: WebhookProofOptions) {
    this.#options = options
  }

  get state(): Proof {
    return this.#state
  }

  get hasBegun(): boolean {
    return this.#running !== undefined
  }

  /** Probes now. Called once the configuration is as desired, and when the CA bundle or our certificate changes. */
  begin(): void {
    if (this.#stopping.signal.aborted) return
    this.#again.abort()
    this.#running ??= this.#run(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { probing: { every } = PROBING, delay = systemDelay, logger } = this.#options
    while (!signal.aborted) {
      this.#again = new AbortController()
      const either = AbortSignal.any([signal, this.#again.signal])
      try {
        this.#conclude(await this.#probed(either))
        await delay(every, either)
      } catch (err) {
        // Aborted: `begin` was called again, or `stop`.
        if (!either.aborted) {
          logger.error({ err }, 'the probe of the webhook failed')
          await delay(every, either).catch(() => {})
        }
      }
    }
  }

  async #probed(signal: AbortSignal): Promise<ProbeResult> {
    const { probe, probing: { tries } = PROBING, delay = systemDelay } = this.#options
    let result = await probe(signal)
    for (const pause of tries) {
      if (result.type === 'reached') break
      await delay(pause, signal)
      result = await probe(signal)
    }
    return result
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
