import type { LimitFunction } from 'p-limit'
import { KINDS, type Kind } from '../../domain/workload/workload.ts'
import type { Authorization } from './auth/authorization.ts'
import type { Caller } from './auth/caller.ts'

interface Asked {
  readonly namespace: string
  /** undefined: all kinds. */
  readonly kind: Kind | undefined
  /** The kinds beside the built-in ones. */
  readonly configured?: readonly Kind[] | undefined
}

/**
 * The requested kinds whose workloads the caller may list in the namespace; at least one.
 * @throws Refusal FORBIDDEN: they may list none
 */
export async function listableKinds(
  { refusalOf }: Authorization,
  caller: Caller,
  { namespace, kind, configured = [] }: Asked,
  limit?: LimitFunction,
): Promise<Kind[]> {
  const asked = kind === undefined ? [...KINDS, ...configured] : [kind]
  const refusals = await Promise.all(
    asked.map((each) => refusalOf(caller, { need: 'list', kind: each, namespace }, limit)),
  )
  if (refusals[0] && refusals.every((refusal) => refusal !== undefined)) throw refusals[0]
  return asked.filter((_, index) => refusals[index] === undefined)
}
