/** An instant: milliseconds since the epoch, UTC. */
export type Instant = number

/** The only place outside `main.ts` that time comes from; tests pass their own. */
export type Clock = () => Instant

export const systemClock: Clock = () => Date.now()

/** Milliseconds that only grow, whatever the clock is set to: for delays. They mean nothing to another process. */
export type Monotonic = () => number

export const systemMonotonic: Monotonic = () => performance.now()
