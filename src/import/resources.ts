import type { ImportedObject } from './plan/imported-object.ts'
import {
  groupOf,
  pluralOf,
  READ_FOR_DOWNSCALERS,
  READ_FOR_KUBE_GREEN,
  READ_WHERE_NAMED,
  rowOf,
  SLEEPERS,
} from './plan/kinds.ts'
import { keptIn } from './plan/restores.ts'
import { isSleepInfo } from './plan/sleep-info.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'

/** The collection of a kind in all namespaces, or in one. @throws TypeError for a kind that is not imported */
export function collectionOf(kind: string, namespace?: string): string {
  const { apiVersion } = rowOf(kind)
  if (apiVersion === undefined) throw new TypeError(`${kind} is not imported`)
  const base = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${base}${inside}/${pluralOf(kind)}`
}

export function pathOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  return `${collectionOf(kind, namespace)}/${encodeURIComponent(name)}`
}

export async function leftByDownscaler(cluster: ClusterObjects): Promise<ImportedObject[]> {
  return allOf(cluster, READ_FOR_DOWNSCALERS)
}

/** All that Sablier or KubeElasti may wake, and ElastiServices. */
export async function leftByVisits(cluster: ClusterObjects): Promise<ImportedObject[]> {
  return allOf(cluster, ['Namespace', 'Deployment', 'StatefulSet', 'Rollout', 'Cluster', 'ElastiService'])
}

/** SleepInfos, their Secrets, and the workloads of their namespaces; no other namespace is read. */
export async function leftByKubeGreen(cluster: ClusterObjects): Promise<ImportedObject[]> {
  const infos = await allOf(cluster, ['SleepInfo'])
  const namespaces = [...new Set(infos.flatMap(({ metadata }) => metadata.namespace ?? []))]
  const inside: ImportedObject[][] = []
  for (const info of infos) inside.push(await secretOf(cluster, info))
  const kinds = [...READ_FOR_KUBE_GREEN, ...namedBy([...infos, ...inside.flat()])]
  for (const namespace of namespaces) {
    for (const kind of kinds) inside.push(await ofKind(cluster, kind, namespace))
    inside.push(await namespaceNamed(cluster, namespace))
  }
  return [...infos, ...inside.flat()]
}

/** Operators' kinds that a SleepInfo patches, or that a Secret keeps: to ask for others may be forbidden. */
function namedBy(found: readonly ImportedObject[]): string[] {
  const patched = found.filter(isSleepInfo).flatMap(({ spec }) => spec.patches ?? [])
  const kept = found.flatMap((each) => (isSleepInfo(each) ? [] : [...(keptIn(each)?.keys() ?? [])]))
  return READ_WHERE_NAMED.filter((kind) => {
    const group = groupOf(rowOf(kind).apiVersion)
    const isPatched = patched.some(({ target }) => target.kind === kind && target.group === group)
    return isPatched || kept.some((key) => key.startsWith(`${kind}.${group}/`))
  })
}

/** All that may have been taken over, in all namespaces. */
export async function workloads(cluster: ClusterObjects): Promise<ImportedObject[]> {
  return allOf(cluster, SLEEPERS)
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
  return (listed ?? []).map((each) => Object.assign(each, { kind, apiVersion: rowOf(kind).apiVersion }))
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
  const bare = { kind: 'Secret', apiVersion: 'v1', metadata: { namespace, name } }
  const secret = await cluster.get<ImportedObject>(pathOf(bare)).catch(ifForbidden(bare))
  return secret ? [{ ...secret, kind: 'Secret', apiVersion: 'v1' }] : []
}

/** For `catch`: stands for an object that we may not read. */
function ifForbidden<Bare>(bare: Bare): (error: unknown) => Bare {
  return (error) => {
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return bare
    throw error
  }
}
