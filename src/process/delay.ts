import { setTimeout } from 'node:timers/promises'

/** Resolves after that many milliseconds; rejects with an AbortError when the signal is aborted first. */
export type Delay = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export const delay: Delay = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, signal ? { signal } : {})

/**
 * Exponential backoff with jitter: milliseconds to wait after the failed attempt `attempt` (from 1), between half
 * and all of `first` · 2^(attempt − 1), at most `max`.
 */
export function retryDelay(attempt: number, first: number, max: number): number {
  const whole = Math.min(max, first * 2 ** (attempt - 1))
  return whole * (0.5 + Math.random() / 2)
}
