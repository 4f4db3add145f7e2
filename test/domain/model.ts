// With people.ts a second specification, written apart from the rules: what a cluster does, and what must hold of it.
import { expect } from 'chai'
import type { Instant } from '../../src/process/clock.ts'
import type { Decision } from '../../src/domain/deciding/decision.ts'
import { statusPatch } from '../../src/domain/deciding/missed-runs.ts'
import { planFailure, planStep } from '../../src/domain/deciding/operation.ts'
import { changeObject, jsonPatch } from '../../src/domain/workload/patch.ts'
import type { Change } from '../../src/domain/workload/change.ts'
import type { Request } from '../../src/domain/requests/operations.ts'
import { planKnock } from '../../src/domain/requests/knock.ts'
import { planRequest } from '../../src/domain/requests/request.ts'
import { stateOf as readableState } from '../../src/domain/workload/reading.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { EMPTY_STATE, type State } from '../../src/domain/workload/state.ts'
import type { Trigger } from '../../src/domain/workload/trigger.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  FIELD_MANAGER,
  SNOOZE_KEY,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { stateOf } from '../support/decisions.ts'
import { applied } from '../support/json-patch.ts'

interface Entry {
  manager: string
  operation?: 'Apply' | 'Update'
  subresource?: string
  time: string
  fieldsV1: { 'f:spec'?: { 'f:replicas'?: object; 'f:suspend'?: object } }
}

interface ModelObject {
  metadata: {
    name: string
    namespace: string
    uid: string
    resourceVersion: string
    generation: number
    creationTimestamp: string
    annotations?: Record<string, string>
    labels?: Record<string, string>
    managedFields: Entry[]
  }
  /** A CronJob has no `replicas`, which is then never read; others have no `suspend`. */
  spec: { replicas: number; suspend?: boolean; template: { spec: { nodeSelector?: Record<string, string> } } }
  status: Record<string, number | string>
}

export interface Transition {
  at: Instant
  type: 'snooze' | 'wake'
  trigger: Trigger
  reason: string
}

/**
 * A cluster of one workload and a controller that remembers nothing but `lookAgainAt`. The object is a
 * real one: it is read by the adapter's trimming and changed by JSON Patch alone, as the API server applies it.
 */
export class ModelCluster {
  readonly kind: Kind
  readonly rules: Rules
  object: ModelObject
  now: Instant
  /** Pods are as asked for at once, or only when `follow` is called. */
  prompt = true
  /** The cluster refuses the next snooze or wake. */
  refuses = false
  lookAgainAt: Instant | undefined
  readonly transitions: Transition[] = []
  /** The annotations that ReplicaSets have copied, as `kubectl rollout undo` puts them back. */
  readonly revisions: Record<string, string>[] = []

