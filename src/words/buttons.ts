import type { StatusRecord } from '../domain/records/record.ts'
import { isBroken, isReleased } from './state.ts'

/** A button for what can be asked of a workload in its present state. */
export interface Choice {
  readonly id: ChoiceId
  readonly label: string
  readonly hint: string
}

/** Labels and hints, of one that sleeps or runs. */
const wordsOf = (asleep: boolean) =>
  ({
    enable: ['Repair', 'Begin anew, with the count of its label.'],
    unpin: ['Unpin', 'Its schedule and requests count again.'],
    resume: ['Resume schedule', 'Its schedule counts again.'],
    wake: ['Wake 4 h', 'Awake for four hours, whatever its schedule says.'],
    awake: ['Awake 4 h', 'Stays awake for four hours, whatever its schedule says.'],
    snooze: ['Snooze', 'Asleep until its schedule wakes it.'],
    keep: ['Keep awake', 'Awake, with its schedule off, until somebody resumes it.'],
    pin: ['Pin', `Held ${asleep ? 'asleep' : 'awake'}: nobody can scale it, until somebody unpins it.`],
    disable: ['Stop managing', `Dormouse leaves it alone${asleep ? ', and wakes it' : ''}.`],
  }) as const
export type ChoiceId = keyof ReturnType<typeof wordsOf>

/** The hours of a wake by a button, in milliseconds. */
export const WAKE_FOR = 4 * 3_600_000

/** The buttons of a workload, those of its present state alone; the first is the likeliest. */
export function choicesOf(record: StatusRecord): Choice[] {
  const told = isReleased(record) ? 'Everything is released: nothing is automatic until that is undone. ' : ''
  const words = wordsOf(record.is_snoozed)
  return idsOf(record).map((id) => {
    const [label, hint] = words[id]
    return { id, label, hint: `${told}${hint}` }
  })
}

function idsOf(record: StatusRecord): ChoiceId[] {
  const { held_by: holder, enabled, is_snoozed: asleep } = record
  if (isBroken(record)) return ['enable']
  if (holder === 'pin') return ['unpin']
  const isOverridden = holder === 'override'
  // Without hours yet: they are asked for first.
  if (!enabled) return isOverridden ? ['resume'] : []
  const moves: ChoiceId[] = asleep ? ['wake'] : ['awake', 'snooze']
  return [...moves, isOverridden ? 'resume' : 'keep', 'pin', 'disable']
}
