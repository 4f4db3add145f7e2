import type { Instant } from '../../clock.ts'
import { isEmpty, type Change } from '../patch.ts'
import { changed } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { decodeState, UnreadableState } from '../state-codec.ts'
import type { State } from '../state.ts'
import { ASLEEP_LABEL, type Workload } from '../workload.ts'
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
  const made = decoded(text)
  if (!made) return undefined
  const sent = withLabel({ ...after, annotations: { ...after.annotations, state: known } }, before)
  // A DaemonSet that was woken by taking its key away: the word has the instant; whatever else differs is the other webhook's.
  const woken = !made.asleep
  const at = woken ? made.word?.at : now
  if (at === undefined || Math.abs(now - at) > LONGEST_REQUEST) return undefined
  const first = woken ? sent : { ...sent, replicas: made.snoozed?.replicas ?? after.replicas }
  const judgement = judge({ ...update, after: first, otherChanges: otherChanges && !woken }, at, rules)
  if (judgement.type !== 'allow' || judgement.change?.annotations.state !== text) return undefined
  const change = undone(after, changed(first, judgement.change))
  return { type: 'allow', reason: judgement.reason, warnings: [], ...(isEmpty(change) ? {} : { change }) }
}

function decoded(text: string): State | undefined {
  try {
    return decodeState(text)
  } catch (error) {
    if (error instanceof UnreadableState) return undefined
    throw error
  }
}

function withLabel(workload: Workload, from: Workload): Workload {
  const { [ASLEEP_LABEL]: _, ...others } = workload.labels ?? {}
  const label = from.labels?.[ASLEEP_LABEL]
  return { ...workload, labels: label === undefined ? others : { ...others, [ASLEEP_LABEL]: label } }
}

/** What the other webhook has undone of it. */
function undone(after: Workload, target: Workload): Change {
  const label = target.labels?.[ASLEEP_LABEL]
  return {
    annotations: {},
    ...(label === after.labels?.[ASLEEP_LABEL] ? {} : { label: label ?? null }),
    ...(target.replicas === after.replicas ? {} : { replicas: target.replicas }),
    ...(target.snoozeKey === after.snoozeKey ? {} : { snoozeKey: target.snoozeKey }),
  }
}
