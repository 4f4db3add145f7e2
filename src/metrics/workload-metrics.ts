import { Counter, Gauge, type Registry } from 'prom-client'
import { MICROCORES, type Share } from './savings.ts'
import type { WorkloadTracker } from './workload-tracker.ts'

/** Adds the metrics that are worked out when they are asked for, from what the tracker knows. */
export function exportWorkloads(registry: Registry, tracker: WorkloadTracker, perWorkload: boolean): void {
  const registers = [registry]
  const workloads = new Gauge({
    name: 'dormouse_workloads',
    help: 'Managed workloads, by the state they are in.',
    labelNames: ['namespace', 'kind', 'state'],
    registers,
    collect: () => {
      workloads.reset()
      for (const { count, ...labels } of tracker.counts()) workloads.set(labels, count)
    },
  })
  for (const { name, help, of } of ASKED) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['namespace', 'state'],
      registers,
      collect: () => {
        gauge.reset()
        for (const share of tracker.shares())
          gauge.set({ namespace: share.namespace, state: share.state }, of(share))
      },
    })
  }
  for (const { field, name, help } of SAVED) {
    const counter = new Counter({
      name,
      help,
      labelNames: ['namespace'],
      registers,
      collect: () => {
        counter.reset()
        for (const saved of tracker.savings()) counter.inc({ namespace: saved.namespace }, saved[field])
      },
    })
  }
  if (!perWorkload) return
  const asleep = new Gauge({
    name: 'dormouse_workload_asleep',
    help: 'Whether the managed workload sleeps (1) or not (0).',
    labelNames: ['namespace', 'kind', 'name'],
    registers,
    collect: () => {
      asleep.reset()
      for (const { asleep: sleeps, ...labels } of tracker.workloads()) asleep.set(labels, sleeps ? 1 : 0)
    },
  })
}

const ASKED = [
  {
    name: 'dormouse_replicas',
    help: 'Replicas of managed workloads: those kept of the ones asleep, those asked for of the ones awake.',
    of: ({ replicas }: Share) => replicas,
  },
  {
    name: 'dormouse_requested_cpu_cores',
    help: 'CPU requests of the replicas of managed workloads; those asleep would ask for so much.',
    of: ({ microcores }: Share) => microcores / MICROCORES,
  },
  {
    name: 'dormouse_requested_memory_bytes',
    help: 'Memory requests of the replicas of managed workloads; those asleep would ask for so much.',
    of: ({ bytes }: Share) => bytes,
  },
] as const

const SAVED = [
  {
    field: 'replicaSeconds',
    name: 'dormouse_saved_replica_seconds_total',
    help: 'Kept replicas of sleeping workloads, multiplied by the time asleep.',
  },
  {
    field: 'coreSeconds',
    name: 'dormouse_saved_cpu_core_seconds_total',
    help: 'CPU requests of the kept replicas of sleeping workloads, multiplied by the time asleep.',
  },
  {
    field: 'byteSeconds',
    name: 'dormouse_saved_memory_byte_seconds_total',
    help: 'Memory requests of the kept replicas of sleeping workloads, multiplied by the time asleep.',
  },
] as const
