import type { Instant } from '../clock.ts'

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The latest of the instants that exist. */
export function latest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
