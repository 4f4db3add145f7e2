// With model.ts a second specification, written apart from the rules: what people may do, and what must hold then.
import { expect } from 'chai'
import fc from 'fast-check'
import { countsOf } from '../../src/domain/workload/counts.ts'
import { readWorkload, type Reading } from '../../src/domain/workload/reading.ts'
import type { Request } from '../../src/domain/requests/operations.ts'
import { Unreadable } from '../../src/domain/workload/state-codec.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  SNOOZE_KEY,
  type AnnotationName,
} from '../../src/domain/workload/workload.ts'
import { countOf } from '../support/manifests.ts'
import { HOUR, MINUTE } from '../support/rules.ts'
import { labelOf, type ModelCluster } from './model.ts'

const SCHEDULES = [
  '8:00-18:00,Mon-Fri',
  '8:00-9:00;9:20-9:40;9:50-10:00',
  '22:00-6:00',
  '0:00-24:00',
  '',
  'whenever',
]
const SCHEDULE = fc.constantFrom(...SCHEDULES)
const ZONE = fc.constantFrom('UTC', 'Asia/Tokyo', 'Australia/Lord_Howe', '', 'Mars/Base')
const LIMIT = fc.constantFrom(MINUTE, 30 * MINUTE, 5 * HOUR, 30 * HOUR)

const REQUEST: fc.Arbitrary<Request> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Request>({ action: 'disable' }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Request>({ action: 'pin' }, { action: 'unpin' }, { action: 'clearOverride' }),
  },
  { weight: 1, arbitrary: fc.constant<Request>({ action: 'repair' }) },
  {
    weight: 5,
    arbitrary: fc.record(
      { action: fc.constantFrom('snooze' as const, 'wake' as const), for: LIMIT, force: fc.boolean() },
      { requiredKeys: ['action'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { action: fc.constant('override' as const), duration: LIMIT },
      { requiredKeys: ['action'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      { action: fc.constantFrom('enable' as const, 'schedule' as const), schedule: SCHEDULE, timezone: ZONE },
      { requiredKeys: ['action'] },
    ),
  },
)

type Time = { type: 'wait' | 'away'; minutes: number }
type Act =
  /** In a wave: the time has come for a transition, and the controller has not come to it yet. */
  | { type: 'late request'; request: Request; late: number }
  | { type: 'request'; request: Request }
  | { type: 'annotate'; name: Exclude<AnnotationName, 'state'>; text: string | undefined }
  | { type: 'scale' | 'edit' | 'apply' | 'replace'; count: number }
  | { type: 'undo'; back: number }
  | { type: 'select'; value: string | undefined }
  | { type: 'knock' | 'drop key' | 'drop label' | 'break state' | 'lose state' | 'follow' | 'refuse' }
export type Event = Time | Act

const WAIT = fc.record({
  type: fc.constantFrom('wait' as const, 'away' as const),
  minutes: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 900 }),
  ),
})
const ANNOTATE = fc
  .oneof(
    fc.tuple(fc.constant('schedule' as const), fc.option(SCHEDULE, { nil: undefined })),
    fc.tuple(fc.constant('timezone' as const), fc.option(ZONE, { nil: undefined })),
    fc.tuple(
      fc.constant('enabled' as const),
      fc.constantFrom('true', 'true', 'true', 'false', 'maybe', undefined),
    ),
    fc.tuple(
      fc.constant('asleepReplicas' as const),
      fc.constantFrom('0', '1', '1', '2', '3', 'one', undefined),
    ),
    fc.tuple(fc.constant('wakeOnTraffic' as const), fc.constantFrom('page', 'any', 'off', undefined)),
  )
  .map(([name, text]) => ({ type: 'annotate' as const, name, text }))
const COUNT = fc.record({
  type: fc.constantFrom(...(['scale', 'scale', 'edit', 'edit', 'apply', 'apply', 'replace'] as const)),
  count: fc.integer({ min: 0, max: 5 }),
})
const PLAIN = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...(['knock', 'drop key', 'drop label', 'follow', 'refuse'] as const)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...(['break state', 'lose state'] as const)) },
)

const EVENT: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: WAIT },
  { weight: 8, arbitrary: REQUEST.map((request) => ({ type: 'request' as const, request })) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('late request' as const),
      request: REQUEST,
      late: fc.integer({ min: 0, max: 900 }),
    }),
  },
  { weight: 2, arbitrary: ANNOTATE },
  { weight: 6, arbitrary: COUNT },
  { weight: 2, arbitrary: fc.nat(20).map((back) => ({ type: 'undo' as const, back })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a', 'b', undefined).map((value) => ({ type: 'select' as const, value })),
  },
  { weight: 2, arbitrary: PLAIN.map((type) => ({ type })) },
)

/** Acts of people and of the cluster on a workload, at most `maxLength` of them. */
export function upTo(maxLength: number, { refused = true } = {}): fc.Arbitrary<Event[]> {
  return fc.array(refused ? EVENT : EVENT.filter(({ type }) => type !== 'refuse'), { maxLength, size: 'max' })
}

