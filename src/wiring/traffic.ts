import { portRange } from '../domain/traffic/port-ledger.ts'
import { keyOf, type WorkloadKey } from '../domain/workload/workload.ts'
import { SliceWriter, sliceOwner } from '../kubernetes/slice-writer.ts'
import { TrafficInformer } from '../kubernetes/traffic-informer.ts'
import type { WriteGate } from '../kubernetes/write-gate.ts'
import { delay } from '../process/delay.ts'
import type { SlicingPorts } from '../service/controller/ports.ts'
import type { Process } from './process/process.ts'

/** The leader's part of wake on traffic. */
export interface Traffic {
  readonly informer: TrafficInformer
  readonly slicing: SlicingPorts
  /** Why traffic cannot wake a workload, as far as this replica knows: the leader alone does. */
  faultOf(workload: WorkloadKey): string | undefined
}

interface Options extends Pick<Process, 'config' | 'cluster' | 'namespace' | 'logger' | 'registry'> {
  readonly excludeNamespaces: readonly string[]
  readonly gate: WriteGate
  /** Has these decided again: what is said of them has changed. */
  readonly due: (keys: Iterable<WorkloadKey>) => void
}

/** undefined: nothing wakes on traffic. */
export function trafficOf(options: Options): Traffic | undefined {
  const { config, cluster, namespace, logger, registry, excludeNamespaces, gate, due } = options
  const { enabled, ports, endpoints, service: name, owner } = config.waker
  if (!enabled) return undefined
  const { client } = cluster
  const informer = new TrafficInformer({
    client,
    logger,
    observer: registry.kubernetes,
    excludeNamespaces: new Set(excludeNamespaces),
    wakers: { namespace, name },
  })
  const faults = new Map<string, string>()
  return {
    informer,
    slicing: {
      copies: informer,
      writer: new SliceWriter({ client, copy: informer, gate }),
      range: portRange(ports),
      endpoints,
      owner: async (signal) =>
        owner === null ? undefined : sliceOwner({ client, logger, delay }, owner, signal),
      faults,
      due: (workload) => due([workload]),
    },
    faultOf: (workload) => faults.get(keyOf(workload)),
  }
}
