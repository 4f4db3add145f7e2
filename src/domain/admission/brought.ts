import type { Instant } from '../../clock.ts'
import { changed } from '../change.ts'
import { factsOf } from '../kinds.ts'
import type { Change } from '../patch.ts'
import { stateOf } from '../reading.ts'
import { InvalidRequest, parseRequest, type Verb, type WrittenRequest } from '../requests/annotation.ts'
import type { Asked } from '../state.ts'
import { iso } from '../text.ts'
import { ASLEEP_LABEL, HELD_LABEL, type Workload } from '../workload.ts'
import { patched, type AdmissionDecision } from './decision.ts'
import type { Update } from './draft.ts'
import { about } from './messages.ts'

/** Milliseconds: no request to the API server takes longer. */
export const LONGEST_REQUEST = 60_000
/** Milliseconds that the time in a request may be off: an older one is of a write that is sent again and again. */
const LONGEST_AGO = 5 * 60_000
/** Those that hold or free a workload against others: the right to patch it does not suffice. */
const NEEDS_SCALE: ReadonlySet<Verb> = new Set(['pin', 'unpin', 'override', 'resume'])

/** A request that an update brings, or brought when it was reviewed for the first time. */
export interface Brought {
  readonly text: string
  /** Whether its user has to have the right to update the scale of the workload as well. */
  readonly needsScale: boolean
}

/** The request in an update; undefined: there is none. */
export function requestIn(update: Update, now: Instant): Brought | undefined {
  const text = update.after.annotations.request ?? repeatable(update, now)?.text
  if (text === undefined) return undefined
  const verb = readable(text)?.verb
  const { hasScale } = factsOf(update.before.kind)
  return { text, needsScale: verb !== undefined && NEEDS_SCALE.has(verb) && hasScale }
}

/** What the first review of this update wrote into the state about the request that it carried out. */
export function repeatable({ before, after, by }: Update, now: Instant): Asked | undefined {
  const { state: text, request } = after.annotations
  // Our first review took the request away, and the rights that were asked for are those of one that is there.
  if (request !== undefined) return undefined
  if (text === undefined || text === before.annotations.state) return undefined
  const made = stateOf(after)?.request
  const known = stateOf(before)?.request
  if (!made || made.by !== by || (made.text === known?.text && made.at === known.at)) return undefined
  return Math.abs(now - made.at) <= LONGEST_REQUEST ? made : undefined
}

/** The objects of which one is that of the first review, as far as we can tell, with the request that it brought. */
export function asFirstSent({ before, after }: Update, { text }: Asked): Workload[] {
  const { state: _made, ...annotations } = after.annotations
  const { state } = before.annotations
  const label = before.labels?.[ASLEEP_LABEL] ?? null
  const held = before.labels?.[HELD_LABEL] ?? null
  const sent: Workload = {
    ...after,
    annotations: { ...annotations, ...(state === undefined ? {} : { state }), request: text },
    labels: changed(after, { annotations: {}, label, held }).labels,
    snoozeKey: before.snoozeKey,
  }
  // The count as it is first: where any count leads to the same state, it is the one that was sent.
  const kept = stateOf(after)?.snoozed?.replicas ?? before.replicas
  const counts = new Set([after.replicas, before.replicas, kept, 0])
  return Array.from(counts, (replicas) => ({ ...sent, replicas }))
}

/** Why the request in an update does not count, for the person who wrote it; undefined: it does. */
export function whyIgnored(
  { before, after, isApplied }: Update,
  text: string,
  now: Instant,
): string | undefined {
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

function readable(text: string): WrittenRequest | undefined {
  try {
    return parseRequest(text)
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

/** The decision with the request taken out of the object under review, which nobody carries out. */
export function ignoringRequest(
  decision: AdmissionDecision,
  object: Workload,
  warning: string,
): AdmissionDecision {
  if (decision.type === 'denied') return decision
  const change: Change = decision.type === 'patched' ? decision.change : { annotations: {} }
  const without: Change = { ...change, annotations: { ...change.annotations, request: null } }
  const reason = decision.type === 'patched' ? decision.reason : 'request_ignored'
  return patched(reason, object, without, [about(object, warning), ...decision.warnings])
}
