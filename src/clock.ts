/** An instant: milliseconds since the epoch, UTC. */
export type Instant = number

/** The only place outside `main.ts` that time comes from; tests pass their own. */
export type Clock = () => Instant

export const systemClock: Clock = () => Date.now()
