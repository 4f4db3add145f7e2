import { setTimeout as pause } from 'node:timers/promises'
import type { Client, KubernetesObject } from '../control-plane/client.ts'
import { newAddress } from './network.ts'

/** The label of pods that a test's kubelet runs; kwok leaves them alone. */
export const OWN_KUBELET = { kubelet: 'test' } as const

export interface PodOf {
  readonly name: string
  readonly address: string
  readonly annotations: Readonly<Record<string, string>>
}

/** The program in a pod. */
export interface Container {
  /** Asked once a second while it runs, as a readiness probe is. */
  isReady(): Promise<boolean>
  /** Resolves when it has ended, whatever ended it. */
  readonly ended: Promise<unknown>
  /** SIGTERM. */
  terminate(): void
}

export type Image = (pod: PodOf) => Promise<Container>

interface Running {
  readonly pod: PodOf
  container: Container | undefined
  ready: boolean
  deleting: boolean
}

const PROBE_MS = 1000
/** Until it is ready: the tests' time is not the probe's. */
const STARTUP_PROBE_MS = 100
/** Before a container that ended starts again. */
const RESTART_MS = 1000

/**
 * Runs the pods of a namespace that are labelled for it: each has an address of the tests' network, becomes ready when its
 * container is, restarts it when it ends, and is gone once its container has ended after SIGTERM.
 */
export class Kubelet {
  readonly #admin: Client
  readonly #namespace: string
  readonly #image: Image
  readonly #stopped = new AbortController()
  /** By uid. */
  readonly #running = new Map<string, Running>()
  #watching: Promise<void> | undefined
  /** The life of each pod, a line a change. */
  readonly log: string[] = []
  /** Faults of its own loops, such as an API server that is gone. */
  readonly faults: unknown[] = []

  constructor(admin: Client, namespace: string, image: Image) {
    this.#admin = admin
    this.#namespace = namespace
    this.#image = image
  }

  start(): void {
    this.#watching = this.#watch()
  }

  /** Leaves the pods as they are, and ends their containers. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#watching
    const containers = [...this.#running.values()].flatMap(({ container }) => container ?? [])
    for (const container of containers) container.terminate()
    await Promise.all(containers.map(({ ended }) => ended))
  }

  /** The pods that are there, with whether they are ready. */
  get pods(): readonly (PodOf & { readonly ready: boolean; readonly deleting: boolean })[] {
    return [...this.#running.values()].map(({ pod, ready, deleting }) => ({ ...pod, ready, deleting }))
  }

  async #watch(): Promise<void> {
    const selector = `labelSelector=kubelet%3D${OWN_KUBELET.kubelet}`
    const path = `/api/v1/namespaces/${this.#namespace}/pods?watch=true&timeoutSeconds=36000&${selector}`
    while (!this.#isStopped) {
      try {
        for await (const line of this.#admin.lines(path, this.#stopped.signal))
          this.#see(JSON.parse(line) as { type: string; object: Pod })
      } catch (error) {
        if (!this.#isStopped) this.faults.push(error)
        await pause(100)
      }
    }
  }

  #see({ type, object }: { readonly type: string; readonly object: Pod }): void {
    const { uid, name, deletionTimestamp, annotations = {} } = object.metadata
    const running = this.#running.get(uid)
    if (type === 'DELETED') {
      running?.container?.terminate()
      return
    }
    if (deletionTimestamp !== undefined) {
      if (!running) void this.#quietly(this.#remove(uid, name))
      else if (!running.deleting) {
        running.deleting = true
        this.#note(running, 'ends')
        running.container?.terminate()
      }
      return
    }
    if (running || object.spec.nodeName === undefined) return
    const fresh = {
      pod: { name, address: newAddress(), annotations },
      container: undefined,
      ready: false,
      deleting: false,
    }
    this.#running.set(uid, fresh)
    void this.#quietly(this.#run(uid, fresh))
  }

  async #run(uid: string, running: Running): Promise<void> {
    const { pod } = running
    await this.#tell(running, false)
    while (!running.deleting && !this.#isStopped) {
      const container = await this.#image(pod)
      running.container = container
      if (running.deleting) container.terminate()
      const ended = container.ended.then(() => true)
      void this.#quietly(this.#probe(running, container))
      await ended
      running.container = undefined
      if (running.ready) await this.#tell(running, false)
      if (!running.deleting) await pause(RESTART_MS)
    }
    if (!this.#isStopped) await this.#remove(uid, pod.name)
  }

  async #probe(running: Running, container: Container): Promise<void> {
    while (running.container === container && !this.#isStopped) {
      const ready = await container.isReady().catch(() => false)
      if (running.container === container && ready !== running.ready) await this.#tell(running, ready)
      await pause(running.ready ? PROBE_MS : STARTUP_PROBE_MS)
    }
  }

  /** Writes the pod's status. */
  async #tell(running: Running, ready: boolean): Promise<void> {
    const { name, address } = running.pod
    running.ready = ready
    this.#note(running, ready ? 'is ready' : 'is not ready')
    const now = new Date().toISOString()
    const conditions = ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'].map((type) => ({
      type,
      status: ready || type === 'Initialized' || type === 'PodScheduled' ? 'True' : 'False',
      lastTransitionTime: now,
    }))
    const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], startTime: now, conditions }
    await this.#admin.send('PATCH', `${this.#path(name)}/status`, { status })
  }

  #note({ pod: { name, address } }: Running, what: string): void {
    this.log.push(`${new Date().toISOString()} ${name} (${address}) ${what}`)
  }

  async #remove(uid: string, name: string): Promise<void> {
    const running = this.#running.get(uid)
    if (running) this.#note(running, 'is gone')
    this.#running.delete(uid)
    await this.#admin.send('DELETE', this.#path(name), { gracePeriodSeconds: 0, preconditions: { uid } })
  }

  #path(name: string): string {
    return `/api/v1/namespaces/${this.#namespace}/pods/${name}`
  }

  async #quietly(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.faults.push(error))
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted
  }
}

interface Pod extends KubernetesObject {
  readonly metadata: {
    readonly uid: string
    readonly name: string
    readonly deletionTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly nodeName?: string }
}
