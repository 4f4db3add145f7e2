/**
 * The clocks of a zone, walked minute by minute with nothing but Intl, to compare schedules with. Local minutes are
 * counted as in UTC.
 */
export interface WallClock {
  /** The first instant walked, and how many minutes were. */
  from: number
  minutes: number
  /** When the clocks come to show this local minute for the first time, or as much later as they skip. */
  comesAt(local: number): number
  /** Midnights of the local days that there are. */
  midnights: number[]
}

const MINUTE = 60_000
const HOUR = 60
const DAY = 24 * 60

export function walk(zone: string, from: number, to: number): WallClock {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  // By local minute from a day before the first: no zone is further from UTC.
  const base = from / MINUTE - DAY
  const firsts = new Float64Array((to - from) / MINUTE + 2 * DAY).fill(NaN)
  const days = new Set<number>()
  let last: number | undefined
  let next = offset(format, from / MINUTE)
  for (let hour = from / MINUTE; hour < to / MINUTE; hour += HOUR) {
    let shown = next
    next = offset(format, hour + HOUR)
    const steady = shown === next
    for (let minute = hour; minute < hour + HOUR; minute += 1) {
      if (!steady) shown = offset(format, minute)
      const local = minute + shown
      for (let skipped = (last ?? local) + 1; skipped < local; skipped += 1)
        firsts[skipped - base] = minute + (skipped - (last ?? local) - 1)
      if (last === undefined || local > last) firsts[local - base] = minute
      if (local % DAY === DAY / 2) days.add(local - DAY / 2)
      last = Math.max(local, last ?? local)
    }
  }
  return {
    from: from / MINUTE,
    minutes: (to - from) / MINUTE,
    comesAt: (local) => firsts[local - base] ?? NaN,
    midnights: [...days],
  }
}

function offset(format: Intl.DateTimeFormat, minute: number): number {
  const text = format.format(minute * MINUTE)
  const found = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text)
  const size = Number(found?.[2] ?? 0) * 60 + Number(found?.[3] ?? 0)
  return found?.[1] === '-' ? -size : size
}
