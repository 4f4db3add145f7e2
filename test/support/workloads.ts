import type { Instant } from '../../src/process/clock.ts'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import {
  EMPTY_STATE,
  heldBy,
  type Backoff,
  type Operation,
  type State,
  type Intent,
} from '../../src/domain/workload/state.ts'
import type { Trigger } from '../../src/domain/workload/trigger.ts'
import {
  ASLEEP_LABEL,
  HELD_LABEL,
  type AnnotationName,
  type BuiltInKind,
  type Kind,
  type OwnLabel,
  type Workload,
} from '../../src/domain/workload/workload.ts'
import { decoded } from './readable.ts'
import { at } from './rules.ts'

/** A workload that reads like prose: `aDeployment('shop/web').withReplicas(3).enabled().pinned()`. */
export type AWorkload = Workload & Telling

interface Slept {
  at: Instant
  /** The count kept; as it is where left out. */
  kept?: number
  trigger?: Trigger
  by?: string
  for?: number
  /** Without an intent: as a repair or a disable leaves it. */
  intentless?: true
}

interface Woke {
  at: Instant
  trigger?: Trigger
  by?: string
  for?: number
  hold?: number
}

class Telling {
  withReplicas(this: AWorkload, replicas: number): AWorkload {
    return this.with({ replicas, ...this.generationAfter(this.replicas !== replicas) }).settled()
  }

  enabled(this: AWorkload): AWorkload {
    return this.annotated({ enabled: 'true' })
  }

  scheduled(this: AWorkload, schedule: string, timezone?: string): AWorkload {
    return this.annotated({ schedule, ...(timezone === undefined ? {} : { timezone }) })
  }

  annotated(this: AWorkload, changes: Partial<Record<AnnotationName, string | undefined>>): AWorkload {
    const merged = Object.entries({ ...this.annotations, ...changes }).filter(
      ([, text]) => text !== undefined,
    )
    return this.with({ annotations: Object.fromEntries(merged), hasAnnotations: true })
  }

  labelled(this: AWorkload, labels: Record<string, string> | undefined): AWorkload {
    return this.with({ labels })
  }

  /** With this state of Dormouse. */
  remembering(this: AWorkload, state: Partial<State>): AWorkload {
    const known = this.annotations.state === undefined ? EMPTY_STATE : decoded(this.annotations)
    const next = { ...known, kind: this.kind, counter: known.counter + 1, ...state }
    return this.annotated({ history: undefined, ...encodeState(next) }).labelledHeld(heldBy(next))
  }

  /** Put to sleep, its pods gone: by the schedule, with an edge's intent, unless specified otherwise. */
  snoozed(this: AWorkload, { at, kept, trigger = 'schedule', by, for: limit, intentless }: Slept): AWorkload {
    const replicas = kept ?? this.replicas
    const operation = done('snooze', trigger, at, 0, by)
    return this.remembering({
      asleep: true,
      snoozed: { at, replicas, trigger, by: by ?? null },
      ...(intentless ? {} : { intent: this.intent('asleep', at, trigger, by, limit) }),
      history: [operation, ...this.history()],
    }).markedAsleep(replicas)
  }

  /** Woken, its pods ready. */
  woken(this: AWorkload, { at, trigger = 'api', by, for: limit, hold }: Woke): AWorkload {
    const replicas = this.kept()
    const intent = this.intent('awake', at, trigger, by, limit)
    return this.remembering({
      asleep: false,
      woken: { at },
      intent: hold === undefined ? intent : { ...intent, hold: at + hold },
      history: [done('wake', trigger, at, replicas, by), ...this.history()],
    })
      .with({ snoozeKey: undefined })
      .withoutLabel(ASLEEP_LABEL)
      .withReplicas(replicas)
  }

  /** As a former release leaves it, or somebody while the webhook is down. */
  withoutLabel(this: AWorkload, label: OwnLabel): AWorkload {
    const { [label]: _, ...others } = this.labels ?? {}
    return this.with({ labels: Object.keys(others).length === 0 ? undefined : others })
  }

  pinned(this: AWorkload, when: Instant = at('Mon 7:00'), by = 'k8s:alice'): AWorkload {
    const asleep = this.state().asleep
    const replicas = asleep ? this.kept() : this.replicas
    return this.remembering({ pin: { state: asleep ? 'snoozed' : 'active', replicas, at: when, by } })
  }

  overridden(this: AWorkload, until: Instant | null = null, by = 'k8s:bob'): AWorkload {
    return this.remembering({ override: { until, at: at('Mon 7:00'), by } })
  }

  inBackoff(this: AWorkload, until: Instant, cause: Backoff['cause'] = 'flapping', times = 1): AWorkload {
    return this.remembering({ backoff: { until, cause, times } })
  }

  /** A snooze or wake that its pods have not followed yet. */
  inProgress(this: AWorkload, operation: Pick<Operation, 'type' | 'at'>): AWorkload {
    const { type, at } = operation
    const running = { ...done(type, 'api', at, type === 'snooze' ? 0 : this.replicas, 'k8s:alice') }
    const history = [{ ...running, duration: null, result: 'running' as const }, ...this.history().slice(1)]
    return this.remembering({ history }).unsettled()
  }

