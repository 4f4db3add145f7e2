import { setTimeout as pause } from 'node:timers/promises'
import type { Dormouse, Found } from '../../client/ports.ts'
import { refusalOf } from './call.ts'

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
): AsyncGenerator<string> {
  const known = new Known()
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const changes = dormouse.watch({ namespace }, ended)[Symbol.asyncIterator]()
  const next = () => {
    const change = changes.next()
    // Its failure is reported once it is read.
    change.catch(() => undefined)
    return change
  }
  const quiet = () => pause(BEAT, 'quiet' as const, { signal: ended }).catch(() => 'quiet' as const)
  try {
    const found = await dormouse.list({ namespace })
    for (const each of found) yield* known.told(each)
    yield event('listed', { workloads: found.length })
    let [change, silence] = [next(), quiet()]
    let nextList = performance.now() + LIST_AGAIN
    for (;;) {
      const seen = await Promise.race([change, silence])
      if (signal.aborted) return
      if (seen === 'quiet') {
        silence = quiet()
        yield ': bookmark\n\n'
      } else if (seen.done) return
      else {
        change = next()
        yield* seen.value.gone ? known.removed(keyOf(seen.value)) : known.told(seen.value)
      }
      if (performance.now() < nextList) continue
      yield* known.replaced(await dormouse.list({ namespace }))
      nextList = performance.now() + LIST_AGAIN
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

/** The page's key: `shop/deployment/web`. */
function keyOf({ record: { namespace, type, name } }: Found): string {
  return `${namespace}/${type}/${name}`
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
