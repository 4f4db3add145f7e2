/** An instant: milliseconds since the epoch, UTC. */
export type Instant = number

/** The only place outside `main.ts` that time comes from; tests pass their own. */
export type Clock = () => Instant

export const systemClock: Clock = () => Date.now()

/** Milliseconds that only grow, whatever the clock is set to: for delays. They mean nothing to another process. */
export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()

/** Calls back once, after this many milliseconds, unless the function that it returns is called before. */
export type Later = (callback: () => void, milliseconds: number) => () => void

export const systemLater: Later = (callback, milliseconds) => {
  const timeout = setTimeout(callback, milliseconds)
  return () => clearTimeout(timeout)
}

/** Milliseconds. `setTimeout` beyond 2^31 - 1 ms fires at once, and clocks jump: sleep no longer than this. */
export const LONGEST_SLEEP = 60_000
