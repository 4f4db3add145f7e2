import type { Row } from '../dashboard.ts'
import { graph, stat } from '../panels.ts'
import { CHOSEN, ofLeader, summed } from '../queries.ts'
import { table } from '../table.ts'
import { PLAIN, SAVED } from '../thresholds.ts'
import {
  coreHours,
  cpu,
  memory,
  memoryHours,
  moneyAnHour,
  moneySaved,
  replicas,
  ofTeams,
  teamCoreHours,
  teamMemoryHours,
  teamMoney,
  teamReplicaHours,
} from './savings-queries.ts'

const WORKLOADS = ofLeader('dormouse_workloads', ['namespace', 'kind', 'state'], CHOSEN)
const SOURCES = ofLeader('dormouse_workloads_by_source', ['source', 'state'])

const figures = [
  stat({
    id: 2,
    title: 'Managed workloads',
    description: 'Workloads that Dormouse manages, in any state.',
    unit: 'short',
    thresholds: PLAIN,
    queries: [{ expr: summed(WORKLOADS), legend: 'workloads' }],
    width: 4,
  }),
  stat({
    id: 3,
    title: 'Replicas asleep',
    description: 'Replicas that the sleeping workloads will have after they wake.',
    unit: 'short',
    thresholds: SAVED,
    queries: [{ expr: replicas('asleep'), legend: 'replicas' }],
    width: 4,
  }),
  stat({
    id: 4,
    title: 'Share asleep',
    description: 'The share of all replicas of managed workloads that is asleep now.',
    unit: 'percentunit',
    decimals: 0,
    thresholds: SAVED,
    queries: [
      { expr: `${replicas('asleep')} / (${replicas('asleep')} + ${replicas('awake')})`, legend: 'asleep' },
    ],
    width: 4,
    none: 'no replicas',
  }),
  stat({
    id: 5,
    title: 'CPU saved now',
    description: 'CPU requests of the pods that are asleep: the cluster need not reserve them.',
    unit: 'suffix: cores',
    thresholds: SAVED,
    queries: [{ expr: cpu('asleep'), legend: 'cores' }],
    width: 4,
  }),
  stat({
    id: 6,
    title: 'Memory saved now',
    description: 'Memory requests of the pods that are asleep: the cluster need not reserve them.',
    unit: 'bytes',
    thresholds: SAVED,
    queries: [{ expr: memory('asleep'), legend: 'memory' }],
    width: 4,
  }),
  stat({
    id: 7,
    title: 'Saved per hour',
    description:
      'What sleep saves per hour now, by savings.prices of the configuration. Requested, not billed: you save that money only if nodes are removed, too.',
    unit: 'short',
    decimals: 2,
    thresholds: SAVED,
    queries: [{ expr: moneyAnHour(['currency']), legend: '{{currency}}' }],
    width: 4,
    none: 'no prices',
    isNamed: true,
  }),
]

const asleepAndAwake = graph({
  id: 8,
  title: 'Replicas asleep and awake',
  description:
    'Replicas of managed workloads: of those asleep what sleep saves, of those awake the replica count.',
  unit: 'short',
  thresholds: PLAIN,
  stacked: true,
  queries: [
    { expr: replicas('asleep'), legend: 'asleep' },
    { expr: replicas('awake'), legend: 'awake' },
  ],
  width: 12,
})

const byState = graph({
  id: 9,
  title: 'Workloads by state',
  description:
    'A person has pinned or overridden a workload, asleep or awake; backoff: automatic behaviour waits after too many switches or a refusal; invalid: the state cannot be read, and kubectl annotate … dormouse.dev/request=repair repairs it.',
  unit: 'short',
  thresholds: PLAIN,
  stacked: true,
  queries: [{ expr: summed(WORKLOADS, ['state']), legend: '{{state}}' }],
  width: 12,
})

