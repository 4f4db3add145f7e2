import type { ImportedObject } from './plan/imported-object.ts'
import { KINDS_READ } from './plan/restores.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'

/** By `kind`: the path at which the cluster serves it. Beside Namespaces and SleepInfos, all that downscalers change. */
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

function apiVersionOf(kind: string): string {
  return collectionOf(kind)
    .replace(/^\/apis?\//, '')
    .replace(/\/[^/]+$/, '')
}

export async function leftByDownscaler(cluster: ClusterObjects): Promise<ImportedObject[]> {
  const kinds = Object.keys(RESOURCES).filter((kind) => kind !== 'SleepInfo')
  return allOf(cluster, kinds)
}

/** SleepInfos, their Secrets, and the workloads of their namespaces; no other namespace is read. */
export async function leftByKubeGreen(cluster: ClusterObjects): Promise<ImportedObject[]> {
  const infos = await allOf(cluster, ['SleepInfo'])
  const namespaces = [...new Set(infos.flatMap(({ metadata }) => metadata.namespace ?? []))]
  const inside: ImportedObject[][] = []
  for (const namespace of namespaces)
    for (const kind of KINDS_READ) inside.push(await ofKind(cluster, kind, namespace))
  for (const namespace of namespaces) inside.push(await namespaceNamed(cluster, namespace))
  for (const info of infos) inside.push(await secretOf(cluster, info))
  return [...infos, ...inside.flat()]
}

/** All that may have been taken over, in all namespaces. */
export async function workloads(cluster: ClusterObjects): Promise<ImportedObject[]> {
  return allOf(cluster, ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Rollout'])
}

async function allOf(cluster: ClusterObjects, kinds: readonly string[]): Promise<ImportedObject[]> {
  const all: ImportedObject[][] = []
  for (const kind of kinds) all.push(await ofKind(cluster, kind))
  return all.flat()
}

export async function ofKind(
  cluster: ClusterObjects,
  kind: string,
  namespace?: string,
): Promise<ImportedObject[]> {
  const listed = await cluster.list<ImportedObject>(collectionOf(kind, namespace))
  // Items of a list lack kind and apiVersion.
  return (listed ?? []).map((each) => Object.assign(each, { kind, apiVersion: apiVersionOf(kind) }))
}

/** One that we may not read comes without labels and annotations. */
export async function namespaceNamed(cluster: ClusterObjects, name: string): Promise<ImportedObject[]> {
  const bare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  const found = await cluster.get<ImportedObject>(pathOf(bare)).catch(ifForbidden(bare))
  return found ? [{ ...found, apiVersion: 'v1', kind: 'Namespace' }] : []
}

/** A SleepInfo's stored counts; empty before it was first due. A Secret that we may not read comes without data. */
async function secretOf(cluster: ClusterObjects, { metadata }: ImportedObject): Promise<ImportedObject[]> {
  const { namespace = '' } = metadata
  const name = `sleepinfo-${metadata.name}`
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`
  const secret = await cluster.get<ImportedObject>(path).catch(ifForbidden({ metadata: { namespace, name } }))
  return secret ? [{ ...secret, kind: 'Secret', apiVersion: 'v1' }] : []
}

/** For `catch`: stands for an object that we may not read. */
function ifForbidden<Bare>(bare: Bare): (error: unknown) => Bare {
  return (error) => {
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return bare
    throw error
  }
}
