import { typeOf } from '../../domain/kinds.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import { workloadState, type WorkloadState } from '../../domain/records/workload-state.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { HELD_LABEL, type Workload } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { Authorization } from '../auth/authorization.ts'
import type { ApiContext } from './context.ts'
import type { ApiDeps } from './ports.ts'

/** Checks what a request is about to make of a workload. @throws Refusal */
export type WorkloadCheck = (workload: Workload, after: Workload) => void
/** Finds out what the caller may do before the workload is read. */
export type Guard = (ctx: ApiContext) => Promise<WorkloadCheck>

const GUARDED: Partial<Record<WorkloadState, string>> = {
  pinned_active: 'pinned',
  pinned_snoozed: 'pinned',
  overridden: 'overridden',
}

/** Refuses to end a pin or an override as a side effect for a caller who may not clear it by itself. */
export function guardPins(
  { rules, clock }: Pick<ApiDeps, 'rules' | 'clock'>,
  { refusalOf }: Authorization,
): Guard {
  const heldBy = (workload: Workload) => {
    const read = readWorkload(workload, rules)
    return read instanceof Unreadable ? heldByLabel(workload) : GUARDED[workloadState(read, clock())]
  }
  return async ({ state: { caller, input } }) => {
    const { kind, namespace, name } = input.path
    const refusal = await refusalOf(caller, { need: 'scale', kind, namespace, name })
    return (workload, after) => {
      const held = heldBy(workload)
      if (!refusal || held === undefined || heldBy(after) !== undefined) return
      const what = `${typeOf(kind)} ${namespace}/${name} is ${held}, which this would end`
      throw new Refusal('FORBIDDEN', `${what}: ${refusal.message}`)
    }
  }
}

function heldByLabel({ labels }: Workload): string | undefined {
  return labels?.[HELD_LABEL] === undefined ? undefined : 'held by a pin or an override'
}

/**
 * The guard of an operation that can end a pin only by `?inherit=true`, or by a repair of what its label says is held:
 * others cost no access review.
 */
export function whereInherited(
  guard: Guard,
  { workloads, rules }: Pick<ApiDeps, 'workloads' | 'rules'>,
): Guard {
  const mayEnd = ({ state: { input } }: ApiContext) => {
    if (input.query.inherit === true) return true
    const { kind, namespace, name } = input.path
    const copy = workloads.get({ kind, namespace, name })
    return !copy || (heldByLabel(copy) !== undefined && readWorkload(copy, rules) instanceof Unreadable)
  }
  return async (ctx) => (mayEnd(ctx) ? await guard(ctx) : () => undefined)
}
