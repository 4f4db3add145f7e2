import { Refusal } from '../../process/errors.ts'
import { meansTheSame, rescheduled } from '../deciding/rescheduled.ts'
import { newIntent } from '../deciding/intent.ts'
import { transition } from '../deciding/operation.ts'
import { ofSource } from '../policy/settings.ts'
import { withAnnotations, withState, type Reading } from '../workload/reading.ts'
import type { Situation } from '../deciding/situation.ts'
import { canonical, InvalidSchedule, parseSchedule, timezoneFault } from '../schedule/syntax.ts'
import { cleared, isCleared, without } from '../workload/state.ts'
import { follow, type Context, type Outcome } from './handler.ts'
import { followedBy, hasIts, isNow, leftFor, NOTHING_TO_DO, type Telling } from './telling.ts'

export interface Hours {
  readonly schedule?: string
  readonly timezone?: string
  /** Remove the setting of the workload itself, so that it is inherited. */
  readonly inherit?: boolean
}

/** `isUnreadable`: the state is built again from label, key and count. */
export function enable(context: Context, hours: Hours, isUnreadable: boolean): Outcome {
  if (hours.inherit === true) return inheritEnabled(context, hours, isUnreadable)
  const { reading, rules } = context.situation
  if (reading.enabled === true && !isUnreadable) {
    const { schedule = '', timezone } = hours
    const asks = schedule !== '' || timezone !== undefined
    const outcome = asks ? setHours(context, schedule === '' ? undefined : schedule, timezone) : undefined
    const changed =
      outcome && outcome.target !== reading ? outcome : { target: reading, says: leftFor('already enabled') }
    if (reading.workload.annotations.enabled !== undefined) return changed
    const target = withAnnotations(changed.target, { enabled: 'true' }, rules)
    const inherits = `enabled by itself, beside what it has${ofSource(reading.effective.sources.enabled)}`
    return {
      target,
      says: changed === outcome ? followedBy(changed.says, `, and ${inherits}`) : isNow(inherits),
    }
  }
  const set = {
    enabled: 'true',
    ...(hours.schedule ? { schedule: canonicalText(hours.schedule) } : {}),
    ...zoneChange(hours.timezone),
  }
  const target = enabledBy(context, withAnnotations(reading, set, rules), isUnreadable)
  return { target, says: isNow(isUnreadable ? 'repaired and enabled' : 'enabled') }
}

/** Builds the state again from label, key and count, and leaves the settings as they are. */
export function repair(context: Context): Outcome {
  const { reading } = context.situation
  const target =
    reading.enabled === true ? enabledBy(context, reading, true) : toWrite(context.situation, true).reading
  return { target, says: isNow('repaired') }
}

/** A workload that was not managed follows its schedule at once. */
function enabledBy({ situation, by, written }: Context, enabled: Reading, isUnreadable: boolean): Reading {
  const is = toWrite(situation.with(enabled), isUnreadable)
  const want = is.scheduled
  if (want === undefined) return follow(is, written)
  const intent = newIntent(is, { want, by, trigger: 'schedule' })
  return follow(is.withState({ ...is.state, intent }), written)
}

/**
 * With a state that is written whatever follows. Of one that could not be read the counter is lost: the seconds of the
 * clock are ahead of any, so a repair is never taken for an old copy.
 */
function toWrite(situation: Situation, isUnreadable: boolean): Situation {
  const { state, now } = situation
  return situation.withState({ ...state, counter: isUnreadable ? Math.floor(now / 1000) : state.counter })
}

export function disable(context: Context, { inherit }: Hours = {}): Outcome {
  if (inherit === true) return inheritEnabled(context, {}, false)
  const { reading, state, rules } = context.situation
  const { enabled } = reading
  if (enabled === false && !state.asleep && isCleared(state)) return { target: reading, says: NOTHING_TO_DO }
  const target = freed(context, withAnnotations(reading, { enabled: 'false' }, rules))
  return { target, says: isNow(state.asleep ? 'disabled and woken' : 'disabled') }
}

