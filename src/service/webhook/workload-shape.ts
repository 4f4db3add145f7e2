import {
  flag,
  isRecord,
  listOf,
  mapOf,
  orNull,
  part,
  text,
  type Properties,
  type Schema,
} from '../../domain/json-schema.ts'
import { isBuiltIn, type BuiltInKind } from '../../domain/kinds.ts'
import { compile } from '../../domain/validation.ts'
import { MAX_REPLICAS, type Kind } from '../../domain/workload/workload.ts'
import type { Json } from './json.ts'

/** An object with any of these fields, where null counts as absent. */
function fields(properties: Properties): Schema<object> {
  const known = Object.entries(properties).map(([name, schema]) => [name, orNull(schema)] as const)
  return part({}, Object.fromEntries(known))
}

const integer: Schema<number> = { type: 'integer' }
const texts = mapOf(text)
const amounts = mapOf({ type: ['string', 'number'] })

const metadata = fields({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  creationTimestamp: text,
  deletionTimestamp: text,
  generation: integer,
  annotations: texts,
  labels: texts,
  ownerReferences: listOf(part({ apiVersion: text, kind: text, name: text })),
  managedFields: listOf(fields({ manager: text, subresource: text, time: text })),
})

const resources = fields({ requests: amounts, limits: amounts })
const containers = listOf(fields({ resources }))
const podSpec = fields({
  nodeSelector: texts,
  containers,
  initContainers: containers,
  resources,
  overhead: amounts,
})
const counts = fields({
  observedGeneration: integer,
  replicas: integer,
  readyReplicas: integer,
  desiredNumberScheduled: integer,
  currentNumberScheduled: integer,
  numberMisscheduled: integer,
  numberReady: integer,
})

function checkOf(spec: Schema, status: Schema) {
  return compile(part({ metadata, spec }, { status: orNull(status) }))
}

// Patches need the shape: every field that a patch replaces, or adds to, exists.
const isScalable = checkOf(
  part(
    { replicas: { type: 'integer', minimum: 0, maximum: MAX_REPLICAS } },
    {
      template: fields({ spec: podSpec }),
      persistentVolumeClaimRetentionPolicy: orNull(fields({ whenScaled: text })),
    },
  ),
  counts,
)
const isDaemonSet = checkOf(part({ template: part({ spec: podSpec }) }), counts)
const isCronJob = checkOf(fields({ suspend: flag }), fields({ lastScheduleTime: text }))
const isCustom = checkOf({ type: 'object' }, { type: 'object' })
const CHECKS: Readonly<Record<BuiltInKind, typeof isCustom>> = {
  deployments: isScalable,
  statefulsets: isScalable,
  daemonsets: isDaemonSet,
  replicasets: isScalable,
  cronjobs: isCronJob,
}

/**
 * Whether an object under review has the fields that we read of a workload in their types: API servers send nothing
 * else, but anybody who reaches the port may. A null is an absent field.
 */
export function isWorkload(kind: Kind, object: unknown): object is Json {
  return isRecord(object) && (isBuiltIn(kind) ? CHECKS[kind] : isCustom)(object)
}
