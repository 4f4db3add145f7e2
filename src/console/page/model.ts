import { useEffect, useState } from 'preact/hooks'
import { putIntoAddress, shownByAddress, type Shown } from './address.ts'
import type { Action } from './action.ts'
import type { Identity, Workload } from './record.ts'

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
}

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
  kinds: readonly string[] = []
  shown: Shown = shownByAddress()
  notices: readonly Notice[] = []
  /** Workloads with a request in flight. */
  readonly busy = new Set<string>()
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

  show(change: Partial<Shown>, { replace = false } = {}): void {
    this.shown = { ...this.shown, ...change }
    putIntoAddress(this.shown, replace)
    this.tell()
  }

  notify(text: string, isFault = false): void {
    const id = (this.#notice += 1)
    this.notices = [...this.notices, { id, isFault, text }].slice(-NOTICES)
    this.tell()
    if (!isFault) setTimeout(() => this.dismiss(id), 8000)
  }

  /** Drops all data: the next person may be somebody else. */
  forget(): void {
    this.records = new Map()
    this.version += 1
    this.isListed = false
    this.notices = []
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id)
    this.tell()
  }

  /** The kind as paths have it, such as `deployments`. */
  kindOf({ type }: Pick<Identity, 'type'>): string {
    const singular = (kind: string) =>
      (kind.split('.')[0] ?? '').replace(/ies$/, 'y').replace(/(?<=s|sh|ch|x)es$|s$/, '')
    return this.kinds.find((kind) => singular(kind) === type) ?? `${type}s`
  }

  /** The path of a workload behind `/api/v1`. */
  pathOf(identity: Identity): string {
    return `/namespaces/${identity.namespace}/${this.kindOf(identity)}/${identity.name}`
  }
}

/** Redraws the component whenever the model changes. */
export function useModel(model: Model): void {
  const [, redraw] = useState(0)
  useEffect(() => model.subscribe(() => redraw((count) => count + 1)), [model])
}
