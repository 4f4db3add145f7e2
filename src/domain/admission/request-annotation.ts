import type { Instant } from '../../service/process/clock.ts'
import { factsOf } from '../kinds.ts'
import type { Change } from '../workload/patch.ts'
import { InvalidRequest, parseRequest, type WrittenRequest } from '../requests/annotation.ts'
import { OPERATIONS, type Request } from '../requests/operations.ts'
import { iso } from '../text.ts'
import { HELD_LABEL, type Workload } from '../workload/workload.ts'
import { patched, type AdmissionDecision } from './decision.ts'
import type { Update } from './draft.ts'
import { about } from './messages.ts'

/** Milliseconds that the time in a request may be off: an older one is of a write that is sent again and again. */
const LONGEST_AGO = 5 * 60_000

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
  return { text, needsScale: holds && factsOf(before.kind).hasScale }
}

/** A repair ends the pin or override that only the label still tells of. */
function frees({ action }: Request, { labels }: Workload): boolean {
  return action === 'repair' && labels?.[HELD_LABEL] !== undefined
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
