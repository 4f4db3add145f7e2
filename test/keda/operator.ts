import type { KubernetesObject } from '../control-plane/client.ts'
import type { Cluster } from '../support/cluster.ts'
import { defineKind, undefineKind } from '../support/custom-kinds.ts'

/** KEDA, or a stand-in for it, over the namespace of some tests. */
export interface KedaOperator {
  /** Whether the trigger asks for replicas. */
  active: boolean
  /** Whether the trigger's source answers. */
  reachable: boolean
  /** Milliseconds between two looks at a ScaledObject. */
  readonly poll: number
  /** The spec of a trigger that `active` and `reachable` decide. */
  readonly trigger: object
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when a poll that starts from now on has ended: an earlier one may have read old objects. */
  looked(): Promise<void>
}

const SCALED_OBJECTS = {
  group: 'keda.sh',
  plural: 'scaledobjects',
  kind: 'ScaledObject',
  version: 'v1alpha1',
} as const

export const define = (cluster: Cluster) => defineKind(cluster, SCALED_OBJECTS)
/** All ScaledObjects go with it. */
export const undefine = (cluster: Cluster) => undefineKind(cluster, SCALED_OBJECTS)

export function scaledObjectsIn(namespace: string, name?: string): string {
  const collection = `/apis/keda.sh/v1alpha1/namespaces/${namespace}/scaledobjects`
  return name === undefined ? collection : `${collection}/${name}`
}

interface ScaledObjectOptions {
  /** Default: the Deployment `name`. */
  readonly target?: string | { readonly apiVersion: string; readonly kind: string; readonly name: string }
  readonly min: number
  readonly max?: number
  readonly annotations?: Readonly<Record<string, string>>
}

/** A ScaledObject that looks at its trigger each second. */
export function scaledObject(
  name: string,
  trigger: object,
  { target = name, min, max = 10, annotations }: ScaledObjectOptions,
): object {
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, ...(annotations && { annotations }) },
    spec: {
      scaleTargetRef: typeof target === 'string' ? { name: target } : target,
      minReplicaCount: min,
      maxReplicaCount: max,
      pollingInterval: 1,
      cooldownPeriod: 1,
      triggers: [trigger],
    },
  }
}

/** The annotations of a ScaledObject. */
export function annotationsOf({ metadata }: KubernetesObject): Readonly<Record<string, string>> {
  return (metadata?.['annotations'] ?? {}) as Readonly<Record<string, string>>
}
