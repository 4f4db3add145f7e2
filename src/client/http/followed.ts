import { setTimeout as pause } from 'node:timers/promises'
import type { StatusRecord } from '../../domain/records/record.ts'
import { Refusal, type ErrorCode } from '../../service/process/errors.ts'
import type { Found, Seen } from '../ports.ts'
import { byName, differing, isSameRecord, nameIn } from './compared.ts'
import { isPassing } from './failures.ts'
import type { StreamEvent } from './calls.ts'

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 15_000

type Names = Pick<StatusRecord, 'namespace' | 'type' | 'name'>

export interface Followed {
  open(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>
  /** undefined: of a kind that is not known here. */
  found(record: StatusRecord): Promise<Found | undefined>
  warn(text: string): void
}

/**
 * The workloads of a list's stream, then each change, until the signal is aborted. After a broken connection, the list
 * is read again, and the differences are returned.
 * @throws Refusal if the first attempt fails, or no further one can succeed
 */
export async function* followed(stream: Followed, signal: AbortSignal): AsyncGenerator<Seen> {
  const list = new FollowedList(stream)
  let wait = FIRST_PAUSE
  while (!signal.aborted) {
    try {
      list.begin()
      for await (const { event, data } of await stream.open(signal)) {
        wait = FIRST_PAUSE
        yield* await list.take(event, JSON.parse(data))
      }
      throw new Refusal('CLUSTER_UNAVAILABLE', 'the connection was closed')
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error) || !list.hasBegun) throw error
      stream.warn(`the list was interrupted, and is followed again: ${error.message}`)
      await pause(wait, undefined, { signal }).catch(() => {})
      wait = Math.min(2 * wait, LONGEST_PAUSE)
    }
  }
}

/** The workloads that the stream has sent so far. */
class FollowedList {
  readonly #stream: Followed
  #known = new Map<string, Found>()
  /** The list while it arrives; undefined: it is complete. */
  #listing: Map<string, Found> | undefined
  hasBegun = false

  constructor(stream: Followed) {
    this.#stream = stream
  }

  begin(): void {
    this.#listing = new Map()
  }

  /** @throws Refusal: the stream has ended, with the reason */
  async take(event: string, told: unknown): Promise<Seen[]> {
    switch (event) {
      case 'added':
      case 'changed': {
        const found = await this.#stream.found(told as StatusRecord)
        if (!found) return []
        const name = nameOf(found.record)
        if (this.#listing) {
          this.#listing.set(name, found)
          return []
        }
        const before = this.#known.get(name)
        this.#known.set(name, found)
        return isSameRecord(found, before) ? [] : [{ ...found, gone: false }]
      }
      case 'removed': {
        const name = nameOf(told as Names)
        const before = this.#known.get(name)
        this.#listing?.delete(name)
        if (!before || this.#listing) return []
        this.#known.delete(name)
        return [{ ...before, gone: true }]
      }
      case 'listed':
        return this.#listed()
      case 'end': {
        const { code, message } = told as { code: ErrorCode | null; message: string }
        throw new Refusal(code ?? 'CLUSTER_UNAVAILABLE', message)
      }
      default:
        return []
    }
  }

  #listed(): Seen[] {
    const before = this.#known
    this.hasBegun = true
    this.#known = this.#listing ?? before
    this.#listing = undefined
    return [...differing(before, new Map([...this.#known].sort(([, a], [, b]) => byName(a, b))))]
  }
}

function nameOf({ namespace, type, name }: Names): string {
  return `${namespace}/${type}/${name}`
}

/** Milliseconds between two looks. */
const LOOK_AGAIN = 2000

/**
 * The workloads that are there, then at each further look those that differ: for a person who may read one workload and not
 * list it, and for a Dormouse that knows no streams.
 * @throws Refusal where the first look fails, or no further one can succeed
 */
export async function* lookedAt(
  present: () => Promise<readonly Found[]>,
  warn: (text: string) => void,
  signal: AbortSignal,
): AsyncGenerator<Seen> {
  let before: ReadonlyMap<string, Found> | undefined
  /** The message that reports an outage, once. */
  let told: string | undefined
  while (!signal.aborted) {
    const now = await looked()
    if (now) yield* differing(before ?? new Map(), now)
    before = now ?? before
    await pause(LOOK_AGAIN, undefined, { signal }).catch(() => {})
  }

  /** undefined: this look failed, and the next one may not. */
  async function looked(): Promise<ReadonlyMap<string, Found> | undefined> {
    try {
      const found = await present()
      told = undefined
      return new Map(found.map((each) => [nameIn(each), each]))
    } catch (error) {
      if (signal.aborted) return undefined
      if (!before || !isPassing(error)) throw error
      if (error.message !== told) warn(`it is looked at again each 2 s: ${error.message}`)
      told = error.message
      return undefined
    }
  }
}
