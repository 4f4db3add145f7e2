import { useEffect, useState } from 'preact/hooks'
import { putIntoAddress, shownByAddress, type Shown } from './address.ts'
import type { Action, Need, Place } from './action.ts'
import type { Identity, Workload } from './record.ts'
import { manyOf } from '../../words/text.ts'

/** How the list is: `live`, still coming, or old because Dormouse or the cluster does not answer. */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'away'
  readonly why: string
  /** When it was last live. */
  readonly since: number | undefined
}

export interface Notice {
  readonly id: number
  readonly isFault: boolean
  readonly text: string
  readonly undo: Action | undefined
}

/** The answer to `GET /api/v1`: the kinds, and whose and which cluster's page it is, if known. */
export interface About {
  readonly kinds: readonly string[]
  readonly cluster: string | null
  readonly user: string | null
  /** Whether it changes anything at all; null: the cluster decides for each workload. */
  readonly mayChange: boolean | null
  /** Its cluster if there are several; else empty. */
  readonly clusters: readonly ClusterState[]
}

/** `message`: why a cluster does not answer. */
export interface ClusterState {
  readonly name: string
  readonly state: 'live' | 'away'
  readonly message: string | null
  readonly kinds: readonly string[]
}

/** null: it is not known. */
export function clusterName({ cluster, clusters }: About): string | null {
  return clusters.length > 0 ? manyOf(clusters.length, 'cluster') : cluster
}

/** Milliseconds that a refusal counts: rights are given meanwhile. */
const REFUSED_FOR = 300_000

export function isSamePlace(a: Place, b: Place): boolean {
  return a.cluster === b.cluster && a.user === b.user
}

const READ_ONLY = 'You may look, and not change: your token only reads.'

const NOBODY: About = { kinds: [], cluster: null, user: null, mayChange: null, clusters: [] }

/** Why a token is needed, and what to do once there is one. */
export interface SignIn {
  readonly why: string
  readonly pending: Action | undefined
}

/** How often changes of the list are drawn, in milliseconds. */
const PACE = 100
const NOTICES = 4

/** The page's state; its parts redraw when it changes. */
export class Model {
  records: ReadonlyMap<string, Workload> = new Map()
  /** Grows with each change of the records. */
  version = 0
  isListed = false
  connection: Connection = { state: 'connecting', why: '', since: undefined }
  signIn: SignIn | undefined
  about: About = NOBODY
  shown: Shown = shownByAddress()
  notices: readonly Notice[] = []
  /** Workloads with a request in flight. */
  readonly busy = new Set<string>()
  /** Why somebody may not change a kind in a namespace, as a refusal has told, and until when that counts. */
  readonly #refusals = new Map<string, { readonly why: string; readonly until: number }>()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #notice = 0

  constructor() {
    addEventListener('popstate', () => {
      this.shown = shownByAddress()
      this.tell()
    })
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const listener of this.#listeners) listener()
  }

  /** As `tell`, but batched: many records change at once. */
  tellSoon(): void {
    this.version += 1
    this.#timer ??= setTimeout(() => this.tell(), PACE)
  }

  learnCluster(told: Omit<ClusterState, 'kinds'>): void {
    const clusters = this.about.clusters.map((each) =>
      each.name === told.name ? { ...each, ...told } : each,
    )
    this.about = { ...this.about, clusters }
  }

  show(change: Partial<Shown>, { replace = false } = {}): void {
    this.shown = { ...this.shown, ...change }
    putIntoAddress(this.shown, replace)
    this.tell()
  }

  /** Why the person may not click it; '': they may, or it is not known yet. */
  mayNot({ about, need }: Pick<Action, 'about' | 'need'>): string {
    if (this.about.mayChange === false) return READ_ONLY
    const refusal = about && this.#refusals.get(placeOf(about, need))
    return refusal && Date.now() < refusal.until ? refusal.why : ''
  }

  learnRefusal({ about, need }: Action, why: string): void {
    if (about) this.#refusals.set(placeOf(about, need), { why, until: Date.now() + REFUSED_FOR })
  }

  /** Keeps whose page it is. For another person, or cluster, former refusals do not count. */
  learn(about: About): void {
    if (!isSamePlace(about, this.about)) this.#refusals.clear()
    this.about = about
    document.title = [clusterName(about) ?? [], 'Dormouse'].flat().join(' · ')
  }

  notify(
    text: string,
    { isFault = false, undo }: { isFault?: boolean; undo?: Action | undefined } = {},
  ): void {
    const id = (this.#notice += 1)
    this.notices = [...this.notices, { id, isFault, text, undo }].slice(-NOTICES)
    this.tell()
    if (!isFault) this.#fade(id)
  }

  /** Dismisses a notice after a while, but not while somebody points at one. */
  #fade(id: number): void {
    setTimeout(() => {
      if (document.querySelector('.notice:hover, .notice:focus-within')) this.#fade(id)
      else this.dismiss(id)
    }, 8000)
  }

  /** Drops all data: the next person may be somebody else. */
  forget(): void {
    this.records = new Map()
    this.version += 1
    this.isListed = false
    this.notices = []
    this.about = NOBODY
    this.#refusals.clear()
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id)
    this.tell()
  }

  /** The kind as paths have it, such as `deployments`. */
  kindOf({ type, cluster }: { readonly type: string; readonly cluster?: string | undefined }): string {
    const singular = (kind: string) =>
      (kind.split('.')[0] ?? '').replace(/ies$/, 'y').replace(/(?<=s|sh|ch|x)es$|s$/, '')
    const own = this.about.clusters.find(({ name }) => name === cluster)?.kinds ?? this.about.kinds
    return own.find((kind) => singular(kind) === type) ?? `${type}s`
  }

  /** The path of a cluster, behind `/api/v1`; ''/undefined: there is but one. */
  rootOf({ cluster }: { readonly cluster?: string | undefined }): string {
    return cluster === undefined ? '' : `/clusters/${encodeURIComponent(cluster)}`
  }

  /** The path of a workload behind `/api/v1`. */
  pathOf(identity: Identity): string {
    const { namespace, name } = identity
    // A name comes from a cluster, which another cluster has no reason to trust.
    const parts = [namespace, this.kindOf(identity), name].map(encodeURIComponent)
    return `${this.rootOf(identity)}/namespaces/${parts.join('/')}`
  }
}

function placeOf({ cluster = '', namespace, type }: Identity, need: Need): string {
  return `${need} ${cluster}/${namespace}/${type}`
}

/** Redraws the component whenever the model changes. */
export function useModel(model: Model): void {
  const [, redraw] = useState(0)
  useEffect(() => model.subscribe(() => redraw((count) => count + 1)), [model])
}
