import { readWorkload } from '../domain/reading.ts'
import { workloadState, type WorkloadState } from '../domain/workload-state.ts'
import { TYPE_OF, type Workload } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import type { Authorization } from './auth/authorization.ts'
import type { ApiContext } from './context.ts'
import type { ApiDeps } from './ports.ts'

/** Judges the workload that a request is about to change. @throws Refusal */
export type Judge = (workload: Workload) => void
/** Finds out what its caller may, before the workload is known. */
export type Guard = (ctx: ApiContext) => Promise<Judge>

const HELD: Partial<Record<WorkloadState, string>> = {
  pinned_active: 'pinned',
  pinned_snoozed: 'pinned',
  overridden: 'overridden',
}

/** Lets nobody end a pin or an override, by the way, who may not clear it. */
export function guardHeld(
  { rules, clock }: Pick<ApiDeps, 'rules' | 'clock'>,
  { lack }: Authorization,
): Guard {
  return async ({ state: { caller, input } }) => {
    const { kind, namespace, name } = input.path
    const lacking = await lack(caller, { need: 'scale', kind, namespace, name })
    return (workload) => {
      const held = HELD[workloadState(readWorkload(workload, rules), clock())]
      if (!lacking || held === undefined) return
      const what = `${TYPE_OF[kind]} ${namespace}/${name} is ${held}, which disabling it would clear`
      throw new Refusal('FORBIDDEN', `${what}: ${lacking.message}`)
    }
  }
}
