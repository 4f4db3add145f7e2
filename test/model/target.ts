import type { BulkItem } from '../../src/service/api/bulk/item.ts'
import type { Instant } from '../../src/process/clock.ts'
import { stateOf } from '../../src/domain/workload/reading.ts'
import { ASLEEP_LABEL, keyOf, type Kind, type WorkloadKey } from '../../src/domain/workload/workload.ts'
import { HTTP_STATUS } from '../../src/process/errors.ts'
import type { Answer, Verb } from '../control-plane/client.ts'
import type { ApiAnswer, Method } from '../support/api-client.ts'
import type { StandIn } from '../keda/stand-in.ts'
import { Counts, type Held } from './counts.ts'
import { collectionOf, trimmed } from './kinds.ts'
import type { Observed, Seen } from './observed.ts'
import type { Pause } from './pause.ts'
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

/** The answer to a request about a namespace. */
interface Bulk {
  readonly items: readonly BulkItem[]
}

/** Every workload has a label `team` with one of these, which requests about a namespace may name. */
export const TEAMS = ['a', 'b'] as const

/** Which workloads of a namespace a request is about; in a dry run it is about none. */
export interface Narrowed {
  readonly kind: Kind | undefined
  readonly team: string | undefined
  readonly dryRun: boolean
  readonly body: object | undefined
}

/** A workload of a scenario: the actions on it, and its people's expectations. */
export class Target {
  readonly key: WorkloadKey
  readonly team: string
  readonly world: World
  readonly observed: Observed
  readonly counts: Counts
  readonly asked: Asked[] = []
  /** The nodeSelector of its people, without Dormouse's key. */
  selector: Record<string, string> = {}
  /** KEDA in this namespace. */
  keda: StandIn | undefined
  /** Its ScaledObject, as its people mean it to be; undefined: there is none. */
  scaler: { readonly min: number; pause: Pause } | undefined
  /** The minimums of its HPA that its people mean, or may mean; undefined: it has none. */
  minimums: readonly number[] | undefined
  /** KEDA decides its count, or did so since the last rest. */
  isKedas = false
  /** All of the scenario, this one included: they share a namespace. */
  peers: readonly Target[] = [this]
  /** One of the places that hold its count was destroyed: a second one would lose it by contract. */
  fragile = false
  /** By the scenario's clock; earlier actions have had their effect. */
  restedAt: Instant = 0
  /** At its last rest somebody's hand had left it at 0, and nothing kept another count. */
  leftAtZero = false
  /** How many of its versions were explained. */
  explained = 1

  constructor(key: WorkloadKey, team: string, world: World, observed: Observed, count: number) {
    this.key = key
    this.team = team
    this.world = world
    this.observed = observed
    this.counts = new Counts(count)
  }

  get title(): string {
    return keyOf(this.key)
  }

  /** This one if it is of the kind, else one of the scenario that is; undefined: there is none. */
  orPeer(kind: Kind): Target | undefined {
    if (this.key.kind === kind) return this
    const others = this.peers.filter((peer) => peer.key.kind === kind)
    return others[this.peers.indexOf(this) % others.length]
  }

  get path(): string {
    const { kind, namespace, name } = this.key
    return `${collectionOf(kind, namespace)}/${name}`
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

  /** A request for several workloads of the namespace; passes each its outcome. */
  async askForAll(
    which: number,
    method: Method,
    action: string,
    { kind, team, dryRun, body }: Narrowed,
  ): Promise<void> {
    const from = this.world.now
    const query = [
      ...(kind === undefined ? [] : [`kind=${kind}`]),
      ...(team === undefined ? [] : [`labelSelector=team%3D${team}`]),
      ...(dryRun ? ['dryRun=true'] : []),
    ].join('&')
    const meant = this.peers.filter(
      (peer) => !dryRun && peer.key.kind === (kind ?? peer.key.kind) && peer.team === (team ?? peer.team),
    )
    for (const { counts } of meant) counts.race()
    const joined = action.includes('?') ? '&' : '?'
    const path = `/namespaces/${this.key.namespace}/${action}${query === '' ? '' : `${joined}${query}`}`
    const answer = await this.world
      .call<Bulk>(which, method, path, body ? { body } : {})
      .catch(() => undefined)
    const items = new Map(answer?.body.data?.items.map((item) => [keyOf({ ...this.key, ...item }), item]))
    for (const peer of meant) {
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

  /** KEDA has set its count. */
  scaledByKeda(count: number): void {
    const { now } = this.world
    this.counts.autoscaled(count, this.held)
    this.asked.push({ what: `keda ${count}`, from: now, until: now, status: 200 })
  }

  /** Changes the metadata of the Namespace, which all workloads in it may inherit. */
  async writeNamespace(metadata: object): Promise<void> {
    const from = this.world.now
    for (const { counts } of this.peers) counts.race()
    const path = `/api/v1/namespaces/${this.key.namespace}`
    const answer = await this.world.cluster.admin.send('PATCH', path, { metadata })
    const asked = { what: `Namespace ${JSON.stringify(metadata)}`, from, until: this.world.now }
    for (const peer of this.peers) peer.asked.push({ ...asked, status: answer.status })
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

/** An object's own record of its count; the product's code reads the state, but not label and count. */
export function heldBy(key: WorkloadKey, object: Seen | undefined): Held {
  if (!object) return { replicas: 0, kept: undefined, others: [] }
  const state = stateOf(trimmed(key.kind, object), {})
  const label = object.metadata.labels?.[ASLEEP_LABEL]
  const pinned = state && !state.asleep && state.pin?.state === 'active' ? [state.pin.replicas] : []
  const givenBack = state && !state.asleep && state.woken?.kept !== undefined ? [state.woken.kept] : []
  return {
    replicas: key.kind === 'cronjobs' ? (object.spec.suspend ? 0 : 1) : (object.spec.replicas ?? 0),
    kept: label === undefined ? undefined : Number(label),
    others: [...pinned, ...givenBack].filter((count) => count > 0),
  }
}
