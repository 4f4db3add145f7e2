import type { Companion } from '../domain/companions/companion.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import type { Namespace } from '../domain/policy/inheritance.ts'
import type { CompanionCopies } from '../kubernetes/ports.ts'
import { usesCalendar } from '../domain/workload/settings.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload/workload.ts'

type Changes<T> = (listener: (before: T | undefined, after: T | undefined) => void) => void

/** The inputs of decisions beside the workloads, and the informer whose listeners are to be called. */
interface Inputs {
  readonly informer: {
    list(namespace?: string, kind?: Kind): Iterable<Workload>
    inputsChanged(keys: Iterable<WorkloadKey>, concerns?: (workload: Workload) => boolean): void
  }
  readonly namespaces: { readonly onChange: Changes<Namespace>; inputsChanged(): void }
  readonly calendars: { onChange(listener: (names: ReadonlySet<string>) => void): void }
  readonly release: { onChange(listener: () => void): void }
  readonly companions: Pick<CompanionCopies, 'workloadsOf'> & {
    readonly onChange: Changes<Companion>
    onFault(listener: () => void): void
  }
  readonly rules: Rules
  /** The label that names the team in metrics; null: none. */
  readonly teamLabel: string | null
}

/** When a calendar, Namespace, companion or the release of the cluster changes, makes the informer call its listeners for the workloads concerned. */
export function followInputs(inputs: Inputs): void {
  const { informer, namespaces, calendars, release, companions, rules, teamLabel } = inputs
  calendars.onChange((names) => {
    informer.inputsChanged(informer.list(), (workload) => usesCalendar(workload, names, rules))
    namespaces.inputsChanged()
  })
  release.onChange(() => {
    informer.inputsChanged(informer.list())
    namespaces.inputsChanged()
  })
  namespaces.onChange((before, after) => {
    if (before === after) return
    const teamOf = (namespace: Namespace) => teamLabel !== null && namespace.labels?.[teamLabel]
    const isSame = before && after && rules.inheritsSame(before, after) && teamOf(before) === teamOf(after)
    if (!isSame) informer.inputsChanged(informer.list((after ?? before)?.name ?? ''))
  })
  companions.onFault(() => informer.inputsChanged(informer.list()))
  companions.onChange((before, after) => {
    for (const each of new Set([before, after])) {
      const keys = each && companions.workloadsOf(each, (...of) => informer.list(...of))
      if (keys && keys !== 'unknown') informer.inputsChanged(keys)
    }
  })
}