const bySource = graph({
  id: 70,
  title: 'Workloads by what enables them',
  description:
    'workload: its own annotation; namespace: an annotation of its Namespace; policy/ and a name: that policy of the configuration. Of these, how many sleep.',
  unit: 'short',
  thresholds: PLAIN,
  queries: [
    { expr: summed(SOURCES, ['source']), legend: '{{source}}' },
    {
      expr: summed(ofLeader('dormouse_workloads_by_source', ['source'], 'state="snoozed"')),
      legend: 'asleep, of all',
    },
  ],
  width: 12,
})

const ofSources = (filter = '') =>
  summed(ofLeader('dormouse_workloads_by_source', ['source', 'state'], filter), ['source'])

const sources = table({
  id: 71,
  title: 'Policies and other sources',
  description:
    'What enables workloads, and their states. Held: pinned or overridden by people. In all namespaces.',
  unit: 'short',
  thresholds: PLAIN,
  row: 'source',
  columns: [
    { title: 'Asleep', expr: ofSources('state="snoozed"'), unit: 'short', decimals: 0 },
    { title: 'Held', expr: ofSources('state=~"pinned_.*|overridden"'), unit: 'short', decimals: 0 },
    { title: 'In backoff', expr: ofSources('state="backoff"'), unit: 'short', decimals: 0 },
    { title: 'Managed', expr: ofSources(), unit: 'short', decimals: 0 },
  ],
  width: 12,
})

const teams = table({
  id: 72,
  title: 'Teams',
  description:
    'By the label that metrics.teamLabel of the configuration names; none: without it; other: past the first 200. What sleeps now, and what was saved in the chosen time range; money by savings.prices, requested, not billed. In all namespaces.',
  unit: 'short',
  thresholds: PLAIN,
  row: 'team',
  columns: [
    { title: 'Managed', expr: ofTeams('dormouse_workloads_by_team', ''), unit: 'short', decimals: 0 },
    {
      title: 'Replicas asleep',
      expr: ofTeams('dormouse_replicas_by_team'),
      unit: 'short',
      decimals: 0,
    },
    {
      title: 'CPU asleep',
      expr: ofTeams('dormouse_requested_cpu_cores_by_team'),
      unit: 'suffix: cores',
      decimals: 1,
    },
    {
      title: 'Memory asleep',
      expr: ofTeams('dormouse_requested_memory_bytes_by_team'),
      unit: 'bytes',
      decimals: 1,
    },
    { title: 'Replica hours', expr: teamReplicaHours(), unit: 'short', decimals: 0 },
    { title: 'CPU saved', expr: teamCoreHours(), unit: 'suffix: core h', decimals: 1 },
    { title: 'Memory saved', expr: teamMemoryHours(), unit: 'suffix: GiB h', decimals: 1 },
    { title: 'Saved', expr: teamMoney(), unit: 'short', decimals: 2 },
  ],
  width: 24,
})

const byNamespace = table({
  id: 10,
  title: 'Namespaces',
  description:
    'Replicas now, and what was saved in the chosen time range: in hours of cores and GiB, and in money by savings.prices, requested, not billed.',
  unit: 'short',
  thresholds: PLAIN,
  row: 'namespace',
  columns: [
    { title: 'Asleep', expr: replicas('asleep', ['namespace']), unit: 'short', decimals: 0 },
    { title: 'Awake', expr: replicas('awake', ['namespace']), unit: 'short', decimals: 0 },
    { title: 'CPU saved', expr: coreHours(['namespace']), unit: 'suffix: core h', decimals: 1 },
    { title: 'Memory saved', expr: memoryHours(['namespace']), unit: 'suffix: GiB h', decimals: 1 },
    { title: 'Saved', expr: moneySaved(['namespace']), unit: 'short', decimals: 2 },
  ],
  width: 24,
})

export const NOW: Row = {
  id: 1,
  title: 'Now',
  panels: [...figures, asleepAndAwake, byState, bySource, sources, byNamespace, teams],
}
