import { typeOf } from '../domain/kinds.ts'
import { readWorkload } from '../domain/reading.ts'
import { workloadState, type WorkloadState } from '../domain/workload-state.ts'
import { type Workload } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import type { Authorization } from './auth/authorization.ts'
import type { ApiContext } from './context.ts'
import type { ApiDeps } from './ports.ts'

/** Checks the workload that a request is about to change. @throws Refusal */
export type WorkloadCheck = (workload: Workload) => void
/** Finds out what the caller may do before the workload is read. */
export type Guard = (ctx: ApiContext) => Promise<WorkloadCheck>

const GUARDED: Partial<Record<WorkloadState, string>> = {
  pinned_active: 'pinned',
  pinned_snoozed: 'pinned',
  overridden: 'overridden',
}

/** Refuses to clear a pin or an override as a side effect for a caller who may not clear it by itself. */
export function guardPins(
  { rules, clock }: Pick<ApiDeps, 'rules' | 'clock'>,
  { refusalOf }: Authorization,
): Guard {
  return async ({ state: { caller, input } }) => {
    const { kind, namespace, name } = input.path
    const refusal = await refusalOf(caller, { need: 'scale', kind, namespace, name })
    return (workload) => {
      const guarded = GUARDED[workloadState(readWorkload(workload, rules), clock())]
      if (!refusal || guarded === undefined) return
      const what = `${typeOf(kind)} ${namespace}/${name} is ${guarded}, which disabling it would clear`
      throw new Refusal('FORBIDDEN', `${what}: ${refusal.message}`)
    }
  }
}
