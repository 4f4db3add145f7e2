import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../process/clock.ts'
import type { Runnable } from '../../process/runnable.ts'
import { deploymentStatus, nonZero, planReplicaSets, REVISION } from './deployment-rollout.ts'
import { controllerOf } from '../store/object.ts'
import type { JsonRecord, KubeObject, StoredObject } from '../store/object.ts'
import { keyOf, timestamp } from '../store/object-store.ts'
import type { Change, ObjectStore } from '../store/object-store.ts'
import { asRunning, eligibleNodes, isReady, planPods, templateHash } from './pods.ts'
import type { Registry } from '../store/registry.ts'
import { served } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'
import { StatusError } from '../store/status.ts'

const MANAGER = 'kube-controller-manager'
const PODS = 'pods'
const NODES = 'nodes'
const KINDS = new Map(
  ['deployments', 'statefulsets', 'daemonsets', 'replicasets'].map((plural) => {
    const resource = served('apps', plural)
    return [resource.store, resource]
  }),
)
const REPLICA_SETS = served('apps', 'replicasets')

interface Key {
  resource: Resource
  namespace: string
  name: string
}

/** Simulates the workload controllers and the kubelets: ReplicaSets, pods and statuses follow each write. */
export class Rollout implements Runnable {
  readonly name = 'sandbox rollout'
  readonly #registry: Registry
  readonly #store: ObjectStore
  readonly #clock: Clock
  readonly #readyAfterMs: number
  readonly #onError: (error: unknown) => void
  readonly #due = new Map<string, Key>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #round: NodeJS.Immediate | undefined
  #unsubscribe = () => {}

  constructor(parts: {
    registry: Registry
    clock: Clock
    readyAfterMs: number
    onError: (error: unknown) => void
  }) {
    this.#registry = parts.registry
    this.#store = parts.registry.store
    this.#clock = parts.clock
    this.#readyAfterMs = parts.readyAfterMs
    this.#onError = parts.onError
  }

  async start(): Promise<void> {
    const unsubscribe = this.#store.subscribe((change) => this.#note(change))
    this.#unsubscribe = () => unsubscribe()
    for (const [store, resource] of KINDS)
      for (const { metadata } of this.#store.list(store))
        this.#enqueue(resource, metadata.namespace, metadata.name)
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    clearImmediate(this.#round)
    this.#round = undefined
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #note({ type, store, object }: Change): void {
    const { metadata } = object
    const resource = KINDS.get(store)
    if (resource) this.#enqueue(resource, metadata.namespace, metadata.name)
    if (resource || store === PODS) {
      const owner = controllerOf(object)
      const owning = [...KINDS.values()].find(({ kind }) => kind === owner?.kind)
      if (owner && owning) this.#enqueue(owning, metadata.namespace, owner.name)
      if (!owner && !resource && type === 'ADDED') this.#later(() => this.#run([object]))
    }
  }

  #enqueue(resource: Resource, namespace = '', name: string): void {
    this.#due.set(`${resource.store}/${keyOf(namespace, name)}`, { resource, namespace, name })
    this.#round ??= setImmediate(() => this.#reconcileAll())
  }

  #reconcileAll(): void {
    this.#round = undefined
    const keys = [...this.#due.values()]
    this.#due.clear()
    for (const key of keys) {
      const object = this.#store.get(key.resource.store, key.namespace, key.name)
      if (!object) continue
      try {
        if (object.kind === 'Deployment') this.#deployment(key, object)
        else this.#podOwner(key, object)
      } catch (error) {
        // An object that was deleted or changed during this round is enqueued again by its own change.
        if (!(error instanceof StatusError)) this.#onError(error)
      }
    }
  }

  #deployment(key: Key, deployment: StoredObject): void {
    const { namespace } = key
    const plan = planReplicaSets(deployment, this.#owned(deployment, REPLICA_SETS.store))
    if (plan.create) this.#registry.create(REPLICA_SETS, namespace, plan.create, { manager: MANAGER })
    for (const { stored, wanted } of plan.update)
      if (!isDeepStrictEqual(stored, wanted))
        this.#registry.update(
          { resource: REPLICA_SETS, namespace, name: stored.metadata.name },
          () => wanted,
          { manager: MANAGER },
        )
    for (const { metadata } of plan.remove)
      this.#registry.delete({ resource: REPLICA_SETS, namespace, name: metadata.name })
    const owned = this.#owned(deployment, REPLICA_SETS.store)
    const annotations = { ...deployment.metadata.annotations, [REVISION]: plan.revision }
    const status = deploymentStatus(deployment, owned, timestamp(this.#clock()))
    // Like the real controller, write the revision with the status, so that the generation does not grow.
    this.#writeStatus(key, { ...deployment, metadata: { ...deployment.metadata, annotations }, status })
  }

  #podOwner(key: Key, workload: StoredObject): void {
    const nodes = this.#store.list(NODES)
    const { create, remove } = planPods(workload, this.#owned(workload, PODS), nodes)
    for (const pod of remove) this.#store.delete(PODS, pod)
    const created = create.map((pod) => this.#store.create(PODS, pod))
    if (created.length > 0) this.#later(() => this.#run(created))
    const pods = this.#owned(workload, PODS)
    this.#writeStatus(key, { ...workload, status: this.#status(workload, pods, nodes) })
  }

  #status(workload: StoredObject, pods: StoredObject[], nodes: StoredObject[]): JsonRecord {
    const observedGeneration = workload.metadata.generation
    const all = pods.length
    const ready = pods.filter(isReady).length
    if (workload.kind === 'DaemonSet') {
      const desired = eligibleNodes(workload, nodes).length
      return {
        currentNumberScheduled: all,
        desiredNumberScheduled: desired,
        numberMisscheduled: 0,
        numberReady: ready,
        observedGeneration,
        ...nonZero({
          numberAvailable: ready,
          updatedNumberScheduled: all,
          numberUnavailable: desired - ready,
        }),
      }
    }
    if (workload.kind === 'ReplicaSet') {
      const counted = { fullyLabeledReplicas: all, readyReplicas: ready, availableReplicas: ready }
      return { replicas: all, observedGeneration, ...nonZero(counted) }
    }
    const revision = `${workload.metadata.name}-${templateHash(workload.spec?.template)}`
    return {
      replicas: all,
      observedGeneration,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
      availableReplicas: ready,
      ...nonZero({ readyReplicas: ready, currentReplicas: all, updatedReplicas: all }),
    }
  }

  #writeStatus({ resource, namespace, name }: Key, wanted: KubeObject): void {
    this.#registry.update({ resource, namespace, name }, () => wanted, {
      manager: MANAGER,
      subresource: 'status',
    })
  }

  #run(pods: StoredObject[]): void {
    for (const { metadata } of pods) {
      const pod = this.#store.get(PODS, metadata.namespace, metadata.name)
      if (pod && pod.metadata.uid === metadata.uid && !isReady(pod))
        this.#store.replace(PODS, pod, asRunning(pod))
    }
  }

  #owned(owner: StoredObject, store: string): StoredObject[] {
    return this.#store
      .owned(owner.metadata.uid)
      .filter((each) => each.store === store && controllerOf(each.object)?.uid === owner.metadata.uid)
      .map(({ object }) => object)
  }

  #later(action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, this.#readyAfterMs)
    this.#timers.add(timer.unref())
  }
}