/** People at a cluster, and what they expect to be left of what they set. */
export class People {
  readonly cluster: ModelCluster
  /** The counts that may be theirs: more than one while a pin has one count and somebody scaled to another. */
  #counts: Set<number>
  #selector: Record<string, string> = {}
  /** An old copy forgets the wake that would have given `f:replicas` back. */
  #undone = false
  /** The snooze or wake that was answered with success just now: whatever is due, the later request counts. */
  #granted: 'snooze' | 'wake' | undefined
  constructor(cluster: ModelCluster) {
    this.cluster = cluster
    this.#counts = new Set([cluster.count])
  }

  /** Does it, lets the controller evaluate, and checks that nothing was lost. */
  do(event: Event): void {
    const { cluster } = this
    const givesBack = this.#countToGiveBack()
    const heldAtZero = this.#activePin() !== undefined && cluster.count === 0
    this.#granted = undefined
    if (!('minutes' in event)) this.#act(event)
    else if (event.type === 'wait') cluster.wait(event.minutes * MINUTE)
    else cluster.now += event.minutes * MINUTE
    cluster.settle()
    // A person who lifts the pin that was to bring a count back, or undoes it, takes the count that is left for their own.
    const lifted = heldAtZero && this.#activePin() === undefined
    const replicas = cluster.count
    if (lifted && (replicas === 0 || event.type === 'undo')) this.#counts = new Set([replicas])
    if (givesBack !== undefined && this.#countToGiveBack() === undefined && this.#gaveUp(event))
      this.#counts.add(replicas)
    this.#checkGranted()
    this.#checkSelector()
    this.#checkMarks()
    if (cluster.kind !== 'daemonsets') this.#checkCount()
  }

  #act(event: Act): void {
    const { cluster } = this
    switch (event.type) {
      case 'late request':
        cluster.now += event.late * MINUTE
        this.#request(event.request)
        return
      case 'request':
        this.#request(event.request)
        return
      case 'annotate':
        cluster.annotate(event.name, event.text)
        return
      case 'scale':
        this.#setCount(event.count, 'kubectl', cluster.kind === 'cronjobs' ? undefined : 'scale')
        return
      case 'edit':
        this.#setCount(event.count, 'manager')
        return
      case 'apply':
        this.#setCount(event.count, 'argocd', undefined, 'Apply')
        return
      case 'replace':
        this.#replace(event.count)
        return
      case 'undo':
        this.#undo(event.back)
        return
      case 'select':
        if (cluster.kind === 'daemonsets') this.#select(event.value)
        return
      case 'knock':
        cluster.knock()
        return
      case 'drop key':
        cluster.edit(({ spec }) => void delete spec.template.spec.nodeSelector?.[SNOOZE_KEY])
        return
      case 'drop label':
        // Twice destroyed is lost: only while the state still has the count, and is looked after.
        if (this.#reading()?.enabled !== true) return
        this.#addUnrestored()
        cluster.edit(({ metadata }) => void delete metadata.labels?.[ASLEEP_LABEL])
        return
      case 'break state':
        this.#destroyState('{')
        return
      case 'lose state':
        this.#destroyState(undefined)
        return
      case 'follow':
        cluster.follow()
        return
      case 'refuse':
        cluster.refuses = true
        return
    }
  }

  #request(request: Request): void {
    const isDone = this.cluster.request(request)
    const { action } = request
    this.#granted = isDone && (action === 'snooze' || action === 'wake') ? action : undefined
  }

