import { LRUCache } from 'lru-cache'
import { MOST_KNOCKED, together, type KnockAnswer } from '../domain/traffic/knock.ts'
import type { Monotonic } from '../process/clock.ts'
import { messageOf } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'
import { TokenBucket } from '../process/token-bucket.ts'
import { serviceOf } from './places.ts'
import type { Knocking, SendKnock, ClaimedPort, WakerObserver } from './ports.ts'

/** Milliseconds: a Service is asked no more often, however many wait for it. */
const FRESH = 1000
/** Services whose latest answers are kept. */
const MOST_KEPT = 2000
/** Knocks a second, and at once, of all Services: half of what the API lets all wakers do. */
const RATE = [100, 1000] as const

interface Options {
  readonly send: SendKnock
  readonly observer: WakerObserver
  readonly monotonic: Monotonic
  readonly logger: Logger
  /** Ends knocks in flight. */
  readonly signal: AbortSignal
}

type Answer = KnockAnswer | undefined

/** Asks Dormouse about Services: one knock of each in flight, whose answer all who wait for it get. */
export class Knocks {
  readonly #options: Options
  readonly #inFlight = new Map<string, Promise<Answer>>()
  readonly #fresh: LRUCache<string, { readonly answer: Answer }>
  readonly #bucket = new TokenBucket(...RATE)
  #failures = 0
  #answered = false

  constructor(options: Options) {
    this.#options = options
    const perf = { now: options.monotonic }
    this.#fresh = new LRUCache({ max: MOST_KEPT, ttl: FRESH, ttlResolution: 0, perf })
  }

  /** Whether Dormouse has answered at least once. */
  get answered(): boolean {
    return this.#answered
  }

  of(port: ClaimedPort): Knocking {
    const service = serviceOf(port)
    const woken = `${service} wake`
    const looked = `${service} look`
    return {
      wake: () => this.#shared([woken], woken, port, true),
      // An answer to a wake tells as much.
      look: () => this.#shared([woken, looked], looked, port, false),
    }
  }

  #shared(known: readonly string[], key: string, port: ClaimedPort, wake: boolean): Promise<Answer> {
    for (const each of known) {
      const flying = this.#inFlight.get(each)
      if (flying) return flying
      const fresh = this.#fresh.get(each)
      if (fresh) return Promise.resolve(fresh.answer)
    }
    const flying = this.#knock(port, wake)
      .then((answer) => {
        this.#fresh.set(key, { answer })
        return answer
      })
      .finally(() => this.#inFlight.delete(key))
    this.#inFlight.set(key, flying)
    return flying
  }

  /** Never rejects. */
  async #knock({ namespace, service, port, workloads }: ClaimedPort, wake: boolean): Promise<Answer> {
    const { send, observer, monotonic, signal } = this.#options
    if (this.#bucket.wait(monotonic()) > 0) return undefined
    this.#bucket.take()
    try {
      const answers: KnockAnswer[] = []
      for (let from = 0; from === 0 || from < workloads.length; from += MOST_KNOCKED) {
        const part = workloads.slice(from, from + MOST_KNOCKED)
        answers.push(await send({ namespace, service, port, workloads: part, wake }, signal))
      }
      const answer = together(answers)
      this.#answered = true
      this.#failures = 0
      observer.knocked(answer.state)
      return answer
    } catch (error) {
      if (!signal.aborted) this.#failed(error)
      return undefined
    }
  }

  #failed(error: unknown): void {
    const { observer, logger } = this.#options
    observer.knocked('failed')
    const level = this.#failures++ === 0 ? 'warn' : 'debug'
    logger[level]({ error: messageOf(error) }, 'a knock failed, so nothing wakes; it is tried again')
  }
}
