import type { Logger } from '../logger.ts'
import { delay as systemDelay, type Delay } from './delay.ts'
import type { ProbeResult } from './webhook-probe.ts'

/** `unknown`: not tried long enough to say. */
export type Proof = 'unknown' | 'proven' | 'unproven'

/** When the way to the webhook is tried: milliseconds. */
export interface Probing {
  /** From one probe to the next. */
  readonly every: number
  /** Before each further try of a probe that failed: a configuration takes a moment to reach every API server. */
  readonly tries: readonly number[]
}

const PROBING: Probing = { every: 5 * 60_000, tries: [1000, 2000, 4000, 8000, 15_000] }
/** So many probes that fail in a row undo a proof. */
const FAILURES = 2

interface WebhookProofOptions {
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>
  /** Whether manual scaling fails without us: then one failure alone is not told, since nothing changes by it. */
  readonly isInForce: () => boolean
  readonly onChange: (proof: Proof, why: string) => void
  readonly logger: Logger
  readonly probing?: Probing | undefined
  readonly delay?: Delay | undefined
}

/** Whether API servers reach the webhook, tried every five minutes and whenever there is reason to. */
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

  /** Probes now: the first time, and after a change of what the API server trusts or what we serve by. */
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
        this.#judge(await this.#probed(either))
        await delay(every, either)
      } catch (err) {
        // Begun anew, or stopped.
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

  #judge(result: ProbeResult): void {
    const { isInForce, logger } = this.#options
    if (result.type === 'unknown') return
    if (result.type === 'reached') {
      this.#failures = 0
      return this.#turn('proven', '')
    }
    this.#failures += 1
    logger.warn({ why: result.why, failures: this.#failures }, 'the API server did not reach the webhook')
    const rests = this.#state === 'proven' || isInForce()
    if (this.#failures >= FAILURES || !rests) this.#turn('unproven', result.why)
  }

  /** What stays unproven is told again: Events do not last. */
  #turn(state: Proof, why: string): void {
    const before = this.#state
    this.#state = state
    if (state !== before || state === 'unproven') this.#options.onChange(state, why)
  }
}
