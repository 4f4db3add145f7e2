import { DEFINITIONS, established } from './custom-resources.ts'
import { isRecord, list } from './object.ts'
import type { Container, KubeObject, ObjectSpec, PodTemplate } from './object.ts'
import type { Resource } from './resources.ts'
import { withWebhookDefaults } from './webhook-configuration.ts'

/** By the name of the store. */
const OF_SPECS: Readonly<Record<string, ObjectSpec>> = {
  'deployments.apps': {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  },
  'statefulsets.apps': {
    replicas: 1,
    serviceName: '',
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
  },
  'daemonsets.apps': {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  },
  'replicasets.apps': { replicas: 1 },
  services: { type: 'ClusterIP', sessionAffinity: 'None', ipFamilies: ['IPv4'] },
  'horizontalpodautoscalers.autoscaling': { minReplicas: 1 },
  'cronjobs.batch': {
    suspend: false,
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
}

/** Sets the defaults that clients of the sandbox read; a real API server sets many more. */
export function withDefaults({ store, generation }: Resource, object: KubeObject): KubeObject {
  if (store === 'namespaces') return namespace(object)
  if (generation === 'webhooks') return withWebhookDefaults(object)
  if (store === DEFINITIONS.store) return established(object)
  if (store === 'pods') return { ...object, status: { phase: 'Pending', ...object.status } }
  if (store === 'secrets') return { type: 'Opaque', ...object }
  const defaults = OF_SPECS[store]
  if (!defaults) return object
  // Go writes a strategy that was not given as an empty one.
  const given = Object.entries(object.spec ?? {}).filter(
    ([key, value]) => !(key in defaults && isEmpty(value)),
  )
  const spec: ObjectSpec = { ...defaults, ...Object.fromEntries(given) }
  if (store === 'cronjobs.batch') return { ...object, spec, status: object.status ?? {} }
  if (!spec.template) return { ...object, spec }
  const pod: PodTemplate['spec'] = {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    ...spec.template.spec,
  }
  if (pod.containers) pod.containers = pod.containers.map(withProtocols)
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } }
}

const withProtocols = (container: Container): Container =>
  container['ports'] ? { ...container, ports: list(container, 'ports').map(withProtocol) } : container

const withProtocol = (port: unknown) => (isRecord(port) ? { protocol: 'TCP', ...port } : port)

const isEmpty = (value: unknown) => isRecord(value) && Object.keys(value).length === 0

function namespace(object: KubeObject): KubeObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name }
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}
