import type { Dormouse, Found, Seen } from '../../client/ports.ts'
import { refusalOf } from './refusal.ts'

/** Milliseconds; the page opens a silent stream anew after 30 s. */
const BEAT = 10_000
/**
 * Milliseconds between reads of the whole list, for changes by time alone, and to test whether the cluster still
 * answers.
 */
const LIST_AGAIN = 60_000

/**
 * The list as server-sent events, as the API's `?watch=true`: all workloads, `listed`, then each change. Without ids:
 * after a lost connection the client begins anew. It ends with an event that says why, or when the signal is aborted.
 */
export async function* listEvents(
  dormouse: Pick<Dormouse, 'list' | 'watch'>,
  namespace: string | undefined,
  signal: AbortSignal,
  { beat = BEAT, listAgain = LIST_AGAIN } = {},
): AsyncGenerator<string> {
  const known = new Known()
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  try {
    const found = await dormouse.list({ namespace })
    for (const each of found) yield* known.told(each)
    yield event('listed', { workloads: found.length })
    const changes = new Changes(dormouse.watch({ namespace }, ended))
    let nextList = performance.now() + listAgain
    while (!signal.aborted) {
      for (const seen of await changes.next(beat, signal))
        yield* seen.gone ? known.removed(keyOf(seen)) : known.told(seen)
      if (signal.aborted) return
      yield ': bookmark\n\n'
      if (performance.now() < nextList) continue
      yield* known.replaced(await dormouse.list({ namespace }))
      nextList = performance.now() + listAgain
    }
  } catch (error) {
    if (signal.aborted) return
    const { code, message } = refusalOf(error)
    yield event('end', { code, message })
  } finally {
    stop.abort()
  }
}

/** The records that the page has. */
class Known {
  readonly #texts = new Map<string, string>()

  /** Nothing, where the page has it so already. */
  told(found: Found): string[] {
    const key = keyOf(found)
    const text = JSON.stringify(found.record)
    const before = this.#texts.get(key)
    if (before === text) return []
    this.#texts.set(key, text)
    return [`event: ${before === undefined ? 'added' : 'changed'}\ndata: ${text}\n\n`]
  }

  removed(key: string): string[] {
    if (!this.#texts.delete(key)) return []
    const [namespace, type, name] = key.split('/')
    return [event('removed', { name, namespace, type })]
  }

  replaced(all: readonly Found[]): string[] {
    const there = new Set(all.map(keyOf))
    const gone = [...this.#texts.keys()].filter((key) => !there.has(key))
    return [...gone.flatMap((key) => this.removed(key)), ...all.flatMap((found) => this.told(found))]
  }
}

/** Changes of a watch that are not read yet. */
class Changes {
  #brought: Seen[] = []
  #fault: { readonly error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(watch: AsyncIterable<Seen>) {
    void this.#gather(watch)
  }

  async #gather(watch: AsyncIterable<Seen>): Promise<void> {
    try {
      for await (const seen of watch) {
        this.#brought.push(seen)
        this.#wake()
      }
    } catch (error) {
      this.#fault = { error }
      this.#wake()
    }
  }

  /** The changes since the last call; waits for some, at most this many milliseconds. @throws the error of the watch */
  async next(timeout: number, signal: AbortSignal): Promise<readonly Seen[]> {
    if (this.#brought.length === 0 && !this.#fault && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const timer = setTimeout(resolve, timeout)
      const stop = () => resolve()
      signal.addEventListener('abort', stop, { once: true })
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    if (this.#fault && this.#brought.length === 0) throw this.#fault.error
    const brought = this.#brought
    this.#brought = []
    return brought
  }
}

/** The page's key: `shop/deployment/web`. */
function keyOf({ record: { namespace, type, name } }: Found): string {
  return `${namespace}/${type}/${name}`
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
