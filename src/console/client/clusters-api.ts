import { setTimeout as pause } from 'node:timers/promises'
import type { Dormouse } from '../../client/ports.ts'
import { merged } from '../../client/merged.ts'
import { whyAway } from '../../client/several.ts'
import type { Kind } from '../../domain/kinds.ts'
import { Refusal } from '../../process/errors.ts'
import type { Answered, Call } from './call.ts'
import { BEAT, BOOKMARK, event, Known, listChanges, textOf, type ListEvent } from './list-stream.ts'
import { ClusterApi, isWatch, type PageApi } from './page-api.ts'

/** A cluster of the page. */
export interface PageCluster {
  /** As people call it, for as long as the page is open. */
  readonly name: string
  readonly dormouse: Dormouse
  /** The namespace of its list; undefined: all. */
  readonly namespace: string | undefined
  /** Why it does not answer; undefined: it does, as far as is known. */
  readonly away?: string | undefined
}

/** Whether a cluster answers, as the page is told; `message`: why not. */
interface State {
  readonly name: string
  readonly state: 'live' | 'away'
  readonly message: string | null
}

/** Milliseconds. */
interface Pauses {
  /** Until a cluster that is away is asked again. */
  readonly retry: number
  /** Between reads of its whole list. */
  readonly listAgain?: number
}

/** `/clusters/dev%2Feu/namespaces/…`: a cluster by its name, and the path within it. */
const WITHIN = /^\/clusters\/([^/]+)(\/.*)?$/

/**
 * The API over several clusters: one list of all, and behind `/clusters/<name>` the API of each. One that does not
 * answer is told as `away`, and asked again.
 */
export class ClustersApi implements PageApi {
  readonly #clusters: ReadonlyMap<string, FollowedCluster>

  constructor(clusters: readonly PageCluster[], pauses: Pauses = { retry: 10_000 }) {
    this.#clusters = new Map(clusters.map((each) => [each.name, new FollowedCluster(each, pauses)]))
  }

  async answer(call: Call): Promise<Answered> {
    if (call.method === 'GET' && call.path === '')
      return { message: 'what can be asked for', data: await this.#index() }
    const { api, within } = this.#addressed(call)
    return api.answer(within)
  }

  events(call: Call): AsyncIterable<string> | undefined {
    if (isWatch(call)) return this.#allEvents(call.signal)
    if (!WITHIN.test(call.path)) return undefined
    const { api, within } = this.#addressed(call)
    return api.events(within)
  }

  /** @throws Refusal NOT_FOUND */
  #addressed(call: Call): { readonly api: ClusterApi; readonly within: Call } {
    const [, text = '', path = ''] = WITHIN.exec(call.path) ?? []
    const cluster = this.#clusters.get(decoded(text))
    if (cluster) return { api: cluster.api, within: { ...call, path } }
    const known = [...this.#clusters.keys()].map(encodeURIComponent).join(', ')
    const advice = `ask one of several at /api/v1/clusters/<name>/…, where <name> is one of ${known}`
    throw new Refusal('NOT_FOUND', text === '' ? advice : `there is no cluster ${text} here: ${advice}`)
  }

  async #index() {
    const described = await Promise.all([...this.#clusters.values()].map((each) => each.described()))
    const clusters = described.map(({ seen }) => seen)
    const users = new Set(described.flatMap(({ seen, user }) => (seen.state === 'live' ? [user] : [])))
    const [user = null] = users
    return {
      kinds: [...new Set(clusters.flatMap(({ kinds }) => kinds))],
      cluster: null,
      user: users.size === 1 ? user : null,
      clusters,
    }
  }

  async *#allEvents(signal: AbortSignal): AsyncGenerator<string> {
    let awaited = this.#clusters.size
    let workloads = 0
    const all = [...this.#clusters.values()].map((each) => each.followed(signal))
    try {
      for await (const each of merged([...all, beats(signal)])) {
        if (each.name !== 'listed') yield textOf(each)
        else {
          workloads += (JSON.parse(each.data) as { workloads: number }).workloads
          awaited -= 1
          if (awaited === 0) yield textOf(event('listed', { workloads }))
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** One of the clusters, and what is known of it. */
class FollowedCluster {
  readonly api: ClusterApi
  readonly #cluster: PageCluster
  readonly #pauses: Pauses
  #state: State
  #kinds: readonly Kind[] = []

  constructor(cluster: PageCluster, pauses: Pauses) {
    this.#cluster = cluster
    this.#pauses = pauses
    const { name, away } = cluster
    this.#state = away === undefined ? liveState(name) : { name, state: 'away', message: away }
    this.api = new ClusterApi(cluster.dormouse, cluster.namespace)
  }

  /** Its state, kinds and user. A cluster that is away is not asked: `followed` finds out when it is back. */
  async described() {
    const { dormouse } = this.#cluster
    let user: string | null = null
    try {
      if (this.#state.state === 'live') {
        this.#kinds = await dormouse.kinds()
        ;({ user } = await dormouse.whoami())
      }
    } catch (error) {
      this.#lost(error)
    }
    return { seen: { ...this.#state, kinds: this.#kinds }, user }
  }

  /**
   * Its list, `listed` once at the first success or failure, and each change, with an event `cluster` at the first, and
   * whenever it goes away or comes back.
   */
  async *followed(signal: AbortSignal): AsyncGenerator<ListEvent> {
    const { name, dormouse, namespace } = this.#cluster
    const { retry, listAgain } = this.#pauses
    const known = new Known(name)
    let told: State['state'] | undefined
    let isListed = false
    while (!signal.aborted) {
      try {
        for await (const each of listChanges(dormouse, namespace, known, signal, listAgain)) {
          this.#state = liveState(name)
          if (told !== 'live') yield event('cluster', this.#state)
          told = 'live'
          const isNew = each.name === 'listed' ? !isListed : each.name !== 'bookmark'
          isListed ||= each.name === 'listed'
          if (isNew) yield each
        }
      } catch (error) {
        if (signal.aborted) return
        this.#lost(error)
        if (told !== 'away') yield event('cluster', this.#state)
        told = 'away'
        if (!isListed) yield event('listed', { workloads: 0 })
        isListed = true
      }
      await pause(retry, undefined, { signal }).catch(() => undefined)
    }
  }

  #lost(error: unknown): void {
    const { name, dormouse } = this.#cluster
    this.#state = { name, state: 'away', message: whyAway(dormouse, error) }
  }
}

function liveState(name: string): State {
  return { name, state: 'live', message: null }
}

/** So that a list in which nothing happens is not taken for a dead one. */
async function* beats(signal: AbortSignal): AsyncGenerator<ListEvent> {
  while (!signal.aborted) {
    await pause(BEAT, undefined, { signal }).catch(() => undefined)
    yield BOOKMARK
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
