import { moneyOf, type Prices, type Saved } from '../../domain/records/saved.ts'
import { MICROCORES, type Share } from './savings.ts'
import type { MetricFactory } from './metric-factory.ts'
import type { WorkloadTracker } from './workload-tracker.ts'

/** Adds the metrics of managed workloads, computed at each scrape from the tracker. */
export function exportWorkloads(
  factory: MetricFactory,
  tracker: WorkloadTracker,
  { perWorkload, prices }: { readonly perWorkload: boolean; readonly prices: Prices | null },
): void {
  factory.gauge(
    'workloads',
    'Managed workloads, by the state they are in.',
    ['namespace', 'kind', 'state'],
    (gauge) => {
      gauge.reset()
      for (const { count, ...labels } of tracker.counts()) gauge.set(labels, count)
    },
  )
  factory.gauge(
    'workloads_by_source',
    'Managed workloads, by what enables them (workload, namespace, or policy/ and its name) and their state.',
    ['source', 'state'],
    (gauge) => {
      gauge.reset()
      for (const [labels, count] of tracker.bySource) gauge.set(labels, count)
    },
  )
  factory.gauge(
    'autoscaler_conflicts',
    'Managed workloads that an autoscaler has woken although they are asleep (fight), or whose ScaledObject others have paused (held_by_keda).',
    ['namespace', 'kind', 'reason'],
    (gauge) => {
      gauge.reset()
      for (const [labels, count] of tracker.conflicts) gauge.set({ ...labels }, count)
    },
  )
  factory.gauge(
    'late_workloads',
    'Managed workloads whose latest wake took longer than operationTimeout and whose pods are still missing.',
    ['namespace', 'kind'],
    (gauge) => {
      gauge.reset()
      for (const [labels, count] of tracker.late) gauge.set({ ...labels }, count)
    },
  )
  exportUsage(factory, 'namespace', tracker, prices)
  if (!perWorkload) return
  factory.gauge(
    'workload_asleep',
    'Whether the managed workload is asleep (1) or not (0).',
    ['namespace', 'kind', 'name'],
    (gauge) => {
      gauge.reset()
      for (const { asleep, ...labels } of tracker.workloads()) gauge.set(labels, asleep ? 1 : 0)
    },
  )
}

/** Adds the metrics of teams, computed at each scrape; without `metrics.teamLabel` they have no series. */
export function exportTeams(factory: MetricFactory, tracker: WorkloadTracker, prices: Prices | null): void {
  const { byTeam } = tracker
  factory.gauge(
    'workloads_by_team',
    'Managed workloads, by the value of metrics.teamLabel and their state; other: past 200 values.',
    ['team', 'state'],
    (gauge) => {
      gauge.reset()
      for (const [labels, count] of byTeam?.counts ?? []) gauge.set(labels, count)
    },
  )
  const usages = { shares: () => byTeam?.shares() ?? [], savings: () => tracker.teamSavings() }
  exportUsage(factory, 'team', usages, prices)
}

interface Usages<Label extends string> {
  shares(): Iterable<Share & Record<Label | 'state', string>>
  savings(): Iterable<Saved & Record<Label, string>>
}

/** Adds what namespaces, or teams, request and save. */
function exportUsage<Label extends 'namespace' | 'team'>(
  factory: MetricFactory,
  label: Label,
  usages: Usages<Label>,
  prices: Prices | null,
): void {
  const [infix, by] = label === 'team' ? ['_by_team', ' By team.'] : ['', '']
  for (const { name, help, of } of REQUESTED)
    factory.gauge<string>(`${name}${infix}`, help + by, [label, 'state'], (gauge) => {
      gauge.reset()
      for (const share of usages.shares()) gauge.set({ [label]: share[label], state: share.state }, of(share))
    })
  for (const { name, help, of } of SAVED)
    factory.counter<string>(`${name}${infix}_total`, help + by, [label], (counter) => {
      counter.reset()
      for (const saved of usages.savings()) counter.inc({ [label]: saved[label] }, of(saved))
    })
  if (!prices) return
  const { currency } = prices
  // A counter, not the prices alone: a later price values no time that has passed, and increase() is all that it takes.
  factory.counter<string>(
    `saved_money${infix}_total`,
    `Price of what sleeping workloads request, by savings.prices; requested, not billed.${by}`,
    [label, 'currency'],
    (counter) => {
      counter.reset()
      for (const saved of usages.savings())
        counter.inc({ [label]: saved[label], currency }, moneyOf(saved, prices))
    },
  )
}

const REQUESTED = [
  {
    name: 'replicas',
    help: 'Replicas of managed workloads: of those asleep what sleep saves, of those awake the replica count.',
    of: ({ replicas }: Share) => replicas,
  },
  {
    name: 'requested_cpu_cores',
    help: 'CPU requests of the replicas of managed workloads; asleep: what those that sleep saves would request.',
    of: ({ microcores }: Share) => microcores / MICROCORES,
  },
  {
    name: 'requested_memory_bytes',
    help: 'Memory requests of the replicas of managed workloads; asleep: what those that sleep saves would request.',
    of: ({ bytes }: Share) => bytes,
  },
] as const

const SAVED = [
  {
    name: 'saved_replica_seconds',
    help: 'Replicas that sleep saves, multiplied by the time asleep.',
    of: ({ replicaSeconds }: Saved) => replicaSeconds,
  },
  {
    name: 'saved_cpu_core_seconds',
    help: 'CPU requests of the replicas that sleep saves, multiplied by the time asleep.',
    of: ({ coreSeconds }: Saved) => coreSeconds,
  },
  {
    name: 'saved_memory_byte_seconds',
    help: 'Memory requests of the replicas that sleep saves, multiplied by the time asleep.',
    of: ({ byteSeconds }: Saved) => byteSeconds,
  },
] as const