  constructor(kind: Kind, now: Instant, rules: Rules, replicas = 3) {
    this.kind = kind
    this.now = now
    this.rules = rules
    this.object = {
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'uid',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: new Date(now - 5 * 60_000).toISOString(),
        managedFields: [],
      },
      spec:
        kind === 'cronjobs'
          ? ({ suspend: replicas === 0, template: { spec: {} } } as ModelObject['spec'])
          : { replicas, template: { spec: {} } },
      status: {},
    }
    this.follow()
  }

  get workload() {
    return trim(this.kind, this.object)
  }

  get isAsleep(): boolean {
    return stateOf(this.workload).asleep
  }

  /** The count that it asks for: a CronJob 1, or 0 while it is suspended. */
  get count(): number {
    return countOf(this.object, this.kind)
  }

  get nodeSelector(): Record<string, string> {
    return this.object.spec.template.spec.nodeSelector ?? {}
  }

  get annotations(): Record<string, string> {
    return this.object.metadata.annotations ?? {}
  }

  /** Somebody else's change of the object. */
  edit(change: (object: ModelObject) => void): void {
    const edited = structuredClone(this.object)
    change(edited)
    this.#store(edited)
  }

  annotate(name: keyof typeof ANNOTATION, text: string | undefined): void {
    this.edit(({ metadata }) => {
      const annotations = { ...metadata.annotations }
      if (text === undefined) delete annotations[ANNOTATION[name]]
      else annotations[ANNOTATION[name]] = text
      metadata.annotations = annotations
    })
  }

  /** A count set by a person: by `kubectl scale`, or on the object itself. */
  setReplicas(replicas: number, manager: string, subresource?: string, operation?: 'Apply'): void {
    const suspends = this.kind === 'cronjobs'
    if (this.count === (suspends ? Math.min(1, replicas) : replicas)) return
    this.edit((object) => {
      if (suspends) object.spec.suspend = replicas === 0
      else object.spec.replicas = replicas
      this.#own(object, manager, suspends ? undefined : subresource, operation)
    })
  }

  /** The pods are as asked for. */
  follow(): void {
    // The Jobs that it has started finish, whatever it does.
    if (this.kind === 'cronjobs') return
    const asleep =
      this.kind === 'daemonsets' ? SNOOZE_KEY in this.nodeSelector : this.object.spec.replicas === 0
    const count = this.kind === 'daemonsets' ? (asleep ? 0 : 3) : this.object.spec.replicas
    this.object.status = {
      observedGeneration: this.object.metadata.generation,
      ...(this.kind === 'daemonsets'
        ? {
            desiredNumberScheduled: count,
            currentNumberScheduled: count,
            numberMisscheduled: 0,
            numberReady: count,
          }
        : { replicas: count, readyReplicas: count }),
    }
    const entries = this.object.metadata.managedFields.filter(({ subresource }) => subresource !== 'status')
    const time = `${new Date(this.now).toISOString().slice(0, 19)}Z`
    entries.push({ manager: 'kube-controller-manager', subresource: 'status', time, fieldsV1: {} })
    this.object.metadata.managedFields = entries
  }

  /** undefined: it was refused. */
  request(request: Request): true | undefined {
    try {
      const plan = planRequest(this.workload, request, 'k8s:alice', this.now, this.rules)
      if (plan.change) this.#write(plan.change)
      if (this.prompt) this.follow()
      return true
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /** Traffic to its Service, where it opted in. */
  knock(): void {
    const { wake } = planKnock(this.workload, 'service/web:http', this.now, this.rules)
    if (wake?.change) this.#write(wake.change)
    if (this.prompt) this.follow()
  }

  /** The controller evaluates and writes until there is nothing more to do. */
  settle(): void {
    const moved = this.transitions.length
    for (let writes = 0; this.#evaluate(); writes += 1) expect(writes, 'writes at one instant').to.be.below(4)
    expect(this.transitions.length - moved, 'transitions at one instant').to.be.at.most(1)
  }

  /** Time passes while the controller runs: it evaluates at each `lookAgainAt`. */
  wait(milliseconds: number): void {
    const end = this.now + milliseconds
    for (;;) {
      const next = this.lookAgainAt
      if (next === undefined || next > end) break
      this.now = next
      this.settle()
    }
    this.now = end
  }

  /** Whether there was something to write. */
  #evaluate(): boolean {
    const step = planStep(this.workload, this.now, this.rules)
    const { decision, change } = step
    const { action, trigger, reason, lookAgainAt } = decision
    this.lookAgainAt = lookAgainAt
    if (lookAgainAt !== undefined) expect(lookAgainAt, 'lookAgainAt').to.be.above(this.now)
    if (!change) return false
    const moves = action === 'snooze' || action === 'wake'
    if (moves && this.refuses) return this.#refuse(decision)
    const slept = stateOrNothing(this)?.asleep
    this.#write(change)
    if (action === 'snooze' || (action === 'wake' && slept))
      this.transitions.push({ at: this.now, type: action, trigger, reason: reason.text })
    const again = planStep(this.workload, this.now, this.rules)
    if (this.kind === 'cronjobs' && change.replicas !== undefined) {
      // It ends at once, so the field that was set is still to be given up; in that case only.
      expect(again.decision.action, 'a decision carried out twice').to.equal('none')
    } else {
      expect(again.change, 'a decision carried out twice').to.equal(undefined)
    }
    if (this.prompt) this.follow()
    return true
  }

  #refuse(decision: Decision): boolean {
    this.refuses = false
    const failed = planFailure(this.workload, decision, this.now, this.rules)
    if (failed) this.#write(failed)
    return true
  }

  #write(change: Change): void {
    const before = stateOrNothing(this)?.counter
    const ran = applied(this.object, statusPatch(this.workload, change))
    const patched = ran && applied(ran, jsonPatch(this.workload, change))
    if (!patched) return expect.fail(`the patch does not apply: ${JSON.stringify(change)}`)
    const whole = structuredClone(ran)
    const isWhole = changeObject(whole, this.workload, change)
    expect(isWhole, 'a change makes whole objects, unless it gives the count up').to.equal(
      !change.givesUpReplicas,
    )
    if (isWhole) expect(whole, 'the whole object is what the patch makes').to.deep.equal(patched)
    if (countOf(patched, this.kind) !== this.count) this.#own(patched, FIELD_MANAGER)
    this.#store(patched)
    if (change.annotations.state === undefined || before === undefined) return
    const { counter } = stateOf(this.workload)
    // A repair knows of no counter, and is ahead of any.
    if (before > 0) expect(counter, 'the counter').to.equal(before + 1)
    else expect(counter, 'the counter').to.be.oneOf([1, Math.floor(this.now / 1000) + 1])
  }

  #store(edited: ModelObject): void {
    const { metadata, spec } = this.object
    const moved = JSON.stringify(edited.spec) !== JSON.stringify(spec)
    edited.metadata.generation = metadata.generation + (moved ? 1 : 0)
    edited.metadata.resourceVersion = String(Number(metadata.resourceVersion) + 1)
    // As the API server: an empty map is none.
    for (const name of ['annotations', 'labels'] as const)
      if (Object.keys(edited.metadata[name] ?? {}).length === 0) delete edited.metadata[name]
    const { nodeSelector } = edited.spec.template.spec
    if (nodeSelector && Object.keys(nodeSelector).length === 0) delete edited.spec.template.spec.nodeSelector
    this.object = edited
    this.revisions.push(structuredClone(edited.metadata.annotations ?? {}))
  }

  /** Whoever changes the count owns it, alone. */
  #own(object: ModelObject, manager: string, subresource?: string, operation?: 'Apply'): void {
    const time = `${new Date(this.now).toISOString().slice(0, 19)}Z`
    const others = object.metadata.managedFields.filter(
      (entry) => entry.manager !== manager || entry.subresource !== subresource,
    )
    const field = this.kind === 'cronjobs' ? 'f:suspend' : 'f:replicas'
    for (const entry of others) delete entry.fieldsV1['f:spec']?.[field]
    const fieldsV1 = { 'f:spec': { [field]: {} } }
    object.metadata.managedFields = [
      ...others,
      {
        manager,
        operation: operation ?? 'Update',
        ...(subresource === undefined ? {} : { subresource }),
        time,
        fieldsV1,
      },
    ]
  }
}

function countOf({ spec }: ModelObject, kind: Kind): number {
  return kind === 'cronjobs' ? Number(!spec.suspend) : spec.replicas
}

/** The state before a write; undefined: none that could be read. */
function stateOrNothing({ workload }: ModelCluster): State | undefined {
  return workload.annotations.state === undefined ? EMPTY_STATE : readableState(workload, {})
}

/** The count that the label keeps. */
export function labelOf({ object }: ModelCluster): number | undefined {
  const label = object.metadata.labels?.[ASLEEP_LABEL]
  return label === undefined ? undefined : Number(label)
}
