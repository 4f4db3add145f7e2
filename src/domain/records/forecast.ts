import type { Instant } from '../../process/clock.ts'
import { decide } from '../deciding/decide.ts'
import type { ReasonCode } from '../deciding/decision.ts'
import { InvalidSettings, type InvalidSetting } from './invalid-settings.ts'
import { planStep, type Step } from '../deciding/operation.ts'
import type { Namespace } from '../policy/inheritance.ts'
import type { Source } from '../policy/settings.ts'
import { hasSleepMark, readWithoutState, readWorkload, stateOf, type Reading } from '../workload/reading.ts'
import { restOf } from '../workload/state.ts'
import { foreseenAt } from '../deciding/foresight.ts'
import { policyRecord, reasonOf, type PolicyRecord } from './record.ts'
import type { Rules } from '../deciding/rules.ts'
import { situationOf, type Situation } from '../deciding/situation.ts'
import type { Prices } from './saved.ts'
import { missedOf, type SharedWorkload } from './shared-workloads.ts'
import { WeekSummary, type Week } from './week.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { looksAsleep, keyOf, type Workload, type WorkloadKey } from '../workload/workload.ts'

/** Dormouse's decision about one workload, and why. */
export interface Expected extends WorkloadKey {
  readonly managed: boolean
  readonly before: 'awake' | 'asleep'
  readonly after: 'awake' | 'asleep'
  /** null: its pods stay as they are. */
  readonly change: 'snooze' | 'wake' | null
  readonly rule: ReasonCode
  readonly reason: string
  /** The settings in force, each with its source. */
  readonly policy: PolicyRecord
}

/** A workload that the API server needs: without its pods it refuses writes, those that wake among them. */
export interface NeededWorkload extends WorkloadKey {
  /** `webhook policy.example.com`, `APIService v1.metrics.example.com`. */
  readonly answers: string
}

/** The effect of a configuration on a cluster: the immediate one, or that at a later time if nobody acts until then. */
export interface Forecast {
  readonly counts: {
    readonly workloads: number
    readonly excluded: number
    readonly managed: number
    /** Among the managed ones, once everything is done. */
    readonly asleep: number
    readonly snoozes: number
    readonly wakes: number
  }
  /** Workloads that are managed, that change, or whose settings cannot be read. */
  readonly workloads: readonly Expected[]
  /** From that time on. */
  readonly week: Week
  readonly invalid: readonly InvalidSetting[]
  /** Asleep in excluded namespaces, where nothing wakes them. */
  readonly stranded: readonly WorkloadKey[]
  /** Among the managed ones. */
  readonly needed: readonly NeededWorkload[]
  /** Among those that a policy manages. */
  readonly shared: readonly SharedWorkload[]
  /** Policies of which no workload has a setting: none matches, or something nearer comes first everywhere. */
  readonly idlePolicies: readonly string[]
}

interface Seen {
  readonly workloads: Iterable<Workload>
  readonly namespaces: Iterable<Namespace>
  readonly excluded: ReadonlySet<string>
  readonly needed: readonly NeededWorkload[]
  /** The names of all policies. */
  readonly policies: readonly string[]
}

interface Wanted {
  /** The time that is foretold; default: now. */
  readonly at?: Instant
  /** Default: none, and so no money. */
  readonly prices?: Prices | null
}

