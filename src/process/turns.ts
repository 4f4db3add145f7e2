import { setImmediate as nextTurn } from 'node:timers/promises'

/** Five milliseconds of decisions: longer, and the writes of a wave would pause while the rest of it is decided. */
const CALLS_A_TURN = 10

/**
 * Calls back for each item, ten in a turn of the event loop, so that nothing else waits long. The next item is taken only
 * when it is its turn: the collection may change meanwhile. Resolves early when aborted.
 */
export async function inTurns<T>(
  items: Iterable<T>,
  call: (item: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let calls = 0
  for (const item of items) {
    if (signal?.aborted) return
    call(item)
    if (++calls % CALLS_A_TURN === 0) await nextTurn()
  }
}
