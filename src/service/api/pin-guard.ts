import { typeOf } from '../../domain/kinds.ts'
import { readWorkload } from '../../domain/workload/reading.ts'
import { workloadState, type WorkloadState } from '../../domain/records/workload-state.ts'
import { type Workload } from '../../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import type { Authorization } from './auth/authorization.ts'
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
  const heldBy = (workload: Workload) => GUARDED[workloadState(readWorkload(workload, rules), clock())]
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

/** The guard of an operation that can end a pin only by `?inherit=true`: others cost no access review. */
export function whereInherited(guard: Guard): Guard {
  return async (ctx) => (ctx.state.input.query.inherit === true ? await guard(ctx) : () => undefined)
}
