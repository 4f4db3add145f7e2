import type { Instant } from '../../process/clock.ts'
import { nameOfCompanion, valueOf, type Companion } from './companion.ts'

/** Milliseconds: the longest time that something busy holds sleep back. */
const LONGEST = 2 * 3_600_000

/** Something beside a workload that sleep would disturb, or that may be there. */
export interface Busy {
  /** `Backup nightly of it is running` */
  readonly why: string
  /** Since when it is there; undefined: unknown. */
  readonly since: Instant | undefined
}

/** The first of these that is busy by the value of its row; undefined: none. */
export function busyAmong(companions: readonly Companion[]): Busy | undefined {
  const busy = companions.find(
    (each) => !each.deleting && each.row.busy?.some((value) => value === valueOf(each)),
  )
  return busy && { why: `${nameOfCompanion(busy)} of it is ${String(valueOf(busy))}`, since: busy.createdAt }
}

/** The end of the time that it may hold back what was due at an instant; undefined: it does not hold it. */
export function heldUntil({ since }: Busy, dueAt: Instant | undefined, now: Instant): Instant | undefined {
  const begun = dueAt ?? since
  const until = begun === undefined ? now : begun + LONGEST
  return until > now ? until : undefined
}
