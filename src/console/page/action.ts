import type { Call } from './api.ts'
import { keyOf, type Identity } from './record.ts'

/** A click's requests, sent one after the other. */
export interface Action {
  /** `Wake shop/web for 4 h`: for notices and for the sign-in dialog. */
  readonly title: string
  /** `Not woken`, for where nobody has answered. */
  readonly not?: string
  /** The workload; undefined: many. */
  readonly about?: Identity
  readonly calls: readonly Call[]
}

/** By which two clicks at once are one. */
export function busyKey({ about }: Action): string {
  return about ? keyOf(about) : ''
}
