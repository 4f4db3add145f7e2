import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two attempts; longer for expensive questions. */
const PAUSE = 50

/**
 * Asks until the answer is neither undefined nor false, and returns it. A question that throws is asked
 * again; after `timeout` milliseconds its last error is the cause of the one thrown.
 */
export async function eventually<T>(
  waitedFor: string,
  question: () => Promise<T | undefined | false> | T | undefined | false,
  { timeout = 60_000, pause = PAUSE }: { timeout?: number; pause?: number } = {},
): Promise<T> {
  const giveUp = performance.now() + timeout
  for (;;) {
    let fault: unknown
    try {
      const answer = await question()
      if (answer !== undefined && answer !== false) return answer
    } catch (error) {
      fault = error
    }
    if (performance.now() >= giveUp) {
      const why = fault instanceof Error ? fault.message : 'it never came'
      throw new Error(`waited ${timeout / 1000} s for ${waitedFor}: ${why}`, { cause: fault })
    }
    await sleep(pause)
  }
}

/** Runs `work` for each item, at most `width` at a time, and returns the results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  width = 16,
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}
