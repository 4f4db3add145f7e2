import type { BulkItem } from '../../src/api/bulk/item.ts'
import type { Instant } from '../../src/clock.ts'
import { apiVersionOf, sleepsSuspended } from '../../src/domain/kinds.ts'
import { stateOf } from '../../src/domain/reading.ts'
import { ASLEEP_LABEL, keyOf, type WorkloadKey } from '../../src/domain/workload.ts'
import { HTTP_STATUS } from '../../src/errors.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import type { Answer, Verb } from '../control-plane/client.ts'
import type { ApiAnswer, Method } from '../support/api-client.ts'
import { Counts, type Held } from './counts.ts'
import type { Observed, Seen } from './observed.ts'
import type { World } from './world.ts'

/** Something that was done to a workload, and how it was answered. */
export interface Asked {
  readonly what: string
  /** By the scenario's clock. */
  readonly from: Instant
  readonly until: Instant
  /** undefined: nobody knows whether it was carried out. */
  readonly status: number | undefined
}

/** What a request about a namespace answers. */
interface Bulk {
  readonly items: readonly BulkItem[]
}

/** A workload of a scenario: what was done to it, and what its people may expect of it. */
export class Target {
  readonly key: WorkloadKey
  readonly world: World
  readonly observed: Observed
  readonly counts: Counts
  readonly asked: Asked[] = []
  /** The nodeSelector of its people, without Dormouse's key. */
  selector: Record<string, string> = {}
  /** All of the scenario, this one included: they share a namespace. */
  peers: readonly Target[] = [this]
  /** One of the places that hold its count was destroyed: a second one would lose it by contract. */
  fragile = false
  /** By the scenario's clock; what was done to it before has had its effect. */
  restedAt: Instant = 0
  /** How many of its versions were explained. */
  explained = 1

  constructor(key: WorkloadKey, world: World, observed: Observed, count: number) {
    this.key = key
    this.world = world
    this.observed = observed
    this.counts = new Counts(count)
  }

  get title(): string {
    return keyOf(this.key)
  }

  get path(): string {
    const { kind, namespace, name } = this.key
    return `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}/${name}`
  }

  get latest(): Seen | undefined {
    return this.observed.latest(this.key)
  }

  get held(): Held {
    return heldBy(this.key, this.latest)
  }

  /** Asks the API of one of the replicas. */
  async ask(which: number, method: Method, action: string, body?: object): Promise<ApiAnswer | undefined> {
    const { kind, namespace, name } = this.key
    const path = `/namespaces/${namespace}/${kind}/${name}/${action}`
    this.counts.race()
    return this.#recorded(`${method} ${action}`, () =>
      this.world.call(which, method, path, body ? { body } : {}),
    )
  }

  /** Asks for all workloads of the namespace at once; each is told what became of it. */
  async askForAll(which: number, method: Method, action: string): Promise<void> {
    const from = this.world.now
    for (const { counts } of this.peers) counts.race()
    const path = `/namespaces/${this.key.namespace}/${action}`
    const answer = await this.world.call<Bulk>(which, method, path).catch(() => undefined)
    const items = new Map(answer?.body.data?.items.map((item) => [keyOf({ ...this.key, ...item }), item]))
    for (const peer of this.peers) {
      const code = items.get(peer.title)?.code
      const status = code ? HTTP_STATUS[code] : answer?.status
      peer.asked.push({ what: `${method} ${action} of all`, from, until: this.world.now, status })
    }
  }

  /** Writes to the API server as somebody else: `as` is who, an administrator by default. */
  async write(
    verb: Verb,
    what: string,
    body?: object,
    as?: string,
    path = this.path,
  ): Promise<Answer | undefined> {
    const headers = as === undefined ? {} : { 'impersonate-user': as }
    return this.#recorded(what, () => this.world.cluster.admin.send(verb, path, body, headers))
  }

  async #recorded<A extends { readonly status: number }>(
    what: string,
    act: () => Promise<A>,
  ): Promise<A | undefined> {
    const from = this.world.now
    const answer = await act().catch(() => undefined)
    this.asked.push({ what, from, until: this.world.now, status: answer?.status })
    return answer
  }
}

/** What an object says of its count; the state is read by the product, label and count are not. */
export function heldBy(key: WorkloadKey, object: Seen | undefined): Held {
  if (!object) return { replicas: 0, kept: undefined, others: [] }
  const state = stateOf(trim(key.kind, object))
  const label = object.metadata.labels?.[ASLEEP_LABEL]
  const pinned = state && !state.asleep && state.pin?.state === 'active' ? [state.pin.replicas] : []
  const givenBack = state && !state.asleep && state.woken?.kept !== undefined ? [state.woken.kept] : []
  return {
    replicas: sleepsSuspended(key.kind) ? (object.spec.suspend ? 0 : 1) : (object.spec.replicas ?? 0),
    kept: label === undefined ? undefined : Number(label),
    others: [...pinned, ...givenBack].filter((count) => count > 0),
  }
}
