import type { Row } from '../dashboard.ts'
import { graph, stat } from '../panels.ts'
import { SAVED } from '../thresholds.ts'
import {
  coreHours,
  cpu,
  memory,
  memoryHours,
  moneyAnHour,
  moneySaved,
  replicaHours,
} from './savings-queries.ts'

const range = 'In the chosen time range'

const figures = [
  stat({
    id: 21,
    title: 'Money saved',
    description: `${range}: CPU and memory requests of sleeping workloads, multiplied by the time asleep and by savings.prices of the configuration. Requested, not billed.`,
    unit: 'short',
    decimals: 2,
    thresholds: SAVED,
    queries: [{ expr: moneySaved(['currency']), legend: '{{currency}}' }],
    width: 6,
    none: 'no prices',
    isNamed: true,
  }),
  stat({
    id: 22,
    title: 'CPU hours saved',
    description: `${range}: CPU requests of sleeping workloads, multiplied by the time asleep.`,
    unit: 'suffix: core h',
    decimals: 1,
    thresholds: SAVED,
    queries: [{ expr: coreHours(), legend: 'CPU' }],
    width: 6,
  }),
  stat({
    id: 23,
    title: 'Memory hours saved',
    description: `${range}: memory requests of sleeping workloads, multiplied by the time asleep.`,
    unit: 'suffix: GiB h',
    decimals: 1,
    thresholds: SAVED,
    queries: [{ expr: memoryHours(), legend: 'memory' }],
    width: 6,
  }),
  stat({
    id: 24,
    title: 'Replica hours asleep',
    description: `${range}: kept replicas of sleeping workloads, multiplied by the time asleep.`,
    unit: 'suffix: replica h',
    decimals: 1,
    thresholds: SAVED,
    queries: [{ expr: replicaHours(), legend: 'replicas' }],
    width: 6,
  }),
]

const byNamespace = { thresholds: SAVED, stacked: true, width: 8 } as const

export const SAVINGS: Row = {
  id: 20,
  title: 'Savings in the chosen time range',
  panels: [
    ...figures,
    graph({
      ...byNamespace,
      id: 25,
      title: 'CPU saved by namespace',
      description: 'CPU requests of sleeping workloads, by namespace.',
      unit: 'suffix: cores',
      queries: [{ expr: cpu('asleep', ['namespace']), legend: '{{namespace}}' }],
    }),
    graph({
      ...byNamespace,
      id: 26,
      title: 'Memory saved by namespace',
      description: 'Memory requests of sleeping workloads, by namespace.',
      unit: 'bytes',
      queries: [{ expr: memory('asleep', ['namespace']), legend: '{{namespace}}' }],
    }),
    graph({
      ...byNamespace,
      id: 27,
      title: 'Saved per hour by namespace',
      description:
        'What sleep saves per hour, by namespace and by savings.prices of the configuration. Requested, not billed.',
      unit: 'short',
      queries: [{ expr: moneyAnHour(['namespace', 'currency']), legend: '{{namespace}} {{currency}}' }],
    }),
  ],
}
