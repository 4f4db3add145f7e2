import type { Config } from '../../service/config/config.ts'
import type { KubeConfigSource } from '../../kubernetes/kube-config.ts'
import type { Clock } from '../../process/clock.ts'
import type { Logger } from '../../process/logger.ts'
import { ProcessMetrics } from '../../service/metrics/process-metrics.ts'
import { connectionOf, type Connection } from './connection.ts'
import { homeNamespace } from './home.ts'

export interface ProcessOptions {
  readonly config: Config
  readonly kubeconfig: KubeConfigSource
  /** Dormouse's own namespace, which it never touches; undefined: it runs outside a cluster. */
  readonly ownNamespace: string | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The parts that each process of ours has, whatever it does. */
export interface Process extends ProcessOptions {
  readonly registry: ProcessMetrics
  readonly cluster: Connection
  /** The namespace of the Lease and of the Secrets. */
  readonly namespace: string
  /** The Service that the API server calls the webhook by; undefined: we run outside a cluster. */
  readonly service: { readonly name: string; readonly namespace: string } | undefined
}

/** @throws Error when no usable kubeconfig is found */
export function processOf(options: ProcessOptions): Process {
  const { config, kubeconfig, ownNamespace, logger } = options
  const registry = new ProcessMetrics()
  registry.followNode()
  const cluster = connectionOf({ config, kubeconfig, observer: registry.kubernetes, logger })
  const namespace = homeNamespace({ config, cluster, ownNamespace })
  const service =
    ownNamespace === undefined ? undefined : { name: config.webhook.service, namespace: ownNamespace }
  return { ...options, registry, cluster, namespace, service }
}