  #setCount(wanted: number, manager: string, subresource?: string, operation?: 'Apply'): void {
    const { cluster } = this
    const count = countOf(cluster.kind, wanted)
    if (cluster.kind === 'daemonsets' || count === cluster.count) return
    // A state that cannot be read may be pinned, and come back.
    const reading = this.#reading()
    const pinnedAsleep = !reading || reading.state.pin?.state === 'snoozed'
    const isPinned = pinnedAsleep || this.#activePin() !== undefined
    const kept = labelOf(cluster)
    const givesBack = this.#countToGiveBack()
    const { asleep, snoozed } = reading?.state ?? {}
    const staysAsleep = asleep === true && count <= Math.min(snoozed?.rest ?? 0, kept ?? 0)
    // Nobody lowers the kept count by waking a managed sleeper, unless it is what a manifest says.
    const lowers = kept !== undefined && operation !== 'Apply' && count < kept
    const managed = reading?.enabled === true
    cluster.setReplicas(count, manager, subresource, operation)
    if (count === 0 || staysAsleep) this.#counts = new Set([kept ?? givesBack ?? this.#activePin() ?? 0])
    else if (lowers && managed && !pinnedAsleep) this.#counts = new Set([kept])
    else this.#counts = new Set(isPinned ? [...this.#counts, count] : [count])
    if (managed) return
    // Nobody can tell its meaning once it is managed again: the wake to fewer, or a count of their own.
    const still = lowers ? kept : this.#countToGiveBack()
    if (still !== undefined) this.#counts.add(still)
  }

  #destroyState(text: string | undefined): void {
    this.#undone = true
    const { cluster } = this
    // An old copy brought a sleeper's state without its label, and nobody looked after it since: the last record goes.
    if (this.#reading()?.state.asleep === true && labelOf(cluster) === undefined)
      this.#counts = new Set([cluster.object.spec.replicas])
    cluster.annotate('state', text)
  }

  /** Whether that destroys what only the state knows, or lets the workload go. */
  #gaveUp(event: Event): boolean {
    const destroys = ['undo', 'replace', 'break state', 'lose state'].includes(event.type)
    return destroys || this.#reading()?.enabled !== true
  }

  /** `kubectl replace` by a manifest that knows nothing of our marks. */
  #replace(count: number): void {
    const { cluster } = this
    cluster.edit(({ metadata, spec }) => {
      metadata.annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: SCHEDULES[0] ?? '' }
      metadata.labels = {}
      delete spec.template.spec.nodeSelector?.[SNOOZE_KEY]
    })
    cluster.setReplicas(count, 'kubectl-replace')
    this.#counts = new Set([countOf(cluster.kind, count)])
  }

  /** `kubectl rollout undo`: all annotations of an earlier time, pins and intents and all. */
  #undo(back: number): void {
    const annotations = this.cluster.revisions.at(-1 - back)
    if (!annotations) return
    this.#undone = true
    this.cluster.edit(({ metadata }) => void (metadata.annotations = { ...annotations }))
    const state = this.#reading()?.state
    const kept = state?.pin?.state === 'snoozed' ? labelOf(this.cluster) : undefined
    this.#addUnrestored()
    // Nobody here remembers a later state: nothing tells that what this one keeps was given up since.
    for (const count of [kept, state?.snoozed?.replicas, state?.woken?.kept, this.#activePin()])
      if (count !== undefined) this.#counts.add(count)
  }

  /** Somebody woke it to fewer, and the cluster refused what brings back the rest: with state or label, that goes too. */
  #addUnrestored(): void {
    if (labelOf(this.cluster) !== undefined && this.cluster.count > 0) this.#counts.add(this.cluster.count)
  }

  #select(value: string | undefined): void {
    if (value === undefined) delete this.#selector['disk']
    else this.#selector['disk'] = value
    this.cluster.edit(({ spec }) => {
      const { disk: _, ...others } = spec.template.spec.nodeSelector ?? {}
      spec.template.spec.nodeSelector = { ...others, ...this.#selector }
    })
  }

  #checkGranted(): void {
    if (this.#granted !== undefined)
      expect(this.cluster.isAsleep, `asleep, after ${this.#granted} was granted`).to.equal(
        this.#granted === 'snooze',
      )
  }

  #checkSelector(): void {
    const { [SNOOZE_KEY]: key, ...selector } = this.cluster.nodeSelector
    expect(selector, 'the nodeSelector').to.deep.equal(this.#selector)
    expect(key).to.be.oneOf([undefined, 'true'])
  }

  /** Managed and asleep, the label is the kept count; awake, there is none. */
  #checkMarks(): void {
    const reading = this.#reading()
    if (reading?.enabled !== true) return
    const { asleep, snoozed, history } = reading.state
    expect(labelOf(this.cluster), 'the label').to.equal(asleep ? snoozed?.replicas : undefined)
    const woken =
      !asleep && history[0]?.type === 'wake' && ['succeeded', 'timed_out'].includes(history[0].result)
    if (woken && !this.#undone)
      expect(this.cluster.workload.ownReplicasEntry, 'f:replicas, to be given back').to.equal(undefined)
  }

  #checkCount(): void {
    const replicas = this.cluster.count
    const held = [...(replicas > 0 ? [replicas] : []), ...this.#kept()]
    if (this.#counts.has(0)) {
      // Theirs to leave at 0; whoever wakes it asks for what it then has.
      if (this.#counts.size === 1 && replicas > 0) this.#counts = new Set([replicas])
      if (replicas === 0) this.#counts = new Set([held[0] ?? 0])
      return
    }
    const left = held.filter((count) => this.#counts.has(count))
    expect(left, `of ${[...this.#counts].join()} in ${held.join()}`).not.to.deep.equal([])
    if (held.length === 1) this.#counts = new Set(left)
  }

  /** The counts that a wake or the enforcement of a pin would bring. */
  #kept(): number[] {
    const label = labelOf(this.cluster)
    const state = this.#reading()?.state
    if (!state) return label === undefined ? [] : [label]
    if (state.asleep) return [state.snoozed?.replicas ?? 0]
    return [this.#activePin(), this.#countToGiveBack()].filter((count) => count !== undefined)
  }

  #countToGiveBack(): number | undefined {
    const reading = this.#reading()
    return reading && countsOf(reading).toGiveBack
  }

  #activePin(): number | undefined {
    const state = this.#reading()?.state
    return state?.pin?.state === 'active' && !state.asleep && state.pin.replicas > 0
      ? state.pin.replicas
      : undefined
  }

  /** undefined: it cannot be read. */
  #reading(): Reading | undefined {
    const reading = readWorkload(this.cluster.workload, this.cluster.rules)
    return reading instanceof Unreadable ? undefined : reading
  }
}
