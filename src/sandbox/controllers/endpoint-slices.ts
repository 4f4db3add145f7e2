import { isDeepStrictEqual } from 'node:util'
import { MANAGED_BY_LABEL, SERVICE_LABEL } from '../../domain/traffic/slices.ts'
import type { Runnable } from '../../process/runnable.ts'
import { isRecord, list, text, type KubeObject, type StoredObject } from '../store/object.ts'
import { keyOf, type Change, type ObjectStore } from '../store/object-store.ts'
import type { Registry } from '../store/registry.ts'
import { served } from '../store/resources.ts'
import { isReady, ownedBy } from './pods.ts'

const CONTROLLER = 'endpointslice-controller.k8s.io'
const SLICES = served('discovery.k8s.io', 'endpointslices')
const SERVICES = served('', 'services').store
const PODS = served('', 'pods').store

interface Key {
  readonly namespace: string
  readonly name: string
}

/** Simulates Kubernetes' controller of EndpointSlices: one slice for each Service that selects pods. */
export class EndpointSlices implements Runnable {
  readonly name = 'sandbox endpoint slices'
  readonly #registry: Registry
  readonly #store: ObjectStore
  readonly #due = new Map<string, Key>()
  #round: NodeJS.Immediate | undefined
  #unsubscribe = () => {}

  constructor(registry: Registry) {
    this.#registry = registry
    this.#store = registry.store
  }

  async start(): Promise<void> {
    const unsubscribe = this.#store.subscribe((change) => this.#note(change))
    this.#unsubscribe = () => unsubscribe()
    for (const service of this.#store.list(SERVICES)) this.#enqueue(service)
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    clearImmediate(this.#round)
    this.#round = undefined
  }

  #note({ store, object, previous }: Change): void {
    if (store === SERVICES) this.#enqueue(object)
    if (store !== PODS) return
    const pods = previous ? [previous, object] : [object]
    for (const service of this.#store.list(SERVICES, object.metadata.namespace))
      if (pods.some((pod) => selects(service, pod))) this.#enqueue(service)
  }

  #enqueue({ metadata: { namespace = '', name } }: KubeObject): void {
    this.#due.set(keyOf(namespace, name), { namespace, name })
    this.#round ??= setImmediate(() => {
      this.#round = undefined
      const keys = [...this.#due.values()]
      this.#due.clear()
      for (const key of keys) this.#reconcile(key)
    })
  }

  #reconcile({ namespace, name }: Key): void {
    const service = this.#store.get(SERVICES, namespace, name)
    const standing = this.#store
      .list(SLICES.store, namespace)
      .find(
        ({ metadata: { labels } }) =>
          labels?.[SERVICE_LABEL] === name && labels[MANAGED_BY_LABEL] === CONTROLLER,
      )
    if (!service || Object.keys(selectorOf(service)).length === 0) {
      if (standing) this.#registry.delete({ resource: SLICES, namespace, name: standing.metadata.name })
      return
    }
    const pods = this.#store.list(PODS, namespace).filter((pod) => selects(service, pod))
    const content = { ports: list(service.spec, 'ports').map(portOf), endpoints: pods.map(endpointOf) }
    if (!standing)
      this.#registry.create(
        SLICES,
        namespace,
        { ...emptySlice(service), ...content },
        { manager: CONTROLLER },
      )
    else if (!isDeepStrictEqual({ ports: standing['ports'], endpoints: standing['endpoints'] }, content)) {
      const target = { resource: SLICES, namespace, name: standing.metadata.name }
      this.#registry.update(target, (stored) => ({ ...stored, ...content }), { manager: CONTROLLER })
    }
  }
}

function selectorOf({ spec }: KubeObject): Record<string, unknown> {
  const selector: unknown = spec?.selector
  return isRecord(selector) ? selector : {}
}

function selects(service: KubeObject, pod: KubeObject): boolean {
  const wanted = Object.entries(selectorOf(service))
  return wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)
}

function emptySlice(service: StoredObject): object {
  const { name } = service.metadata
  return {
    metadata: {
      generateName: `${name}-`,
      labels: { [SERVICE_LABEL]: name, [MANAGED_BY_LABEL]: CONTROLLER },
      ownerReferences: [ownedBy(service)],
    },
    addressType: 'IPv4',
  }
}

function portOf(port: unknown): object {
  const { name = '', port: number, targetPort = number, protocol = 'TCP' } = isRecord(port) ? port : {}
  return { name, port: targetPort, protocol }
}

function endpointOf(pod: StoredObject): object {
  const { namespace, name, uid } = pod.metadata
  const ready = isReady(pod)
  return {
    addresses: [text(pod.status, 'podIP') || LOOPBACK],
    conditions: { ready, serving: ready, terminating: false },
    targetRef: { kind: 'Pod', namespace, name, uid },
    nodeName: pod.spec?.nodeName,
  }
}

/** Pods of the sandbox have no network of their own. */
const LOOPBACK = '127.0.0.1'
