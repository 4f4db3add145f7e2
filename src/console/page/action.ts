import type { Call } from './api.ts'
import { keyOf, type Identity } from './record.ts'

/** What a click asks for: requests that are sent one after the other. */
export interface Action {
  /** `Wake shop/web for 4 h`: what it does, for notices and for who signs in meanwhile. */
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