/** The same decisions as the controller's, on all workloads at once; nothing is carried out. */
export function forecast(
  { workloads, namespaces, excluded, needed, policies }: Seen,
  now: Instant,
  rules: Rules,
  { at = now, prices = null }: Wanted = {},
): Forecast {
  const all = [...workloads]
  const reached = all.filter(({ namespace }) => !excluded.has(namespace))
  const invalid = new InvalidSettings()
  const expected: Expected[] = []
  const shared: SharedWorkload[] = []
  const sources = new Set<Source | null>()
  const week = new WeekSummary()
  for (const workload of reached) {
    const read = readWorkload(workload, rules)
    const reading = read instanceof Unreadable ? readWithoutState(workload, rules) : read
    for (const source of Object.values(reading.effective.sources)) sources.add(source)
    const isForeseen = !(read instanceof Unreadable) && (at > now || read.enabled === true)
    const start = isForeseen ? foreseenAt(situationOf(read, now, rules), at) : undefined
    const step =
      at > now && start && !workload.deleting ? stepTo(start, reading) : stepNow(workload, now, rules)
    const each = expectedOf(workload, step, reading)
    const isFaulty = invalid.addOf(reading, step.decision.reason)
    if (each.managed && start) week.add(start)
    if (each.managed || each.change !== null || isFaulty) expected.push(each)
    if (each.managed) shared.push(...sharedBy(workload, each.policy.enabled.source))
  }
  for (const namespace of namespaces) if (!excluded.has(namespace.name)) invalid.addNamespace(namespace)
  const managed = expected.filter((each) => each.managed)
  const names = new Set(managed.map(keyOf))
  return {
    counts: {
      workloads: all.length,
      excluded: all.length - reached.length,
      managed: managed.length,
      asleep: managed.filter(({ after }) => after === 'asleep').length,
      snoozes: expected.filter(({ change }) => change === 'snooze').length,
      wakes: expected.filter(({ change }) => change === 'wake').length,
    },
    workloads: expected,
    week: week.record(prices),
    invalid: invalid.list(),
    shared,
    stranded: strandedIn(all, excluded),
    needed: needed.filter((each) => names.has(keyOf(each))),
    idlePolicies: policies.filter((name) => !sources.has(`policy/${name}`)),
  }
}

/** Dormouse put them to sleep before their namespace was excluded, and touches them no more. */
export function strandedIn(workloads: Iterable<Workload>, excluded: ReadonlySet<string>): WorkloadKey[] {
  const stranded: WorkloadKey[] = []
  for (const workload of workloads) {
    const { kind, namespace, name, deleting } = workload
    const isOut = excluded.has(namespace) && !deleting
    const rest = restOf(stateOf(workload, {}))
    if (isOut && hasSleepMark(workload) && looksAsleep(workload, rest))
      stranded.push({ kind, namespace, name })
  }
  return stranded
}

function sharedBy({ kind, namespace, name, labels }: Workload, source: Source | null): SharedWorkload[] {
  const [of, policy] = (source ?? '').split('/')
  const what = of === 'policy' && policy !== undefined ? missedOf({ namespace, name, labels }) : undefined
  return what === undefined || policy === undefined ? [] : [{ kind, namespace, name, what, policy }]
}

/** A decision, the workload after it, and how its pods move. */
interface Foretold extends Pick<Step, 'decision' | 'target'>, Pick<Expected, 'change'> {}

function stepNow(workload: Workload, now: Instant, rules: Rules): Foretold {
  const { decision, target } = planStep(workload, now, rules)
  const { action } = decision
  const change = action === 'snooze' || action === 'wake' ? action : null
  return { decision, change, target }
}

/** From the workload as it is read to what it will be. */
function stepTo(situation: Situation, { state }: Reading): Foretold {
  const { asleep } = situation.state
  const change = asleep === state.asleep ? null : asleep ? 'snooze' : 'wake'
  return { decision: decide(situation), target: situation.reading, change }
}

function expectedOf(
  workload: Workload,
  { decision: { reason }, target, change }: Foretold,
  reading: Reading,
): Expected {
  const { kind, namespace, name } = workload
  const isAsleep = reading.state.asleep || (!target && hasSleepMark(workload))
  return {
    kind,
    namespace,
    name,
    managed: reading.enabled === true,
    before: isAsleep ? 'asleep' : 'awake',
    after: (target?.state.asleep ?? isAsleep) ? 'asleep' : 'awake',
    change,
    rule: reason.code,
    reason: reasonOf(reading, reason),
    policy: policyRecord(reading),
  }
}