  /** `kubectl scale`: the scale subresource. */
  scaledByHand(this: AWorkload, replicas: number, manager = 'kubectl'): AWorkload {
    return this.with({ replicasManager: { manager, subresource: 'scale' } }).withReplicas(replicas)
  }

  /** `kubectl edit`, a GitOps sync: the workload itself. */
  editedTo(this: AWorkload, replicas: number, manager = 'argocd'): AWorkload {
    return this.with({ replicasManager: { manager, subresource: undefined } }).withReplicas(replicas)
  }

  /** A sync by server-side apply. */
  appliedWith(this: AWorkload, replicas: number, manager = 'argocd'): AWorkload {
    return this.with({ replicasManager: { manager, subresource: undefined, applies: true } }).withReplicas(
      replicas,
    )
  }

  withoutItsKey(this: AWorkload): AWorkload {
    return this.with({ snoozeKey: undefined, ...this.generationAfter(true) }).settled()
  }

  born(this: AWorkload, createdAt: Instant): AWorkload {
    return this.with({ createdAt })
  }

  /** Its pods are as its spec asks. */
  settled(this: AWorkload): AWorkload {
    const count = this.snoozeKey === undefined ? this.replicas : 0
    return this.with({ pods: { existing: count, ready: count, observedGeneration: this.generation } })
  }

  /** Its controller has not seen its spec yet. */
  unsettled(this: AWorkload): AWorkload {
    return this.with({ pods: { ...this.pods, observedGeneration: this.generation - 1 } })
  }

  with(this: AWorkload, changes: Partial<Workload>): AWorkload {
    return Object.assign(new Telling(), this, changes)
  }

  /** The state in its annotation. */
  state(this: AWorkload): State {
    return this.annotations.state === undefined ? EMPTY_STATE : decoded(this.annotations)
  }

  private history(this: AWorkload): readonly Operation[] {
    return this.state().history
  }

  private kept(this: AWorkload): number {
    return this.state().snoozed?.replicas ?? this.replicas
  }

  private generationAfter(this: AWorkload, changed: boolean): { generation: number } {
    return { generation: this.generation + (changed ? 1 : 0) }
  }

  private labelledHeld(this: AWorkload, by: string | undefined): AWorkload {
    return by === undefined
      ? this.withoutLabel(HELD_LABEL)
      : this.labelled({ ...this.labels, [HELD_LABEL]: by })
  }

  private markedAsleep(this: AWorkload, kept: number): AWorkload {
    const labels = { ...this.labels, [ASLEEP_LABEL]: String(kept) }
    const generation = this.generationAfter(true)
    return this.kind === 'daemonsets'
      ? this.with({ labels, ...generation, snoozeKey: 'true', hasNodeSelector: true }).settled()
      : this.with({ labels, ...generation, replicas: 0 }).settled()
  }

  private intent(
    this: AWorkload,
    want: Intent['want'],
    formed: Instant,
    trigger: Trigger,
    by?: string,
    limit?: number,
  ): Intent {
    return {
      want,
      at: formed,
      ...(limit === undefined ? {} : { until: formed + limit }),
      before: this.state().asleep ? 'asleep' : 'awake',
      by: by ?? null,
      trigger: trigger === 'api' || trigger === 'manual' ? trigger : 'schedule',
    }
  }
}

function telling(workload: Workload): AWorkload {
  return Object.assign(new Telling(), workload)
}

function done(
  type: Operation['type'],
  trigger: Trigger,
  when: Instant,
  replicas: number,
  by?: string,
): Operation {
  return { type, trigger, at: when, replicas, duration: 1000, by: by ?? null, result: 'succeeded' }
}

function aWorkload(kind: Kind, path: string): AWorkload {
  const [namespace = '', name = ''] = path.split('/')
  return telling({
    kind,
    namespace,
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '100',
    generation: 1,
    createdAt: at('Mon 0:00') - 30 * 24 * 3_600_000,
    deleting: false,
    owner: undefined,
    labels: undefined,
    annotations: {},
    hasAnnotations: false,
    otherAnnotationBytes: 0,
    formerRevision: false,
    deletesVolumes: false,
    hasNodeSelector: false,
    snoozeKey: undefined,
    replicas: 1,
    pods: { existing: 1, ready: 1, observedGeneration: 1 },
    replicasManager: undefined,
    ownReplicasEntry: undefined,
    requests: { cpu: 0.1, memory: 2 ** 27 },
  })
}

export const aDeployment = (path = 'shop/web') => aWorkload('deployments', path)
export const aStatefulSet = (path = 'shop/db') => aWorkload('statefulsets', path)
export const aDaemonSet = (path = 'shop/agent') => aWorkload('daemonsets', path)
export const aCronJob = (path = 'shop/report') => aWorkload('cronjobs', path)
export const aReplicaSet = (path = 'shop/old') => aWorkload('replicasets', path)

/** The same by kind. */
export const BY_KIND: Readonly<Record<BuiltInKind, (path?: string) => AWorkload>> = {
  deployments: aDeployment,
  statefulsets: aStatefulSet,
  daemonsets: aDaemonSet,
  replicasets: aReplicaSet,
  cronjobs: aCronJob,
}
