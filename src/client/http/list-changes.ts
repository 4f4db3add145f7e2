import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { StatusRecord } from '../../domain/records/record.ts'
import { Refusal, type ErrorCode } from '../../process/errors.ts'
import { inOrder } from '../order.ts'
import type { Found, Seen } from '../ports.ts'
import { isPassing } from './failures.ts'
import type { StreamEvent } from './calls.ts'

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 15_000

type Names = Pick<StatusRecord, 'namespace' | 'type' | 'name'>

export interface ListStream {
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
export async function* followStream(stream: ListStream, signal: AbortSignal): AsyncGenerator<Seen> {
  const list = new StreamedList(stream)
  let wait = FIRST_PAUSE
  let isAway = false
  while (!signal.aborted) {
    try {
      list.begin()
      for await (const { event, data } of await stream.open(signal)) {
        wait = FIRST_PAUSE
        yield* await list.take(event, JSON.parse(data))
        if (isAway && event === 'listed') {
          stream.warn('Dormouse answers again: what is shown is current')
          isAway = false
        }
      }
      throw new Refusal('CLUSTER_UNAVAILABLE', 'the connection was closed')
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error) || !list.hasBegun) throw error
      if (!isAway) stream.warn(`what is shown may be old, until this is over: ${error.message}`)
      isAway = true
      await pause(wait, undefined, { signal }).catch(() => {})
      wait = Math.min(2 * wait, LONGEST_PAUSE)
    }
  }
}

/** The workloads that the stream has sent so far. */
class StreamedList {
  readonly #stream: ListStream
  #known = new Map<string, Found>()
  /** The list while it arrives; undefined: it is complete. */
  #listing: Map<string, Found> | undefined
  hasBegun = false

  constructor(stream: ListStream) {
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
    return [...differing(before, byName(inOrder(this.#known.values())))]
  }
}

function nameOf({ namespace, type, name }: Names): string {
  return `${namespace}/${type}/${name}`
}

function byName(found: readonly Found[]): ReadonlyMap<string, Found> {
  return new Map(found.map((each) => [nameOf(each.record), each]))
}

/** Milliseconds between two polls. */
const POLL_INTERVAL = 2000

/**
 * The workloads of a list, then the changes at each poll: for a person who may read one workload and not list it.
 * @throws Refusal if the first poll fails, or no further one can succeed
 */
export async function* pollList(
  present: () => Promise<readonly Found[]>,
  warn: (text: string) => void,
  signal: AbortSignal,
): AsyncGenerator<Seen> {
  let before: ReadonlyMap<string, Found> | undefined
  /** The message that reports an outage, once. */
  let reported: string | undefined
  while (!signal.aborted) {
    const now = await poll()
    if (now) yield* differing(before ?? new Map(), now)
    before = now ?? before
    await pause(POLL_INTERVAL, undefined, { signal }).catch(() => {})
  }

  /** undefined: this poll failed, and the next one may succeed. */
  async function poll(): Promise<ReadonlyMap<string, Found> | undefined> {
    try {
      const found = await present()
      reported = undefined
      return byName(found)
    } catch (error) {
      if (signal.aborted) return undefined
      if (!before || !isPassing(error)) throw error
      if (error.message !== reported) warn(`it is looked at again each 2 s: ${error.message}`)
      reported = error.message
      return undefined
    }
  }
}

/** Ignores the duration of a running operation, which grows by itself. */
function isSameRecord(one: Found, other: Found | undefined): boolean {
  return other !== undefined && isDeepStrictEqual(steady(one), steady(other))
}

/** The new and changed workloads of a list, then the removed ones; both lists by name. */
function* differing(before: ReadonlyMap<string, Found>, now: ReadonlyMap<string, Found>): Generator<Seen> {
  for (const [name, found] of now) if (!isSameRecord(found, before.get(name))) yield { ...found, gone: false }
  for (const [name, found] of before) if (!now.has(name)) yield { ...found, gone: true }
}

function steady({ record: { operation_history: history, ...record } }: Found): unknown {
  return { ...record, history: history.map(({ timestamp, result }) => [timestamp, result]) }
}
