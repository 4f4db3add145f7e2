import { NamespaceSummary, type NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { Accounting } from '../../domain/records/saved.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Instant } from '../../process/clock.ts'

interface Judging {
  readonly now: Instant
  readonly rules: Rules
  readonly accounting: Accounting
}

/** The records of the workloads' namespaces, by name, as the API has them; of `namespace` also if it has none. */
export function summarized(
  workloads: readonly Workload[],
  namespace: string | undefined,
  { now, rules, accounting }: Judging,
): NamespaceRecord[] {
  const spaces = Map.groupBy(workloads, (workload) => workload.namespace)
  if (namespace !== undefined && !spaces.has(namespace)) spaces.set(namespace, [])
  return [...spaces]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => {
      const summary = new NamespaceSummary(name, now, rules, accounting)
      for (const workload of all) summary.add(workload)
      return summary.record()
    })
}
