import { ANNOTATION, ANNOTATION_NAMES } from '../domain/annotations.ts'
import { apiVersionOf, factsOf, KIND_NAME, KINDS } from '../domain/kinds.ts'
import type { BuiltInKind, Owner } from '../domain/kinds.ts'
import type { StatusCounts } from '../domain/sleeping/form.ts'
import { formOf } from '../domain/sleeping/forms.ts'
import { troubleIn } from '../domain/workload/trouble.ts'
import type { Workload } from '../domain/workload/workload.ts'

/** The fields of an object that are read here. */
export interface KubernetesFields {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Readonly<Record<'name' | 'namespace' | 'uid' | 'creationTimestamp', string>> & {
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly (Owner & { readonly controller?: boolean })[]
  }
  readonly spec?: {
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: string }
  }
  readonly status?: StatusCounts & { readonly observedGeneration?: number; readonly conditions?: unknown }
}

/** The kind, if it is a built-in one but ReplicaSet: most of those have an owner, which is managed in their place. */
export function kindOfObject({ kind, apiVersion }: KubernetesFields): BuiltInKind | undefined {
  const found = KINDS.find((each) => KIND_NAME[each] === kind && apiVersionOf(each) === apiVersion)
  return found === 'replicasets' ? undefined : found
}

/** Values that only writes look at, and the plugin writes nothing by them. */
const ROOM = { resourceVersion: '', hasAnnotations: true, otherAnnotationBytes: 0, hasNodeSelector: true }
const OWNERS = { formerRevision: false, replicasManager: undefined, ownReplicasEntry: undefined }

/** The object as the rules read it. */
export function workloadOf(kind: BuiltInKind, object: KubernetesFields): Workload {
  const { metadata, spec, status = {} } = object
  const { annotations = {}, labels, namespace, name, uid, generation = 0 } = metadata
  const form = formOf({ kind })
  const position = form.read(object, factsOf(kind).field)
  const trouble = troubleIn(status.conditions)
  const observedGeneration = form.countsPods ? (status.observedGeneration ?? 0) : generation
  const pods = { ...form.pods(status, position), observedGeneration, ...(trouble && { trouble }) }
  const own = ANNOTATION_NAMES.map((key) => [key, annotations[ANNOTATION[key]]])
  return {
    kind,
    namespace,
    name,
    uid,
    generation,
    labels,
    ...ROOM,
    ...OWNERS,
    ...position,
    pods,
    requests: { cpu: 0, memory: 0 },
    createdAt: Date.parse(metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== undefined,
    owner: metadata.ownerReferences?.find(({ controller }) => controller === true),
    annotations: Object.fromEntries(own.filter(([, text]) => text !== undefined)),
    deletesVolumes: spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
  }
}
