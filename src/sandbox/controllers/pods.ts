import { createHash } from 'node:crypto'
import { isRecord } from '../store/object.ts'
import type { KubeObject, OwnerReference, PodTemplate, StoredObject } from '../store/object.ts'
import { suffix } from '../store/preparation.ts'

/** The label that gives the template's revision on pods of a StatefulSet or a DaemonSet. */
const REVISION_LABEL = 'controller-revision-hash'

interface PodPlan {
  create: KubeObject[]
  remove: StoredObject[]
}

const HASH_LENGTH = 10

/**
 * Equal templates have equal hashes. Absent, null and empty values count as equal: the API server's defaults make
 * them so.
 */
export function templateHash(template: PodTemplate | undefined): string {
  const canonical = JSON.stringify(template ?? {}, (_key, value: unknown) => {
    if (!isRecord(value)) return value === null ? undefined : value
    const entries = Object.entries(value).filter(([, each]) => !isEmpty(each))
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  })
  return createHash('sha256').update(canonical).digest('hex').slice(0, HASH_LENGTH)
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === '' ||
  (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0)

/** The pods to create and to remove for a ReplicaSet, a StatefulSet or a DaemonSet. */
export function planPods(workload: StoredObject, pods: StoredObject[], nodes: StoredObject[]): PodPlan {
  if (workload.kind === 'ReplicaSet') return planCount(workload, pods, nodes)
  const revision = templateHash(workload.spec?.template)
  const wanted = new Map(
    workload.kind === 'DaemonSet'
      ? eligibleNodes(workload, nodes).map(({ metadata }) => [metadata.name, metadata.name])
      : Array.from({ length: workload.spec?.replicas ?? 0 }, (_, ordinal) => [
          `${workload.metadata.name}-${ordinal}`,
          nodeFor(nodes, ordinal),
        ]),
  )
  const slotOf = (pod: StoredObject) =>
    workload.kind === 'DaemonSet' ? (pod.spec?.nodeName ?? '') : pod.metadata.name
  const kept = new Set<string>()
  const remove = pods.filter((pod) => {
    const isCurrent = pod.metadata.labels?.[REVISION_LABEL] === revision
    if (!isCurrent || !wanted.has(slotOf(pod)) || kept.has(slotOf(pod))) return true
    kept.add(slotOf(pod))
    return false
  })
  const create = [...wanted]
    .filter(([slot]) => !kept.has(slot))
    .map(([slot, nodeName]) => {
      const name = workload.kind === 'DaemonSet' ? `${workload.metadata.name}-${suffix()}` : slot
      return newPod(workload, name, nodeName, { [REVISION_LABEL]: revision })
    })
  return { create, remove }
}

function planCount(workload: StoredObject, pods: StoredObject[], nodes: StoredObject[]): PodPlan {
  const wanted = workload.spec?.replicas ?? 0
  const missing = Math.max(0, wanted - pods.length)
  return {
    create: Array.from({ length: missing }, (_, index) =>
      newPod(workload, `${workload.metadata.name}-${suffix()}`, nodeFor(nodes, pods.length + index), {}),
    ),
    remove: pods.toSorted((a, b) => Number(isReady(b)) - Number(isReady(a))).slice(wanted),
  }
}

/** The nodes that a DaemonSet's nodeSelector admits. */
export function eligibleNodes(workload: KubeObject, nodes: StoredObject[]): StoredObject[] {
  const wanted = Object.entries(workload.spec?.template?.spec?.nodeSelector ?? {})
  return nodes.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
}

const nodeFor = (nodes: StoredObject[], index: number) => nodes[index % nodes.length]?.metadata.name ?? ''

export function ownedBy(owner: StoredObject): OwnerReference {
  const { name, uid } = owner.metadata
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}

function newPod(
  owner: StoredObject,
  name: string,
  nodeName: string,
  labels: Record<string, string>,
): KubeObject {
  const { metadata, spec } = owner.spec?.template ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      labels: { ...metadata?.labels, ...labels },
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
      ownerReferences: [ownedBy(owner)],
    },
    spec: { ...spec, nodeName },
    status: status(spec?.containers ?? [], 'Pending'),
  }
}

function status(containers: { name: string; image: string }[], phase: 'Pending' | 'Running') {
  const isRunning = phase === 'Running'
  return {
    phase,
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: isRunning ? 'True' : 'False' },
    ],
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      ready: isRunning,
      restartCount: 0,
    })),
  }
}

export const asRunning = (pod: StoredObject): KubeObject => ({
  ...pod,
  status: status(pod.spec?.containers ?? [], 'Running'),
})

export const isReady = (pod: KubeObject) => pod.status?.['phase'] === 'Running'
