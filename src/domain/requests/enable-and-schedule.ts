import { Refusal } from '../../errors.ts'
import { scheduledState } from '../schedule-in-force.ts'
import { newIntent } from '../intent.ts'
import { transition } from '../operation.ts'
import { countToWake } from '../counts.ts'
import { withAnnotations, withState, type Reading } from '../reading.ts'
import { meansTheSame, rescheduled } from '../rescheduled.ts'
import { canonical, InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { cleared, isCleared, without } from '../state.ts'
import { follow, type Context, type Outcome } from './handler.ts'

interface Hours {
  readonly schedule?: string
  readonly timezone?: string
}

/** `repair`: the state could not be read, and is built again from label, key and count. */
export function enable(context: Context, hours: Hours, repair: boolean): Outcome {
  const { reading, by, now, rules } = context
  if (reading.enabled === true && !repair) {
    const asked = { ...(hours.schedule ? { schedule: hours.schedule } : {}), ...zoneOf(hours) }
    const outcome = Object.keys(asked).length > 0 ? setHours(context, asked) : undefined
    return outcome && outcome.target !== reading ? outcome : { target: reading, done: 'already enabled' }
  }
  const set = {
    enabled: 'true',
    ...(hours.schedule ? { schedule: canonicalText(hours.schedule) } : {}),
    ...zoneChange(hours),
  }
  const enabled = withAnnotations(reading, set, rules)
  const want = scheduledState(enabled, now)
  const intent =
    want === undefined ? {} : { intent: newIntent(enabled, now, { want, by, trigger: 'schedule' }) }
  // The counter is lost. The seconds of the clock are ahead of any, so a repair is never taken for an old copy.
  const counter = repair ? Math.floor(now / 1000) : enabled.state.counter
  const target = follow(withState(enabled, { ...enabled.state, counter, ...intent }), now, rules)
  return { target, done: repair ? 'repaired and enabled' : 'enabled' }
}

export function disable({ reading, by, now, rules }: Context): Outcome {
  const { state, enabled } = reading
  if (enabled === false && !state.asleep && isCleared(state))
    return { target: reading, done: 'nothing to do' }
  const off = withAnnotations(reading, { enabled: 'false' }, rules)
  const freed = withState(off, cleared(state))
  if (!state.asleep) return { target: freed, done: 'disabled' }
  const replicas = countToWake(reading)
  const woken = transition(freed, { action: 'wake', trigger: 'disable', by, replicas }, now, rules)
  return { target: withState(woken, without(woken.state, 'backoff')), done: 'disabled and woken' }
}

/** PUT schedule: without a schedule, or with an empty one, it is removed; a zone alone keeps it. */
export function putSchedule(context: Context, hours: Hours): Outcome {
  const keeps = hours.schedule === undefined && hours.timezone !== undefined
  return setHours(context, keeps ? zoneOf(hours) : { schedule: hours.schedule ?? '', ...zoneOf(hours) })
}

function setHours(context: Context, hours: Hours): Outcome {
  const { reading, by, now, rules } = context
  const text = hours.schedule === undefined ? {} : { schedule: canonicalText(hours.schedule) }
  const target = withAnnotations(reading, { ...text, ...zoneChange(hours) }, rules)
  const { annotations } = reading.workload
  const same = (['schedule', 'timezone'] as const).every(
    (name) => target.workload.annotations[name] === annotations[name],
  )
  if (same) return { target: reading, done: 'that is its schedule already' }
  if (meansTheSame(reading, target)) return { target, done: 'schedule set' }
  const done = target.schedule ? `schedule set to ${target.schedule.text} (${target.zone})` : removed(target)
  return { target: follow(rescheduled(reading, target, by, now, rules), now, rules), done }
}

function removed({ scheduleFault }: Reading): string {
  return scheduleFault === undefined
    ? 'schedule removed'
    : `set, but the schedule is invalid: ${scheduleFault}`
}

function zoneOf({ timezone }: Hours): Pick<Hours, 'timezone'> {
  return timezone === undefined ? {} : { timezone }
}

/** An empty zone means the service's zone. */
function zoneChange({ timezone }: Hours): { timezone?: string | null } {
  if (timezone === undefined) return {}
  if (timezone === '') return { timezone: null }
  const fault = timezoneFault(timezone)
  if (fault === undefined) return { timezone }
  throw invalid('/timezone', fault)
}

/** An empty text is kept: it means no schedule, whatever could be inherited. */
function canonicalText(text: string): string {
  if (text.trim() === '') return ''
  try {
    return canonical(parseSchedule(text))
  } catch (error) {
    if (error instanceof InvalidSchedule) throw invalid('/schedule', error.message)
    throw error
  }
}

function invalid(pointer: string, message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `${pointer.slice(1)}: ${message}`, {
    details: { faults: [{ pointer, message }] },
  })
}
