import type { Call } from './api.ts'
import { keyOf, type Identity } from './record.ts'

/** A click's requests, sent one after the other. */
export interface Action {
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
export function busyKey({ about }: Action): string {
  return about ? keyOf(about) : ''
}
