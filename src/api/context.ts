import type { Middleware, ParameterizedContext } from 'koa'
import type { Kind } from '../domain/workload.ts'
import type { WorkloadState } from '../domain/workload-state.ts'
import type { Identity } from './auth/identity.ts'

/** What a request asks, once the document has vouched for it. A list's path has no name. */
export interface Input {
  readonly path: { readonly namespace: string; readonly kind: Kind; readonly name: string }
  readonly query: {
    readonly dryRun?: boolean
    readonly wait?: string
    readonly for?: string
    readonly force?: boolean
    readonly hours?: number
    readonly namespace?: string
    readonly kind?: Kind
    readonly state?: WorkloadState
    readonly labelSelector?: string
    readonly limit?: number
    readonly continue?: string
  }
  readonly body: { readonly schedule?: string; readonly timezone?: string; readonly duration?: string }
}

/** What is known of a request, in the order in which it is found out. */
export interface ApiState {
  requestId: string
  /** The matched path's template, or `unmatched`. */
  route: string
  caller: Identity
  input: Input
  /** Where a list goes on; '': at its beginning. */
  after: string
  /** Whether a write changed the workload; null: the cluster did not say. */
  changed: boolean | null
}

export type ApiContext = ParameterizedContext<ApiState>
/** One step on a request's way to its answer. */
export type Step = Middleware<ApiState>
