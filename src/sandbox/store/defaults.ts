import { established } from './custom-resources.ts'
import type { KubeObject, ObjectSpec } from './object.ts'
import type { Resource } from './resources.ts'
import { withWebhookDefaults } from './webhook-configuration.ts'

/** Sets the defaults that clients of the sandbox read; a real API server sets many more. */
export function withDefaults(resource: Resource, object: KubeObject): KubeObject {
  if (resource.plural === 'namespaces' && resource.group === '') return namespace(object)
  if (resource.generation === 'webhooks') return withWebhookDefaults(object)
  if (resource.plural === 'cronjobs') return cronJob(object)
  if (resource.plural === 'customresourcedefinitions') return established(object)
  if (resource.group !== 'apps' || !object.spec) return object
  const spec = { ...ofKind(resource.plural), ...defined(object.spec) }
  if (!spec.template) return { ...object, spec }
  const pod = { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', ...spec.template.spec }
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } }
}

const defined = (spec: ObjectSpec): ObjectSpec =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))

function ofKind(plural: string): ObjectSpec {
  switch (plural) {
    case 'deployments':
      return {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      }
    case 'statefulsets':
      return {
        replicas: 1,
        serviceName: '',
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
      }
    case 'daemonsets':
      return {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      }
    case 'replicasets':
      return { replicas: 1 }
    default:
      return {}
  }
}

function cronJob(object: KubeObject): KubeObject {
  const defaults = {
    suspend: false,
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  }
  return { ...object, spec: { ...defaults, ...defined(object.spec ?? {}) }, status: object.status ?? {} }
}

function namespace(object: KubeObject): KubeObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name }
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}
