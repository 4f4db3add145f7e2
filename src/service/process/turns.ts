import { setImmediate as nextTurn } from 'node:timers/promises'

const CALLS_A_TURN = 50

/**
 * Calls back for each item, 50 in a turn of the event loop, so that nothing else waits long. The next item is taken only
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
