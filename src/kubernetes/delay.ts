import { setTimeout } from 'node:timers/promises'

/** Resolves after so many milliseconds; rejects with the signal's AbortError if that comes first. */
export type Delay = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export const delay: Delay = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, signal ? { signal } : {})

/**
 * Exponential backoff with jitter: milliseconds to wait before the given attempt (from 1), between
 * half of `first` · 2^(attempt − 1) and the whole, at most `max`.
 */
export function retryDelay(attempt: number, first: number, max: number): number {
  const whole = Math.min(max, first * 2 ** (attempt - 1))
  return whole * (0.5 + Math.random() / 2)
}
