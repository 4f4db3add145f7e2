import type { StatusRecord } from '../domain/records/record.ts'
import { replicaTime, SAVED_OVER } from '../domain/records/replica-time.ts'
import type { SavedAmounts } from '../domain/records/saved.ts'

/** Beside every amount, in texts and for programs: a provider bills nodes, not what pods request. */
export const BASIS = 'requested, not billed'

/** Replicas that sleep saved in the last week, multiplied by the hours asleep, as far as the history reaches. */
export function savedReplicaHours(record: StatusRecord, now: number): number {
  const { snoozed_at: since, is_snoozed: asleep, last_replicas: kept, operation_history } = record
  // A suspended CronJob saves nothing that could be measured.
  if (record.type === 'cronjob') return 0
  const history = operation_history.map(({ type, timestamp, replicas, result }) => {
    return { type, at: Date.parse(timestamp), replicas, result }
  })
  const sleep =
    asleep && since !== null
      ? { since: Date.parse(since), replicas: Math.max(0, kept - record.current_replicas) }
      : undefined
  return replicaTime(history, sleep, { from: now - SAVED_OVER, now }) / 3_600_000
}

/** The sum of what records say; without money where they have several currencies, which have no sum. */
export function sumOf(all: readonly SavedAmounts[]): SavedAmounts {
  const sum = (of: (each: SavedAmounts) => number) => all.reduce((before, each) => before + of(each), 0)
  const [currency, ...others] = new Set(all.flatMap(({ money }) => money?.currency ?? []))
  const amount = Math.round(sum(({ money }) => money?.amount ?? 0) * 1e6) / 1e6
  return {
    replica_seconds: sum((each) => each.replica_seconds),
    cpu_core_seconds: sum((each) => each.cpu_core_seconds),
    memory_byte_seconds: sum((each) => each.memory_byte_seconds),
    money: currency === undefined || others.length > 0 ? null : { amount, currency },
  }
}

/** `7.5`, `1,204`: a number of hours. */
export function hoursText(hours: number): string {
  return hours.toLocaleString('en', { maximumFractionDigits: hours < 10 ? 1 : 0 })
}
