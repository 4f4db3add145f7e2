import type { StatusRecord } from '../domain/records/record.ts'
import { hasUnknownHours } from './state.ts'
import { localised } from './time.ts'

/** The reason of a workload's state for people, without calls to end it: the buttons do that. */
export function reasonOf({ reason, reason_code: code }: StatusRecord, now: number): string {
  return code === 'not_managed' ? 'Dormouse leaves it alone' : localised(reason, now)
}

/** In place of the next change, where none is known. */
export function noNextText(record: Pick<StatusRecord, 'enabled' | 'reason_values'>): string {
  if (!record.enabled) return '–'
  return hasUnknownHours(record) ? 'not known here' : 'nothing planned'
}
