import type { ImportedObject } from './plan/imported-object.ts'

/** By `kind`: the path at which the cluster serves it. */
const RESOURCES: Readonly<Record<string, { readonly base: string; readonly plural: string }>> = {
  Namespace: { base: '/api/v1', plural: 'namespaces' },
  Deployment: { base: '/apis/apps/v1', plural: 'deployments' },
  StatefulSet: { base: '/apis/apps/v1', plural: 'statefulsets' },
  DaemonSet: { base: '/apis/apps/v1', plural: 'daemonsets' },
  CronJob: { base: '/apis/batch/v1', plural: 'cronjobs' },
  Job: { base: '/apis/batch/v1', plural: 'jobs' },
  HorizontalPodAutoscaler: { base: '/apis/autoscaling/v2', plural: 'horizontalpodautoscalers' },
  PodDisruptionBudget: { base: '/apis/policy/v1', plural: 'poddisruptionbudgets' },
  Service: { base: '/api/v1', plural: 'services' },
  Ingress: { base: '/apis/networking.k8s.io/v1', plural: 'ingresses' },
  ScaledObject: { base: '/apis/keda.sh/v1alpha1', plural: 'scaledobjects' },
  Rollout: { base: '/apis/argoproj.io/v1alpha1', plural: 'rollouts' },
  SleepInfo: { base: '/apis/kube-green.com/v1alpha1', plural: 'sleepinfos' },
}

/** The collection of a kind in all namespaces, or in one. @throws TypeError for a kind that is not imported */
export function collectionOf(kind: string, namespace?: string): string {
  const found = RESOURCES[kind]
  if (!found) throw new TypeError(`${kind} is not imported`)
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${found.base}${inside}/${found.plural}`
}

export function pathOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  return `${collectionOf(kind, namespace)}/${encodeURIComponent(name)}`
}

export function apiVersionOf(kind: string): string {
  return collectionOf(kind)
    .replace(/^\/apis?\//, '')
    .replace(/\/[^/]+$/, '')
}
