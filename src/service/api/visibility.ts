import pLimit, { type LimitFunction } from 'p-limit'
import { KINDS, type Kind } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { Authorization } from '../auth/authorization.ts'
import type { Caller } from '../auth/caller.ts'

/** Whether a caller may list the workloads of this kind in this namespace. */
export type Visible = (namespace: string, kind: Kind) => Promise<boolean>

/** The workloads that this caller may list; made once for each page. */
export type Visibility = (caller: Caller) => Visible

/** Access reviews that all lists together have in flight: the other sockets are for the leader. */
const IN_FLIGHT = 4
/** Access reviews that one page may cause, in addition to one for each kind. */
const MAX_REVIEWS = 5000

/**
 * Finds out what a caller may list: first asks once for each kind about the whole cluster, then about the namespace.
 * Visible throws Refusal FORBIDDEN when a page would take more than `MAX_REVIEWS`.
 */
export function createVisibility({ may }: Authorization): Visibility {
  const limit = pLimit(IN_FLIGHT)
  return (caller) => {
    const everywhere = new Map<Kind, Promise<boolean>>()
    let reviews = 0
    return async (namespace, kind) => {
      let all = everywhere.get(kind)
      if (!all) everywhere.set(kind, (all = may(caller, { need: 'list', kind }, limit)))
      if (await all) return true
      reviews += 1
      if (caller.mode === 'kubernetes' && reviews > MAX_REVIEWS) throw tooMany()
      return await may(caller, { need: 'list', kind, namespace }, limit)
    }
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'you may not list the whole cluster, and it is too large to ask about each namespace: ' +
      'name one by ?namespace=, or ask for a ClusterRole that allows list',
  )
}

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
