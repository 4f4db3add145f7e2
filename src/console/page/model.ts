import { useEffect, useState } from 'preact/hooks'
import { putIntoAddress, shownByAddress, type Shown } from './address.ts'
import type { Action } from './action.ts'
import type { Identity, Workload } from './record.ts'
import { counted } from './words.ts'

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
  /** Where there are several; else empty. */
  readonly clusters: readonly ClusterState[]
}

/** `message`: why a cluster does not answer. */
export interface ClusterState {
  readonly name: string
  readonly state: 'live' | 'away'
  readonly message: string | null
}

/** null: it is not known. */
export function clusterName({ cluster, clusters }: About): string | null {
  return clusters.length > 0 ? counted(clusters.length, 'cluster') : cluster
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
  /** Why somebody may not change a kind in a namespace, as far as a refusal has told. */
  readonly #refusals = new Map<string, string>()
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

  learnCluster(told: ClusterState): void {
    const clusters = this.about.clusters.map((each) => (each.name === told.name ? told : each))
    this.about = { ...this.about, clusters }
  }

  show(change: Partial<Shown>, { replace = false } = {}): void {
    this.shown = { ...this.shown, ...change }
    putIntoAddress(this.shown, replace)
    this.tell()
  }

  /** '': they may, or it is not known yet. */
  mayNot(identity: Identity): string {
    if (this.about.mayChange === false) return READ_ONLY
    return this.#refusals.get(placeOf(identity)) ?? ''
  }

  learnRefusal({ about }: Action, why: string): void {
    if (about) this.#refusals.set(placeOf(about), `You may look, and not change: ${why}`)
  }

  notify(
    text: string,
    { isFault = false, undo }: { isFault?: boolean; undo?: Action | undefined } = {},
  ): void {
    const id = (this.#notice += 1)
    this.notices = [...this.notices, { id, isFault, text, undo }].slice(-NOTICES)
    this.tell()
    if (!isFault) setTimeout(() => this.dismiss(id), 8000)
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
  kindOf({ type }: Pick<Identity, 'type'>): string {
    const singular = (kind: string) =>
      (kind.split('.')[0] ?? '').replace(/ies$/, 'y').replace(/(?<=s|sh|ch|x)es$|s$/, '')
    return this.about.kinds.find((kind) => singular(kind) === type) ?? `${type}s`
  }

  /** Of a cluster, behind `/api/v1`; ''/undefined: there is but one. */
  rootOf({ cluster }: { readonly cluster?: string | undefined }): string {
    return cluster === undefined ? '' : `/clusters/${encodeURIComponent(cluster)}`
  }

  /** The path of a workload behind `/api/v1`. */
  pathOf(identity: Identity): string {
    return `${this.rootOf(identity)}/namespaces/${identity.namespace}/${this.kindOf(identity)}/${identity.name}`
  }
}

function placeOf({ cluster = '', namespace, type }: Identity): string {
  return `${cluster}/${namespace}/${type}`
}

/** Redraws the component whenever the model changes. */
export function useModel(model: Model): void {
  const [, redraw] = useState(0)
  useEffect(() => model.subscribe(() => redraw((count) => count + 1)), [model])
}
