import type { Runnable } from '../runnable.ts'

/**
 * Starts the parts in order, tells when all are ready, and stops them in reverse once `signal` is
 * aborted, even while one of them is still starting (a cluster that does not answer).
 * Rejects when a part cannot start; those before it are stopped then, too.
 */
export async function runUntilStopped(
  parts: readonly Runnable[],
  signal: AbortSignal,
  ready: () => void,
): Promise<void> {
  const started: Runnable[] = []
  const aborted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => aborted.resolve(), { once: true })
  if (signal.aborted) aborted.resolve()
  try {
    for (const part of parts) {
      if (signal.aborted) break
      started.push(part)
      const starting = part.start()
      // Stopping a part that is still starting makes its start reject, which is then no news.
      await Promise.race([starting, aborted.promise])
      if (signal.aborted) starting.catch(() => {})
    }
    if (!signal.aborted) ready()
    await aborted.promise
  } finally {
    for (const part of started.toReversed()) await part.stop()
  }
}
