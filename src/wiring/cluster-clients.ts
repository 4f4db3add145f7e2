import type { Clock } from '../process/clock.ts'
import type { Config } from '../service/config/config.ts'
import type { ConfiguredNames } from '../domain/autoscaling/scaled-object.ts'
import { KubernetesClient } from '../kubernetes/client.ts'
import { ConfiguredKinds } from '../kubernetes/configured-kinds.ts'
import { Credentials } from '../kubernetes/credentials.ts'
import { EventRecorder } from '../kubernetes/events.ts'
import { HttpTransport } from '../kubernetes/http.ts'
import { WorkloadInformer } from '../kubernetes/informer.ts'
import type { KubeConfigSource } from '../kubernetes/kube-config.ts'
import type { KubernetesObserver } from '../kubernetes/ports.ts'
import { NamespaceInformer } from '../kubernetes/namespaces.ts'
import { WorkloadPatcher } from '../kubernetes/patcher.ts'
import { ScaledObjectPatcher } from '../kubernetes/scaled-object-patcher.ts'
import { ScaledObjectInformer } from '../kubernetes/scaled-objects.ts'
import { WriteGate } from '../kubernetes/write-gate.ts'
import type { Logger } from '../process/logger.ts'

export interface ClusterClientOptions {
  readonly config: Config
  readonly kubeconfig: KubeConfigSource
  readonly observer: KubernetesObserver
  readonly clock: Clock
  readonly logger: Logger
}

export type ClusterClients = ReturnType<typeof clusterClients>

/**
 * Everything that talks to the Kubernetes API, over one transport.
 * @throws Error when no usable kubeconfig is found
 */
export function clusterClients({ config, kubeconfig, observer, clock, logger }: ClusterClientOptions) {
  const credentials = new Credentials({ source: kubeconfig, logger })
  const transport = new HttpTransport(credentials)
  const client: KubernetesClient = new KubernetesClient({
    transport,
    observer,
    locate: (kind, signal, left) => configured.baseOf(kind, signal, left),
  })
  const configured = new ConfiguredKinds(config.kinds, (call) => client.call(call))
  const { fields, names } = configured
  const informer = new WorkloadInformer({ client, observer, logger, clock, configured })
  const namespaces = new NamespaceInformer({ client, observer, logger })
  const { writesPerSecond, wakesPerSecond } = config.controller
  const gate = new WriteGate({ writesPerSecond, wakesPerSecond })
  const patcher = new WorkloadPatcher({ calls: client, copy: informer, gate, fields })
  const recorder = new EventRecorder({ client, observer, logger, clock })
  const keda = config.keda.enabled ? kedaClients({ client, observer, logger, names, gate }) : undefined
  const writes = { gate, patcher, recorder, fields }
  return { credentials, transport, client, configured, informer, namespaces, ...writes, keda }
}

function kedaClients(
  options: Pick<ClusterClientOptions, 'observer' | 'logger'> & {
    client: KubernetesClient
    names: ConfiguredNames
    gate: WriteGate
  },
) {
  const informer = new ScaledObjectInformer(options)
  return { informer, patcher: new ScaledObjectPatcher({ ...options, copy: informer }) }
}
