import type { Config } from '../service/config/config.ts'
import { HPAS } from '../domain/autoscaling/hpa.ts'
import { SCALED_OBJECTS } from '../domain/autoscaling/scaled-object.ts'
import { configuredRows } from '../domain/companions/configured.ts'
import type { CompanionRow } from '../domain/companions/companion.ts'
import type { Workload } from '../domain/workload/workload.ts'
import { Delivered } from '../kubernetes/delivered.ts'
import { WorkloadInformer } from '../kubernetes/workload-informer.ts'
import type { KubernetesObserver } from '../kubernetes/ports.ts'
import { NamespaceInformer } from '../kubernetes/namespaces.ts'
import { WorkloadPatcher } from '../kubernetes/patcher.ts'
import { CompanionPatcher } from '../kubernetes/companion-patcher.ts'
import { CompanionInformer } from '../kubernetes/companions.ts'
import { WriteGate } from '../kubernetes/write-gate.ts'
import type { Clock } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Connection } from './process/connection.ts'

export type Informers = ReturnType<typeof informersOf>
export type Writers = ReturnType<typeof writersOf>

interface InformerOptions {
  readonly config: Pick<Config, 'keda' | 'kinds' | 'owners' | 'waker'>
  readonly observer: KubernetesObserver
  readonly clock: Clock
  readonly logger: Logger
  /** The workloads whose objects are kept whole; absent: none, as for a command that writes little. */
  readonly keepsWhole?: (workload: Workload) => boolean
}

/** The copies of the workloads, and of what decides beside them. */
export function informersOf(
  { client, configured }: Connection,
  { config, observer, clock, logger, keepsWhole }: InformerOptions,
) {
  const shared = { client, observer, logger }
  const delivered = keepsWhole && new Delivered({ keeps: keepsWhole })
  return {
    delivered,
    informer: new WorkloadInformer({
      ...shared,
      clock,
      configured,
      keepsPodLabels: config.waker.enabled,
      ...(delivered && { delivered }),
    }),
    namespaces: new NamespaceInformer(shared),
    companions: new CompanionInformer({ ...shared, rows: rowsOf(config), names: configured.names }),
  }
}

/** Writes workloads, and what stands beside them, all through one gate. */
export function writersOf(
  { client, configured }: Connection,
  { informer, delivered, companions }: Informers,
  { controller: { writesPerSecond, wakesPerSecond } }: Config,
) {
  const gate = new WriteGate({ writesPerSecond, wakesPerSecond })
  return {
    gate,
    patcher: new WorkloadPatcher({
      calls: client,
      copy: informer,
      gate,
      fields: configured.fields,
      delivered,
    }),
    pauser: new CompanionPatcher({ client, copy: companions, gate }),
  }
}

/** The rows under a configuration. */
function rowsOf(config: InformerOptions['config']): CompanionRow[] {
  return [HPAS, ...(config.keda.enabled ? [SCALED_OBJECTS] : []), ...configuredRows(config)]
}
