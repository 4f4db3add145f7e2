import type { Instant } from '../../clock.ts'
import { changeBetween, changed } from '../change.ts'
import { readWorkload, stateOf } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import type { Asked } from '../state.ts'
import { ASLEEP_LABEL, HELD_LABEL, isRunning } from '../workload.ts'
import { patched, type AdmissionDecision } from './decision.ts'
import type { Update } from './draft.ts'
import { asFirstSent, LONGEST_REQUEST, repeatable } from './brought.ts'
import { resultOf } from './request.ts'

type Decide = (update: Update, now: Instant, rules: Rules) => AdmissionDecision

/**
 * The decision on an update that we have decided before: with `reinvocationPolicy: IfNeeded` the API server asks again
 * when a later webhook has changed the object. Its new state is then our patch, not an old copy. We recognise it by
 * deciding again on what the person sent: the result is the same. undefined: this is the first time.
 */
export function reinvoked(
  update: Update,
  now: Instant,
  rules: Rules,
  decide: Decide,
): AdmissionDecision | undefined {
  const asked = repeatable(update, now)
  if (asked) return requestedAgain(update, asked, rules, decide)
  const { before, after, otherChanges } = update
  const { state: text } = after.annotations
  const { state: known } = before.annotations
  if (text === undefined || known === undefined || text === known) return undefined
  const made = stateOf(after)
  if (!made) return undefined
  const label = before.labels?.[ASLEEP_LABEL] ?? null
  const held = before.labels?.[HELD_LABEL] ?? null
  const sent = changed(after, { annotations: { state: known }, label, held })
  // A DaemonSet that was woken by removing its key: all other changes are the other webhook's.
  const woken = !made.asleep
  // An intent that we formed the first time says when that was.
  const formed = made.intent?.at === stateOf(before)?.intent?.at ? undefined : made.intent
  const at = formed?.at ?? (woken ? undefined : now)
  if (at === undefined || Math.abs(now - at) > LONGEST_REQUEST) return undefined
  const first =
    woken || isRunning(before) ? sent : { ...sent, replicas: made.snoozed?.replicas ?? after.replicas }
  const decision = decide({ ...update, after: first, otherChanges: otherChanges && !woken }, at, rules)
  if (decision.type !== 'patched' || decision.change.annotations.state !== text) return undefined
  const target = readWorkload(changed(first, decision.change), rules)
  if (target instanceof Unreadable) return undefined
  // Repeat only what the other webhook has undone.
  return patched(decision.reason, after, changeBetween(after, target))
}

/** Carries out the same request on the object before it, at the same time: the result is the same, or it is an old copy. */
function requestedAgain(
  update: Update,
  asked: Asked,
  rules: Rules,
  decide: Decide,
): AdmissionDecision | undefined {
  const { after } = update
  for (const first of asFirstSent(update, asked)) {
    const decision = decide({ ...update, after: first, isApplied: false }, asked.at, rules)
    const target = resultOf(decision, first, rules)
    if (!target || target.workload.annotations.state !== after.annotations.state) continue
    return patched('requested', after, changeBetween(after, target))
  }
  return undefined
}
