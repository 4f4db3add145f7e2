import { Refusal } from '../errors.ts'
import type { Kind } from '../domain/workload.ts'
import type { Authorization } from './auth/authorization.ts'
import type { Identity } from './auth/identity.ts'
import { createTurns } from './turns.ts'

/** Whether a caller may list the workloads of this kind in this namespace. */
export type Visible = (namespace: string, kind: Kind) => Promise<boolean>

/** Access reviews that all lists together have in flight: the rest of the sockets is the leader's. */
const IN_FLIGHT = 4
/** Access reviews that one page may cause, beside one for each kind. */
const MAX_QUESTIONS = 5000

/**
 * What each caller may list: by a right to the whole cluster, asked once for each kind, else by one to the
 * namespace. Visible throws Refusal FORBIDDEN once that would take too many questions.
 */
export function createVisibility({ may }: Authorization): (caller: Identity) => Visible {
  const turn = createTurns(IN_FLIGHT)
  return (caller) => {
    const everywhere = new Map<Kind, Promise<boolean>>()
    let questions = 0
    return async (namespace, kind) => {
      let all = everywhere.get(kind)
      if (!all) everywhere.set(kind, (all = may(caller, { need: 'list', kind }, turn)))
      if (await all) return true
      questions += 1
      if (caller.mode === 'kubernetes' && questions > MAX_QUESTIONS) throw tooMany()
      return await may(caller, { need: 'list', kind, namespace }, turn)
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
