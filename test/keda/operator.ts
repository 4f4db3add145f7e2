import type { KubernetesObject } from '../control-plane/client.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'

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

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITION = `${DEFINITIONS}/scaledobjects.keda.sh`

/** A definition of the minimal shape that Dormouse, and a stand-in, need. */
const MINIMAL = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'scaledobjects.keda.sh' },
  spec: {
    group: 'keda.sh',
    names: {
      kind: 'ScaledObject',
      listKind: 'ScaledObjectList',
      plural: 'scaledobjects',
      singular: 'scaledobject',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['scaleTargetRef'],
                properties: {
                  scaleTargetRef: {
                    type: 'object',
                    required: ['name'],
                    properties: {
                      apiVersion: { type: 'string' },
                      kind: { type: 'string' },
                      name: { type: 'string' },
                    },
                  },
                  minReplicaCount: { type: 'integer' },
                },
                'x-kubernetes-preserve-unknown-fields': true,
              },
            },
          },
        },
      },
    ],
  },
}

/** Resolves once the definition is there to stay: one that is being deleted goes first. */
export async function define({ admin }: Cluster): Promise<void> {
  await eventually('the definition of ScaledObjects', async () => {
    const { status, body } = await admin.send('POST', DEFINITIONS, MINIMAL)
    if (status === 201) return true
    if (status !== 409) throw new Error(`the definition was refused: ${body.message}`)
    const { metadata } = await admin.expect('GET', DEFINITION)
    return metadata?.['deletionTimestamp'] === undefined
  })
}

/** All ScaledObjects go with it. */
export async function undefine({ admin }: Cluster): Promise<void> {
  await admin.send('DELETE', DEFINITION)
  await eventually('the definition of ScaledObjects to be gone', async () => {
    const { status } = await admin.send('GET', DEFINITION)
    return status === 404
  })
}

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
