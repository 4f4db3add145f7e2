import type { ApiCall } from '../../domain/requests/operations.ts'
import type { Call } from './api.ts'
import { keyOf, type Identity, type Workload } from './record.ts'

/** The right that a request needs, as far as refusals tell them apart. */
export type Need = 'scale' | 'hold' | 'change'

/** The owner of the page, and the cluster. */
export interface Place {
  readonly cluster: string | null
  readonly user: string | null
}

/** A click's requests, sent one after the other. */
export interface Action {
  readonly need: Need
  /** The place of the click, if it waits for a sign-in. */
  readonly at?: Place
  /** `Wake shop/web for 4 h`: for the sign-in dialog. */
  readonly title: string
  /** `wakes`, behind the workload's name, once it was done; undefined: the answer's own message is shown. */
  readonly done?: string
  /** `was not woken`, behind the workload's name. */
  readonly not?: string
  /** The workload; undefined: many. */
  readonly about?: Identity
  readonly calls: readonly Call[]
  /** Takes it back, as far as a request can. */
  readonly undo?: Action
  /** For an Undo: `askedOf` before and after the click. Where people have asked for something else since, that stays. */
  readonly only?: readonly string[]
  /** For a request for many: what was asked of which namespace, so that it can be taken back. */
  readonly many?: Many
  /** An Undo of many: that of each. */
  readonly each?: readonly Action[]
}

/** The acts of the dialog for many. */
export type BulkAct = 'wake' | 'snooze' | 'override' | 'resume' | 'pin' | 'unpin'

export interface Many {
  readonly act: BulkAct
  readonly cluster?: string | undefined
  readonly namespace: string
}

/** By the ids of buttons: the right that it needs, what is said once it was done, and where it was not. */
const SAID = {
  wake: { need: 'scale', done: 'wakes', not: 'was not woken' },
  awake: { need: 'scale', done: 'stays awake', not: 'was not kept awake' },
  snooze: { need: 'scale', done: 'goes to sleep', not: 'was not put to sleep' },
  keep: { need: 'hold', done: 'stays awake', not: 'was not kept awake' },
  resume: { need: 'hold', done: 'follows its schedule again', not: 'does not follow its schedule yet' },
  hold: { need: 'hold', done: 'has its schedule off', not: 'has its schedule on as before' },
  pin: { need: 'hold', done: 'is pinned', not: 'was not pinned' },
  unpin: { need: 'hold', done: 'is unpinned', not: 'was not unpinned' },
  enable: { need: 'change', done: 'is managed', not: 'is not managed' },
  hours: { need: 'change', done: 'has new hours', not: 'keeps its hours' },
  disable: { need: 'change', done: 'is left alone', not: 'is managed as before' },
} as const
export type ButtonId = keyof typeof SAID

/** The call that asks for it, of a workload or of all in a namespace: `path` behind `/api/v1`. */
export function request(path: string, words: ApiCall, query = '', body?: object): Call {
  const [method, last] = words.split(' ') as [Call['method'], string]
  return { method, path: `${path}/${last}${query && `?${query}`}`, ...(body && { body }) }
}

export function actionOn(
  workload: Workload,
  id: ButtonId,
  title: string,
  calls: readonly Call[],
  undo?: Action,
): Action {
  const { namespace, type, name, cluster } = workload
  const about = { namespace, type, name, ...(cluster !== undefined && { cluster }) }
  return { title: `${title} ${namespace}/${name}`, ...SAID[id], about, calls, ...(undo && { undo }) }
}

/** By which two clicks at once are one. */
export function busyKey({ about, title }: Action): string {
  return about ? keyOf(about) : title
}
