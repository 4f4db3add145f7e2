/** An instant: milliseconds since the epoch, UTC. */
export type Instant = number

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Everything takes its time from a clock that it was given; tests pass their own. */
export type Clock = () => Instant

export const systemClock: Clock = () => Date.now()

/** Milliseconds that only grow, even when the clock is set back: for delays. Another process counts from another zero. */
export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()

/** Calls back once, after so many milliseconds, unless the returned function is called before. */
export type Later = (callback: () => void, milliseconds: number) => () => void

export const systemLater: Later = (callback, milliseconds) => {
  const timeout = setTimeout(callback, milliseconds)
  return () => clearTimeout(timeout)
}

/** The same, but keeping no process alive. */
export const quietLater: Later = (callback, milliseconds) => {
  const timeout = setTimeout(callback, milliseconds).unref()
  return () => clearTimeout(timeout)
}

/** Milliseconds; no timer sleeps longer: `setTimeout` beyond 2^31 - 1 ms fires at once, and clocks may be set meanwhile. */
export const LONGEST_SLEEP = 60_000
