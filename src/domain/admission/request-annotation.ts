import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { decide } from '../deciding/decide.ts'
import type { Rules } from '../deciding/rules.ts'
import { situationOf, type Situation } from '../deciding/situation.ts'
import { typeOf } from '../kinds.ts'
import { InvalidRequest, parseRequest, type WrittenRequest } from '../requests/annotation.ts'
import { OPERATIONS, type Request } from '../requests/operations.ts'
import { planOn } from '../requests/request.ts'
import { formOf, sleepingOf } from '../sleeping/forms.ts'
import { clip, iso } from '../text.ts'
import { explanationIn, type Explanation } from '../workload/explanation.ts'
import { differingAnnotations, sameLabels, withoutRequest } from '../workload/marks.ts'
import { floorOf, type Reading } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Asked } from '../workload/state.ts'
import { ANNOTATION, HELD_LABEL, looksAsleep, type Workload } from '../workload/workload.ts'
import { allow, patched, type AdmissionDecision, type Denial } from './decision.ts'
import { asStored, draft, type Draft } from './draft.ts'
import { about, denyBecause, type Saying } from './messages.ts'
import type { Update } from './under-review.ts'

/** Milliseconds that the time in a request may be off: an older one is of a write that is sent again and again. */
const LONGEST_AGO = 5 * 60_000
const REST = ' (the rest of this write goes through)'

/** A request that an update brings. */
export interface RequestAnnotation {
  readonly text: string
  /** Whether its user has to have the right to update the scale of the workload as well. */
  readonly needsScale: boolean
}

/** The request in an update; undefined: there is none. */
export function requestIn({ before, after }: Update): RequestAnnotation | undefined {
  const text = after.annotations.request
  if (text === undefined) return undefined
  const asked = readable(text)?.request
  const holds = asked !== undefined && (OPERATIONS[asked.action].holds === true || frees(asked, before))
  return { text, needsScale: holds && sleepingOf(before).hasScale }
}

/** A repair ends the pin or override that only the label still tells of. */
function frees({ action }: Request, { labels }: Workload): boolean {
  return action === 'repair' && labels?.[HELD_LABEL] !== undefined
}

/**
 * Decides on the request that an update may bring: `sent` is what becomes of the update without it. A request that is
 * refused denies a write of nothing else; any other write goes through without it. `refusal`: why its user may not
 * ask, as far as that takes I/O.
 */
export function decideRequest(
  update: Update,
  sent: Draft,
  now: Instant,
  rules: Rules,
  refusal: Refusal | undefined,
): Draft | Denial {
  const text = update.after.annotations.request
  if (text === undefined) return sent
  const why = whyIgnored(update, text, now)
  if (why !== undefined) return ignored(sent, why)
  try {
    if (refusal) throw refusal
    return carriedOut(update, text, sent, now, rules)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof InvalidRequest)) throw error
    return refused(update, text, sent, error)
  }
}

/** Why the request in an update does not count, for the person who wrote it; undefined: it does. */
function whyIgnored({ before, after, isApplied }: Update, text: string, now: Instant): string | undefined {
  if (text === before.annotations.request)
    return ': dormouse.dev/request was there before and is never carried out: it was removed, so ask again'
  if (isApplied === true)
    return ': dormouse.dev/request does nothing in an applied manifest, which each sync sends again: take it out'
  if (before.annotations.state !== after.annotations.state)
    return ': dormouse.dev/request does nothing beside a change of dormouse.dev/state and was removed: ask again'
  const at = readable(text)?.at
  if (at !== undefined && Math.abs(now - at) > LONGEST_AGO)
    return `: dormouse.dev/request of ${iso(at)} is more than 5 minutes off and was removed: ask again`
  return undefined
}

/** The update without its request, which nobody carries out. */
function ignored(sent: Draft, why: Saying): Draft {
  const { reason, target, says } = sent
  const isFree = reason === 'free' || reason === 'unreadable'
  return draft(isFree ? 'request_ignored' : reason, target, [why, ...says])
}

