import { setTimeout as pause } from 'node:timers/promises'
import type { Dormouse, Found } from '../../client/ports.ts'
import { refusalOf } from './call.ts'

/** Milliseconds; the page opens a silent stream anew after 30 s. */
export const BEAT = 10_000
/**
 * Milliseconds between reads of the whole list, for changes by time alone, and to test whether the cluster still
 * answers.
 */
const LIST_AGAIN = 60_000

/** A server-sent event (HTML, section 9.2); `data` is JSON. `bookmark`: nothing has happened. */
export interface ListEvent {
  readonly name: 'added' | 'changed' | 'removed' | 'listed' | 'cluster' | 'end' | 'bookmark'
  readonly data: string
}

export const BOOKMARK: ListEvent = { name: 'bookmark', data: '' }

/** The event as it is sent. */
export function textOf({ name, data }: ListEvent): string {
  return name === 'bookmark' ? ': bookmark\n\n' : `event: ${name}\ndata: ${data}\n\n`
}

/**
 * The list as server-sent events, as the API's `?watch=true`: all workloads, `listed`, then each change. Without ids:
 * after a lost connection the client begins anew. It ends with an event that says why, or when the signal is aborted.
 */
export async function* listEvents(
  dormouse: Pick<Dormouse, 'list' | 'watch'>,
  namespace: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    for await (const each of listChanges(dormouse, namespace, new Known(), signal)) yield textOf(each)
  } catch (error) {
    if (signal.aborted) return
    const { code, message } = refusalOf(error)
    yield textOf(event('end', { code, message }))
  }
}

/**
 * The events by which `known` becomes the present list, then `listed`, then an event for each change until the signal is
 * aborted. Fails as the port does.
 */
export async function* listChanges(
  dormouse: Pick<Dormouse, 'list' | 'watch'>,
  namespace: string | undefined,
  known: Known,
  signal: AbortSignal,
  listAgain = LIST_AGAIN,
): AsyncGenerator<ListEvent> {
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const changes = dormouse.watch({ namespace }, ended)[Symbol.asyncIterator]()
  const next = () => {
    const change = changes.next()
    // Its failure is reported once it is read.
    change.catch(() => undefined)
    return change
  }
  const beat = Math.min(BEAT, listAgain)
  const quiet = () => pause(beat, 'quiet' as const, { signal: ended }).catch(() => 'quiet' as const)
  try {
    const found = await dormouse.list({ namespace })
    yield* known.replaced(found)
    yield event('listed', { workloads: found.length })
    let [change, silence] = [next(), quiet()]
    let nextList = performance.now() + listAgain
    for (;;) {
      const seen = await Promise.race([change, silence])
      if (signal.aborted) return
      if (seen === 'quiet') {
        silence = quiet()
        yield BOOKMARK
      } else if (seen.done) return
      else {
        change = next()
        yield* seen.value.gone ? known.removed(keyOf(seen.value)) : known.told(seen.value)
      }
      if (performance.now() < nextList) continue
      yield* known.replaced(await dormouse.list({ namespace }))
      nextList = performance.now() + listAgain
    }
  } finally {
    stop.abort()
  }
}

/** The records that the page has of a cluster; `cluster`: each names it. */
export class Known {
  readonly #texts = new Map<string, string>()
  readonly #cluster: { readonly cluster?: string }

  constructor(cluster?: string) {
    this.#cluster = cluster === undefined ? {} : { cluster }
  }

  /** Nothing, where the page has it so already. */
  told(found: Found): ListEvent[] {
    const key = keyOf(found)
    const data = JSON.stringify({ ...this.#cluster, ...found.record })
    const before = this.#texts.get(key)
    if (before === data) return []
    this.#texts.set(key, data)
    return [{ name: before === undefined ? 'added' : 'changed', data }]
  }

  removed(key: string): ListEvent[] {
    if (!this.#texts.delete(key)) return []
    const [namespace, type, name] = key.split('/')
    return [event('removed', { ...this.#cluster, name, namespace, type })]
  }

  replaced(all: readonly Found[]): ListEvent[] {
    const there = new Set(all.map(keyOf))
    const gone = [...this.#texts.keys()].filter((key) => !there.has(key))
    return [...gone.flatMap((key) => this.removed(key)), ...all.flatMap((found) => this.told(found))]
  }
}

/** The page's key: `shop/deployment/web`. */
function keyOf({ record: { namespace, type, name } }: Found): string {
  return `${namespace}/${type}/${name}`
}

export function event(name: ListEvent['name'], data: object): ListEvent {
  return { name, data: JSON.stringify(data) }
}
