import fc from 'fast-check'
import { factsOf } from '../../../src/domain/kinds.ts'
import type { Kind, Workload } from '../../../src/domain/workload/workload.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  HELD_LABEL,
  OWN_LABELS,
  SNOOZE_KEY,
} from '../../../src/domain/workload/workload.ts'
import { mutated } from '../../support/json-mutations.ts'
import { APPS, scaling } from '../../support/reviews.ts'
import { at } from '../../support/rules.ts'
import { objectOf } from '../../support/workload-object.ts'
import {
  aDaemonSet,
  aDeployment,
  aReplicaSet,
  aStatefulSet,
  type AWorkload,
} from '../../support/workloads.ts'

const KINDS: readonly (() => AWorkload)[] = [
  () => aDeployment('shop/web'),
  () => aStatefulSet('shop/web'),
  () => aDaemonSet('shop/web'),
  () => aReplicaSet('shop/web'),
]

/** A workload before a write, and how somebody might send it. */
const STATES: readonly ((workload: AWorkload) => AWorkload)[] = [
  (workload) => workload,
  (workload) => workload.enabled(),
  (workload) => workload.enabled().scheduled('8:00-18:00,Mon-Fri', 'Europe/Berlin'),
  (workload) => workload.enabled().snoozed({ at: at('Mon 7:00') }),
  (workload) =>
    workload
      .enabled()
      .snoozed({ at: at('Mon 7:00'), trigger: 'api', by: 'k8s:bob' })
      .pinned(),
  (workload) => workload.enabled().pinned(),
  (workload) => workload.enabled().overridden(),
  (workload) => workload.enabled().annotated({ state: '{' }),
]

const WORKLOAD = fc
  .tuple(fc.constantFrom(...KINDS), fc.constantFrom(...STATES))
  .map(([kind, state]) => state(kind().withReplicas(3)))

/** Changes of the object by a write, as far as they concern us. */
const WRITES: readonly ((workload: AWorkload) => AWorkload)[] = [
  (workload) => workload,
  (workload) => workload.withReplicas(5),
  (workload) => workload.withReplicas(0),
  (workload) => workload.withoutItsKey(),
  (workload) => workload.with({ annotations: {}, hasAnnotations: false, labels: undefined }),
  (workload) => workload.labelled({ [ASLEEP_LABEL]: '9' }),
  (workload) => workload.withoutLabel(HELD_LABEL),
  (workload) => workload.labelled({ ...workload.labels, [HELD_LABEL]: 'mine' }),
  (workload) => workload.annotated({ request: 'wake 4h' }),
  (workload) => workload.annotated({ request: 'pin' }),
  (workload) => workload.withReplicas(5).annotated({ request: 'snoze' }),
  (workload) => workload.annotated({ schedule: 'whenever' }),
  (workload) => workload.annotated({ enabled: 'false', state: undefined }),
  (workload) =>
    workload
      .enabled()
      .annotated({ state: undefined })
      .snoozed({ at: at('Sun 18:00'), kept: 7 }),
]

const OBJECTS = fc.tuple(WORKLOAD, fc.constantFrom(...WRITES)).map(([before, write]) => {
  const after = write(before)
  return { kind: before.kind, oldObject: whole(before), object: whole(after) }
})

/** A write of a workload or of its status, as the API server sends it. */
const WRITE: fc.Arbitrary<object> = fc
  .tuple(
    OBJECTS,
    fc.constantFrom('UPDATE', 'UPDATE', 'CREATE', 'DELETE'),
    fc.constantFrom('', '', 'status', 'scale'),
    fc.constantFrom('kubectl', 'argocd', 'dormouse'),
    fc.constantFrom('alice', 'system:kube-controller-manager', ''),
  )
  .map(([{ kind, oldObject, object }, operation, subResource, fieldManager, username]) => ({
    uid: 'r-1',
    operation,
    namespace: 'shop',
    name: 'web',
    resource: { ...APPS, resource: kind },
    ...(subResource === '' ? {} : { subResource }),
    userInfo: { username },
    options: { fieldManager },
    object: operation === 'DELETE' ? null : object,
    oldObject: operation === 'CREATE' ? null : oldObject,
    dryRun: false,
  }))

const SCALING = fc.tuple(WORKLOAD, fc.nat(6)).map(([workload, replicas]) => scaling(workload, replicas))

const REVIEW = fc.oneof(WRITE, SCALING).map((request): unknown => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request,
}))

/** Bodies: reviews as they are, changed in some places, cut, or anything else. */
export const ANY_REVIEW: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: REVIEW.map(text) },
  { weight: 8, arbitrary: mutated(REVIEW).map(text) },
  { weight: 1, arbitrary: fc.tuple(REVIEW.map(text), fc.nat(3000)).map(([body, end]) => body.slice(0, end)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
)

/** The object without the fields that Dormouse may change, and without maps that become empty. */
export function withoutOurs(object: unknown): unknown {
  const copy: unknown = structuredClone(object)
  const metadata = field(copy, 'metadata')
  const spec = field(copy, 'spec')
  const podSpec = field(field(spec, 'template'), 'spec')
  for (const key of Object.values(ANNOTATION)) drop(metadata, 'annotations', key)
  for (const key of OWN_LABELS) drop(metadata, 'labels', key)
  drop(podSpec, 'nodeSelector', SNOOZE_KEY)
  if (isMap(spec)) delete spec['replicas']
  return copy
}

function drop(parent: unknown, name: string, key: string): void {
  const map = field(parent, name)
  if (!isMap(map) || !isMap(parent)) return
  delete map[key]
  if (Object.keys(map).length === 0) delete parent[name]
}

function field(object: unknown, name: string): unknown {
  return isMap(object) ? object[name] : undefined
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function whole(workload: Workload): object {
  const { kind }: { kind: Kind } = workload
  return { apiVersion: 'apps/v1', kind: factsOf(kind).name, ...objectOf(workload) }
}
