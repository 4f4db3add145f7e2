import { Ajv } from 'ajv'
import { hasKey, isBuiltIn, sleepsSuspended } from '../../domain/kinds.ts'
import { MAX_REPLICAS, type Kind } from '../../domain/workload/workload.ts'
import { isJson, type Json } from './json.ts'

const text = { type: 'string', nullable: true }
const count = { type: 'integer', nullable: true }
const texts = { type: 'object', additionalProperties: { type: 'string' }, nullable: true }
const amounts = { type: 'object', additionalProperties: { type: ['string', 'number'] }, nullable: true }

function object(properties: object, required: readonly string[] = []) {
  return { type: 'object', properties, required, nullable: true }
}

function listOf(items: object) {
  return { type: 'array', items: { ...items, nullable: false }, nullable: true }
}

const metadata = object({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  creationTimestamp: text,
  deletionTimestamp: text,
  generation: count,
  annotations: texts,
  labels: texts,
  ownerReferences: listOf(
    object({ apiVersion: text, kind: text, name: text }, ['apiVersion', 'kind', 'name']),
  ),
  managedFields: listOf(object({ manager: text, subresource: text, time: text })),
})
const resources = object({ requests: amounts, limits: amounts })
const containers = listOf(object({ resources }))
const podSpec = object({
  nodeSelector: texts,
  containers,
  initContainers: containers,
  resources,
  overhead: amounts,
})
const status = object(
  Object.fromEntries(
    [
      'observedGeneration',
      'replicas',
      'readyReplicas',
      'desiredNumberScheduled',
      'currentNumberScheduled',
      'numberMisscheduled',
      'numberReady',
    ].map((name) => [name, count]),
  ),
)

/** A workload in the shape that patches need: every field that a patch replaces, or adds to, exists. */
function workload(template: object, required: readonly string[]) {
  const spec = object(
    {
      replicas: { type: 'integer', minimum: 0, maximum: MAX_REPLICAS },
      template: { ...template, nullable: false },
      persistentVolumeClaimRetentionPolicy: object({ whenScaled: text }),
    },
    required,
  )
  return {
    ...object({ metadata: { ...metadata, nullable: false }, spec: { ...spec, nullable: false }, status }, [
      'metadata',
      'spec',
    ]),
    nullable: false,
  }
}

const ajv = new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false })
const isScalable = ajv.compile(workload(object({ spec: podSpec }), ['replicas']))
const isCustom = ajv.compile({
  ...object(
    {
      metadata: { ...metadata, nullable: false },
      spec: { type: 'object' },
      status: { type: 'object', nullable: true },
    },
    ['metadata', 'spec'],
  ),
  nullable: false,
})
const isCronJob = ajv.compile({
  ...object(
    {
      metadata: { ...metadata, nullable: false },
      spec: { ...object({ suspend: { type: 'boolean', nullable: true } }), nullable: false },
      status: object({ lastScheduleTime: text }),
    },
    ['metadata', 'spec'],
  ),
  nullable: false,
})
const isDaemonSet = ajv.compile(
  workload(object({ spec: { ...podSpec, nullable: false } }, ['spec']), ['template']),
)

/**
 * Whether an object under review has the fields that we read of a workload in their types: API servers send nothing
 * else, but anybody who reaches the port may. A null is an absent field.
 */
export function isWorkload(kind: Kind, object: unknown): object is Json {
  return isJson(object) && shapeOf(kind)(object)
}

function shapeOf(kind: Kind) {
  if (!isBuiltIn(kind)) return isCustom
  if (sleepsSuspended(kind)) return isCronJob
  return hasKey(kind) ? isDaemonSet : isScalable
}
