import { count, isRecord } from '../store/object.ts'
import type { JsonRecord, KubeObject, StoredObject } from '../store/object.ts'
import { ownedBy, templateHash } from './pods.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
const HASH_LABEL = 'pod-template-hash'

/** Annotations that are not copied to ReplicaSets. Source: the Deployment controller. */
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
])

export interface DeploymentPlan {
  /** The ReplicaSet to create if none has the template. */
  create?: KubeObject
  /** ReplicaSets to change, and what they should become. */
  update: { stored: StoredObject; wanted: KubeObject }[]
  remove: StoredObject[]
  revision: string
}

const revisionOf = (replicaSet: KubeObject) => Number(replicaSet.metadata.annotations?.[REVISION] ?? 0)

const readyReplicas = (object: KubeObject) => count(object.status, 'readyReplicas')

/** The next step of the Deployment controller on a Deployment's ReplicaSets. */
export function planReplicaSets(deployment: StoredObject, owned: StoredObject[]): DeploymentPlan {
  const hash = templateHash(deployment.spec?.template)
  const replicas = deployment.spec?.replicas ?? 0
  const current = owned.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash)
  const others = owned.filter((each) => each !== current)
  const latest = Math.max(0, ...others.map(revisionOf))
  const revision = String(current && revisionOf(current) > latest ? revisionOf(current) : latest + 1)
  const annotations = {
    ...current?.metadata.annotations,
    ...copied(deployment.metadata.annotations ?? {}),
    [REVISION]: revision,
    'deployment.kubernetes.io/desired-replicas': String(replicas),
  }
  const isUp = current !== undefined && readyReplicas(current) >= replicas
  const down = isUp || replicas === 0 ? others.filter(({ spec }) => (spec?.replicas ?? 0) > 0) : []
  const update = down.map((stored) => ({
    stored,
    wanted: { ...stored, spec: { ...stored.spec, replicas: 0 } },
  }))
  if (current)
    update.push({
      stored: current,
      wanted: {
        ...current,
        metadata: { ...current.metadata, annotations },
        spec: { ...current.spec, replicas },
      },
    })
  const plan = { update, remove: outlived(deployment, others), revision }
  return current ? plan : { ...plan, create: newReplicaSet(deployment, hash, annotations) }
}

const copied = (annotations: Record<string, string>) =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !NOT_COPIED.has(key)))

function outlived(deployment: StoredObject, others: StoredObject[]): StoredObject[] {
  const kept = deployment.spec?.revisionHistoryLimit ?? 10
  const idle = others.filter((each) => each.spec?.replicas === 0 && count(each.status, 'replicas') === 0)
  return idle.toSorted((a, b) => revisionOf(b) - revisionOf(a)).slice(kept)
}

function newReplicaSet(
  deployment: StoredObject,
  hash: string,
  annotations: Record<string, string>,
): KubeObject {
  const { metadata, spec } = deployment
  const template = spec?.template ?? {}
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      labels,
      annotations,
      ownerReferences: [ownedBy(deployment)],
    },
    spec: {
      replicas: spec?.replicas ?? 0,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

/** A Deployment's status; counts of 0 are left out, as the API leaves them out. */
export function deploymentStatus(deployment: StoredObject, owned: StoredObject[], time: string): JsonRecord {
  const replicas = deployment.spec?.replicas ?? 0
  const hash = templateHash(deployment.spec?.template)
  const current = owned.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash)
  const sum = (field: string) => owned.reduce((total, each) => total + count(each.status, field), 0)
  const [all, ready] = [sum('replicas'), sum('readyReplicas')]
  const updated = count(current?.status, 'replicas')
  const isComplete = updated === replicas && all === replicas && ready === replicas
  return {
    observedGeneration: deployment.metadata.generation,
    ...nonZero({
      replicas: all,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: Math.max(0, Math.max(replicas, all) - ready),
    }),
    conditions: [
      condition(deployment, time, 'Available', ready >= Math.ceil(replicas * 0.75), [
        'MinimumReplicasAvailable',
        'MinimumReplicasUnavailable',
      ]),
      condition(deployment, time, 'Progressing', true, [
        isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        '',
      ]),
    ],
  }
}

export const nonZero = (fields: Record<string, number>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0))

function condition(
  { status }: StoredObject,
  time: string,
  type: string,
  holds: boolean,
  [yes, no]: [string, string],
): JsonRecord {
  const wanted = { type, status: holds ? 'True' : 'False', reason: holds ? yes : no }
  const known = Array.isArray(status?.['conditions']) ? status['conditions'].filter(isRecord) : []
  const last = known.find((each) => each['type'] === type)
  const isSame = last?.['status'] === wanted.status && last['reason'] === wanted.reason
  return {
    ...wanted,
    lastUpdateTime: isSame ? last['lastUpdateTime'] : time,
    lastTransitionTime: last?.['status'] === wanted.status ? last['lastTransitionTime'] : time,
  }
}
