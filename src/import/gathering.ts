import type { ImportedObject } from './plan/imported-object.ts'
import { KINDS_READ } from './plan/restores.ts'
import { Refusal } from '../service/process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'
import { apiVersionOf, collectionOf } from './resources.ts'

/** Kinds that downscalers change, beside Namespaces. */
const BY_DOWNSCALERS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'Job',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'Service',
  'Ingress',
  'ScaledObject',
  'Rollout',
]

export async function leftByDownscaler(cluster: ClusterObjects): Promise<ImportedObject[]> {
  return allOf(cluster, ['Namespace', ...BY_DOWNSCALERS])
}

/** SleepInfos, their Secrets, and the workloads of their namespaces; no other namespace is read. */
export async function leftByKubeGreen(cluster: ClusterObjects): Promise<ImportedObject[]> {
  const infos = await allOf(cluster, ['SleepInfo'])
  const namespaces = [...new Set(infos.flatMap(({ metadata }) => metadata.namespace ?? []))]
  const inside: ImportedObject[][] = []
  for (const namespace of namespaces)
    for (const kind of KINDS_READ) inside.push(await ofKind(cluster, kind, namespace))
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

/** A SleepInfo's stored counts; empty before it was first due. A Secret that we may not read comes without data. */
async function secretOf(cluster: ClusterObjects, { metadata }: ImportedObject): Promise<ImportedObject[]> {
  const name = encodeURIComponent(`sleepinfo-${metadata.name}`)
  const path = `/api/v1/namespaces/${encodeURIComponent(metadata.namespace ?? '')}/secrets/${name}`
  const secret = await cluster.get<ImportedObject>(path).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error
    const { namespace = '' } = metadata
    return { metadata: { namespace, name: `sleepinfo-${metadata.name}` } }
  })
  return secret ? [{ ...secret, kind: 'Secret', apiVersion: 'v1' }] : []
}
