const MINUTE = 60_000
const HOURS = 60
const DAY = 24 * 60

/** A daily window in UTC, from the minute of `start` to the minute of `end`. */
export function awakeBetween(start: number, end: number): string {
  return `${clockTime(start)}-${clockTime(end)}`
}

/** Awake now, with hours before the next edge. */
export function awakeNow(now = Date.now()): string {
  return awakeBetween(now - 6 * HOURS * MINUTE, now + 6 * HOURS * MINUTE)
}

/** Asleep now, with hours before the next edge. */
export function asleepNow(now = Date.now()): string {
  return awakeBetween(now + 6 * HOURS * MINUTE, now + 8 * HOURS * MINUTE)
}

/** Awake until `edge`, an instant at a full minute, and asleep from it on for hours. */
export function sleepsAt(edge: number): string {
  return awakeBetween(edge - 6 * HOURS * MINUTE, edge)
}

/** Asleep until `edge` and awake from it on for hours. */
export function wakesAt(edge: number): string {
  return awakeBetween(edge, edge + 6 * HOURS * MINUTE)
}

/** The first full minute that is at least `least` milliseconds away. */
export function comingMinute(least: number, now = Date.now()): number {
  return Math.ceil((now + least) / MINUTE) * MINUTE
}

function clockTime(instant: number): string {
  const minutes = Math.floor(instant / MINUTE) % DAY
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}