/** A workload that is managed no more: awake, without holds. */
function freed({ situation, by }: Context, off: Reading): Reading {
  const { state, counts } = situation.with(off)
  const free = situation.with(withState(off, cleared(state)))
  if (!state.asleep) return free.reading
  const woken = transition(free, { action: 'wake', trigger: 'disable', by, replicas: counts.toWake })
  return withState(woken, without(woken.state, 'backoff'))
}

const OWN_ENABLED_REMOVED: Telling = {
  done: 'its own dormouse.dev/enabled is removed',
  would: 'would have its own dormouse.dev/enabled removed',
}

/** Removes `enabled` from the workload itself, so that its Namespace and the policies decide. */
function inheritEnabled(context: Context, hours: Hours, isUnreadable: boolean): Outcome {
  if (hours.schedule !== undefined || hours.timezone !== undefined)
    throw invalid(
      hours.schedule === undefined ? '/timezone' : '/schedule',
      'leave it out: ?inherit=true removes what the workload itself has, and sets nothing',
    )
  const { situation } = context
  const { reading, rules } = situation
  const isOwn = reading.workload.annotations.enabled !== undefined
  if (!isOwn && !isUnreadable)
    return { target: reading, says: leftFor('it has no dormouse.dev/enabled of its own') }
  const target = withAnnotations(reading, { enabled: null }, rules)
  const says = isOwn ? OWN_ENABLED_REMOVED : isNow('repaired')
  const { enabled } = target
  if (enabled === reading.enabled || enabled === 'unclear')
    return { target: toWrite(situation.with(target), isUnreadable).reading, says }
  return enabled
    ? { target: enabledBy(context, target, isUnreadable), says: followedBy(says, `: managed${by(target)}`) }
    : { target: freed(context, target), says }
}

function by({ effective }: Reading): string {
  return ofSource(effective.sources.enabled).replace(' of ', ' by ')
}

/**
 * PUT schedule: without a schedule, or with an empty one, the workload has none, whatever it could inherit; a zone
 * alone keeps it.
 */
export function putSchedule(context: Context, hours: Hours): Outcome {
  if (hours.inherit === true) {
    if (hours.schedule !== undefined)
      throw invalid('/schedule', 'leave it out: ?inherit=true removes the schedule of the workload itself')
    return setHours(context, null, hours.timezone)
  }
  const keeps = hours.schedule === undefined && hours.timezone !== undefined
  return setHours(context, keeps ? undefined : (hours.schedule ?? ''), hours.timezone)
}

/** A schedule that is null is removed from the workload itself; undefined: it stays. */
function setHours(
  { situation, by }: Context,
  schedule: string | null | undefined,
  timezone: string | undefined,
): Outcome {
  const { reading, rules } = situation
  const text = schedule === undefined ? {} : { schedule: schedule && canonicalText(schedule) }
  const target = withAnnotations(reading, { ...text, ...zoneChange(timezone) }, rules)
  const { annotations } = reading.workload
  const same = (['schedule', 'timezone'] as const).every(
    (name) => target.workload.annotations[name] === annotations[name],
  )
  if (same) return { target: reading, says: leftFor('that is its schedule already') }
  if (meansTheSame(reading, target)) return { target, says: hasIts('schedule set') }
  const says = target.schedule
    ? hasIts(
        `schedule set to ${target.schedule.text} (${target.zone})${ofSource(target.effective.sources.schedule)}`,
      )
    : removed(target)
  return { target: follow(situation.with(rescheduled(situation, target, by))), says }
}

function removed({ scheduleFault }: Reading): Telling {
  return scheduleFault === undefined
    ? hasIts('schedule removed')
    : isNow(`set, but the schedule is invalid: ${scheduleFault}`)
}

/** An empty zone means the service's zone. */
function zoneChange(timezone: string | undefined): { timezone?: string | null } {
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
    details: { faults: [{ in: 'body', pointer, message }] },
  })
}
