import type { Instant } from '../../clock.ts'
import { changeBetween, changed } from '../change.ts'
import { readWorkload, stateOf } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import { ASLEEP_LABEL, isRunning } from '../workload.ts'
import type { Judgement, Update } from './judgement.ts'

/** Milliseconds: no request to the API server lasts longer. */
const LONGEST_REQUEST = 60_000

/**
 * The judgement of an update that we have judged before: with `reinvocationPolicy: IfNeeded` the API server asks
 * again when a later webhook has changed the object, which then carries what we made of it, not an old copy of the
 * state. It is what we made if what was sent, judged again, becomes the same. undefined: it is not.
 */
export function reinvoked(
  update: Update,
  now: Instant,
  rules: Rules,
  judge: (update: Update, now: Instant, rules: Rules) => Judgement,
): Judgement | undefined {
  const { before, after, otherChanges } = update
  const { state: text } = after.annotations
  const { state: known } = before.annotations
  if (text === undefined || known === undefined || text === known) return undefined
  const made = stateOf(after)
  if (!made) return undefined
  const label = before.labels?.[ASLEEP_LABEL] ?? null
  const sent = changed(after, { annotations: { state: known }, label })
  // A DaemonSet that was woken by taking its key away: whatever else differs is the other webhook's.
  const woken = !made.asleep
  // What we formed then has the instant.
  const formed = made.intent?.at === stateOf(before)?.intent?.at ? undefined : made.intent
  const at = formed?.at ?? (woken ? undefined : now)
  if (at === undefined || Math.abs(now - at) > LONGEST_REQUEST) return undefined
  const first =
    woken || isRunning(before) ? sent : { ...sent, replicas: made.snoozed?.replicas ?? after.replicas }
  const judgement = judge({ ...update, after: first, otherChanges: otherChanges && !woken }, at, rules)
  if (judgement.type !== 'allow' || judgement.change?.annotations.state !== text) return undefined
  const target = readWorkload(changed(first, judgement.change), rules)
  if (target instanceof Unreadable) return undefined
  // What the other webhook has undone of it.
  const change = changeBetween(after, target)
  return { type: 'allow', reason: judgement.reason, warnings: [], ...(change ? { change } : {}) }
}
