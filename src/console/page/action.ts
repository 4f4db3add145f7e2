import type { Call } from './api.ts'
import { keyOf, type Identity } from './record.ts'

/** The right that a request needs, as far as refusals tell them apart. */
export type Need = 'scale' | 'hold' | 'change'

/** Whose page it is, and of which cluster. */
export interface Place {
  readonly cluster: string | null
  readonly user: string | null
}

/** A click's requests, sent one after the other. */
export interface Action {
  readonly need: Need
  /** Where it was clicked, if it waits for a sign-in. */
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
}

/** By which two clicks at once are one. */
export function busyKey({ about, title }: Action): string {
  return about ? keyOf(about) : title
}
