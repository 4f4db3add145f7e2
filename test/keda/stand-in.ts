import type { KubernetesObject } from '../control-plane/client.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { annotationsOf, scaledObjectsIn, type KedaOperator } from './operator.ts'

const POLL_MS = 200

interface Options {
  /** The user of its requests; default: the administrator. */
  readonly as?: string
  /** Called after each count that it has set. */
  readonly scaled?: (name: string, count: number) => void
}

/**
 * Scales Deployments as KEDA 2.21 was observed to, at each poll: up to `minReplicaCount`, up to 1 while its trigger is
 * active, down to 0 without either; `paused` leaves the count alone, and `paused-replicas` sets it once and then stops.
 */
export class StandIn implements KedaOperator {
  active = false
  reachable = true
  readonly poll = POLL_MS
  readonly trigger = { type: 'stand-in' }
  readonly #on: () => Cluster
  readonly #namespace: string
  readonly #options: Options
  /** ScaledObjects whose pause it has carried out. */
  readonly #resting = new Set<string>()
  /** The numbers of the newest look that has begun, and of the newest that has ended. */
  #begun = 0
  #ended = 0
  #stopped = new AbortController()
  #running = Promise.resolve()

  constructor(on: () => Cluster, namespace: string, options: Options = {}) {
    this.#on = on
    this.#namespace = namespace
    this.#options = options
  }

  async start(): Promise<void> {
    this.#stopped = new AbortController()
    const { signal } = this.#stopped
    this.#running = this.#run(signal)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async looked(): Promise<void> {
    const { signal } = this.#stopped
    const seen = this.#begun + 1
    await eventually('a look of the stand-in', () => signal.aborted || this.#ended >= seen)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    while (!signal.aborted) {
      // The definition, the namespace and the target may be gone at any time.
      const look = ++this.#begun
      await this.#look().catch(() => {})
      this.#ended = look
      await Promise.race([ended, new Promise((next) => setTimeout(next, POLL_MS).unref())])
    }
  }

  async #look(): Promise<void> {
    const { items = [] } = await this.#on().admin.expect('GET', scaledObjectsIn(this.#namespace))
    for (const item of items) await this.#scale(item).catch(() => {})
  }

  async #scale(object: KubernetesObject): Promise<void> {
    const { scaleTargetRef, minReplicaCount } = object.spec as {
      scaleTargetRef: { name: string }
      minReplicaCount: number
    }
    const path = `/apis/apps/v1/namespaces/${this.#namespace}/deployments/${scaleTargetRef.name}/scale`
    const uid = String(object.metadata?.['uid'])
    const { 'autoscaling.keda.sh/paused': paused, 'autoscaling.keda.sh/paused-replicas': at } =
      annotationsOf(object)
    if (paused === 'true') return
    if (at === undefined) this.#resting.delete(uid)
    else if (this.#resting.has(uid)) return
    const { spec } = await this.#on().admin.expect('GET', path)
    // A Scale leaves out a count of 0.
    const count = Number(spec?.['replicas'] ?? 0)
    const wanted = at === undefined ? this.#wanted(count, minReplicaCount) : Number(at)
    if (wanted !== count) {
      const { as, scaled } = this.#options
      const headers = as === undefined ? {} : { 'impersonate-user': as }
      const body = { spec: { replicas: wanted } }
      await this.#on().admin.expect('PATCH', `${path}?fieldManager=keda`, body, headers)
      scaled?.(scaleTargetRef.name, wanted)
    }
    if (at !== undefined) this.#resting.add(uid)
  }

  #wanted(count: number, min: number): number {
    if (count === 0) return Math.max(min, this.active && this.reachable ? 1 : 0)
    return min === 0 && !this.active && this.reachable ? 0 : count
  }
}
