import { planStep } from '../../src/domain/deciding/operation.ts'
import { stateOf } from '../../src/domain/workload/reading.ts'
import type { Operation } from '../../src/domain/workload/state.ts'
import { SNOOZE_KEY } from '../../src/domain/workload/workload.ts'
import { MINUTE } from '../support/rules.ts'
import type { Seen, Version } from './observed.ts'
import { trimmed } from './kinds.ts'
import type { RulesInForce } from './rules-in-force.ts'
import type { Asked, Target } from './target.ts'

/** Writes that one cause may lead to: the three repairs that docs/concepts.md allows, and the completion of a wake. */
const WRITES_A_CAUSE = 4
/** Actions that may bring back a count that somebody had left at 0: a request to wake, and any write of a count. */
const RAISES = /^(POST wake|adopt|scale|autoscale|edit|roll out|replace|create|roll back|keda)/
/** Milliseconds that the clocks of the replicas and of the tests may differ by. */
const SLACK = 5000

/** Invariants without the product's code: a workload at rest must not have lost these. */
export function lossesOf(target: Target): string[] {
  const { latest, key, title } = target
  if (!latest) return []
  const found: string[] = []
  const { [SNOOZE_KEY]: _, ...selector } = latest.spec.template?.spec.nodeSelector ?? {}
  if (JSON.stringify(selector) !== JSON.stringify(target.selector))
    found.push(
      `${title}: its nodeSelector is ${JSON.stringify(selector)}, not ${JSON.stringify(target.selector)}`,
    )
  if (target.isKedas) target.counts.decidedByOthers()
  target.isKedas = target.scaler?.min === 0
  const lost = key.kind === 'daemonsets' ? undefined : target.counts.lost(target.held)
  if (lost !== undefined) found.push(`${title} lost its count: ${lost}`)
  target.fragile = false
  target.leftAtZero = key.kind !== 'daemonsets' && target.counts.possible.join() === '0'
  target.restedAt = target.world.now
  return found
}

/** No schedule wakes a workload that somebody had scaled to 0, or suspended. Call it before `lossesOf`, which resets. */
export function raised(target: Target): string[] {
  const { replicas, kept = 0 } = target.held
  if (!target.leftAtZero || Math.max(replicas, kept) === 0) return []
  const asked = target.asked.some(
    (each) => RAISES.test(each.what) && mayHaveBeenDone(each) && each.until >= target.restedAt - SLACK,
  )
  return asked ? [] : [`${target.title} was left at 0, and has ${replicas} (kept ${kept}) by nobody's wish`]
}

/** A request that was answered with success, and that no later one replaced, is in effect: no wave skips it. */
export function unheard(target: Target): string[] {
  const { world, latest, title, asked, scaler, held } = target
  const last = asked.at(-1)
  const [, action] = /^POST (wake|snooze)/.exec(last?.what ?? '') ?? []
  // An edge may have come since; KEDA decides by itself.
  const isOver = !last || Math.floor(last.from / MINUTE) !== Math.floor(world.now / MINUTE)
  if (!action || isOver || last.status !== 200 || scaler || !latest) return []
  const isAsleep = held.kept !== undefined
  return isAsleep === (action === 'snooze') ? [] : [`${title}: "${last.what}" was granted, and it is not so`]
}

/** Every transition is explained by a recorded request, or by the model on the version before it. */
export function unexplained(target: Target, rules: RulesInForce): string[] {
  const versions = target.observed.versions(target.key)
  const found: string[] = []
  for (let index = target.explained; index < versions.length; index += 1) {
    const [before, after] = [versions[index - 1], versions[index]]
    if (!before || !after || before.gone || after.gone) continue
    const operation = newOperation(target, before.object, after.object)
    if (operation && !isExplained(target, before, operation, rules))
      found.push(
        `${target.title}: nothing explains ${operation.type} by ${operation.trigger} in version ${index}`,
      )
  }
  target.explained = Math.max(1, versions.length)
  return found
}

/** The writes do not exceed those that its events explain; `events`: edges, restarts and faults that it saw. */
export function tooManyWrites(target: Target, writes: number, events: number): string[] {
  const causes = 1 + target.asked.length + events
  if (writes <= WRITES_A_CAUSE * causes) return []
  return [`${target.title} was written ${writes} times for ${causes} causes`]
}

/** The newest entry of the history, if this version added it. */
function newOperation({ key: { kind } }: Target, before: Seen, after: Seen): Operation | undefined {
  const [previous] = historyOf(kind, before)
  const [newest] = historyOf(kind, after)
  const same = previous?.type === newest?.type && previous?.at === newest?.at
  // An old copy of the annotations may bring an old history back.
  const old = newest && previous && newest.at < previous.at
  return same || old ? undefined : newest
}

function historyOf(kind: Target['key']['kind'], object: Seen): readonly Operation[] {
  return stateOf(trimmed(kind, object), {})?.history ?? []
}

/** Whether it was carried out, or nobody knows. */
function mayHaveBeenDone({ status }: Asked): boolean {
  return status === undefined || status < 400 || status >= 500
}

function isExplained(target: Target, before: Version, operation: Operation, rules: RulesInForce): boolean {
  const { type, trigger, at } = operation
  const asked = (what: RegExp) =>
    target.asked.some(
      (each) =>
        what.test(each.what) &&
        mayHaveBeenDone(each) &&
        each.from <= at + SLACK &&
        each.until >= target.restedAt - SLACK,
    )
  if (trigger === 'api') return asked(new RegExp(`^POST ${type}`))
  if (trigger === 'manual') return asked(/^(scale|autoscale|edit|roll out|drop key|replace|select)/)
  // These carry out their own transition in the same write, so the version before it knows nothing of them.
  if (asked(/^(POST (enable|disable)|PUT schedule|DELETE|adopt)/)) return true
  // A webhook's change of a write is in the same version.
  if (asked(/^(annotate|edit|roll out|replace|create|roll back|lose state|drop)/)) return true
  const workload = trimmed(target.key.kind, before.object)
  return rules.since(target.restedAt).some((each) => {
    const { action } = planStep(workload, at, each).decision
    return action === type || action === 'adopt'
  })
}