/** The update with its request carried out. @throws Refusal, InvalidRequest */
function carriedOut(update: Update, written: string, sent: Draft, now: Instant, rules: Rules): Draft {
  const { by } = update
  const target = asStored(update, sent, rules)
  if (by === null || !by.startsWith('k8s:'))
    throw new Refusal('FORBIDDEN', 'nobody is named who asks, so nothing is done')
  // The text as written: the rights were checked for the same text.
  const asked = parseRequest(written)
  const text = written.trim().split(/\s+/).join(' ')
  if (!(target instanceof Unreadable)) {
    const known = target.state.request
    // The answer to the first write may have been lost, so that the client has sent it again.
    if (asked.at !== undefined && known?.text === text && known.by === by)
      return ignored(sent, doneBefore(situationOf(target, now, rules), known))
    // A late or repeated request does not undo a newer one.
    if (asked.at !== undefined && known && asked.at <= known.at) return ignored(sent, overtakenBy(known))
    if (asked.request.action === 'adopt') refuseAwake(update, target)
  }
  const stored = target instanceof Unreadable ? withoutRequest(update.after) : target.workload
  const plan = planOn(stored, target, asked.request, { by, clock: now, rules, written: text })
  return draft('requested', plan.target, [
    update.isDryRun === true ? plan.rehearsed : plan.message,
    ...sent.says,
  ])
}

function doneBefore(situation: Situation, { at }: Asked): string {
  return `has carried this request out at ${iso(at)}: ${decide(situation).reason.text}`
}

function overtakenBy({ text, at }: Asked): string {
  return `: dormouse.dev/request is older than '${clip(text)}', carried out at ${iso(at)}, and was removed: ask again`
}

/** @throws Refusal CONFLICT */
function refuseAwake({ before, otherTool }: Update, reading: Reading): void {
  const { workload, state } = reading
  const kind = typeOf(before.kind)
  const conflict = (message: string) => new Refusal('CONFLICT', message)
  if (formOf(before).countInSpec) {
    if ([before, workload].some((each) => !looksAsleep(each, floorOf(reading))))
      throw conflict(`only a ${kind} that sleeps can be adopted, and this one runs: snooze it instead`)
    return
  }
  if (otherTool?.before === undefined && !state.asleep)
    throw conflict(
      `only a ${kind} that sleeps by another tool's nodeSelector can be adopted: snooze it instead`,
    )
  if (otherTool?.after !== undefined)
    throw conflict(`remove ${clip(otherTool.after)} from its nodeSelector in the same write`)
}

/** A write of nothing else is denied; and an adoption, beside which the other tool's record of the count is removed. */
function refused(update: Update, text: string, sent: Draft, error: Refusal | InvalidRequest): Draft | Denial {
  const { message } = error
  const says = error instanceof Refusal ? `: ${message}` : `: ${ANNOTATION.request}: ${message}`
  return isAlone(update) || /^\s*adopt\b/.test(text)
    ? denyBecause(update.before, 'request_refused', says, explanationOf(error))
    : ignored(sent, `${says}${REST}`)
}

function explanationOf(error: Refusal | InvalidRequest): Explanation {
  const { message } = error
  if (!(error instanceof Refusal))
    return { reason: message, reason_code: 'invalid_request', reason_values: {}, remedy: null }
  const reason_code = error.code.toLowerCase()
  return explanationIn(error.details) ?? { reason: message, reason_code, reason_values: {}, remedy: null }
}

/** Whether an update brings a request and nothing else. */
function isAlone({ before, after, otherChanges }: Update): boolean {
  const names = differingAnnotations(before, after).filter((name) => name !== 'request')
  const count = before.replicas === after.replicas && before.snoozeKey === after.snoozeKey
  return !otherChanges && names.length === 0 && sameLabels(before, after) && count
}

/**
 * Decides on an update of what is being deleted: nothing is done about it any more, so a request that it brings is
 * never stored.
 */
export function decideWhileDeleted(update: Update): AdmissionDecision {
  const { before, after } = update
  const { request } = after.annotations
  if (request === undefined || request === before.annotations.request) return allow('not_managed')
  const reason = 'it is being deleted, so nothing is done about it'
  const says = `: dormouse.dev/request: ${reason}`
  if (!isAlone(update))
    return patched('request_ignored', after, { annotations: { request: null } }, [
      about(before, `${says}${REST}`),
    ])
  return denyBecause(before, 'request_refused', says, {
    reason,
    reason_code: 'deleting',
    reason_values: {},
    remedy: null,
  })
}

function readable(text: string): WrittenRequest | undefined {
  try {
    return parseRequest(text)
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}
