import { ANNOTATION, type Workload, type WorkloadKey } from '../../src/domain/workload/workload.ts'

export const APPS = { group: 'apps', version: 'v1' }
const MIB = 1024 * 1024

/** The body of an AdmissionReview, in the order in which API servers write it. */
export function reviewBody(request: object): string {
  return JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request })
}

type Reviewed = Pick<Workload, 'kind' | 'namespace' | 'name' | 'uid' | 'resourceVersion' | 'replicas'>

/** A request of `alice` to change an object of this name, as the API server sends it. */
export function changing(
  { kind, namespace, name }: WorkloadKey,
  oldObject: unknown,
  object: unknown,
  changes: object = {},
): object {
  return {
    uid: 'r-1',
    operation: 'UPDATE',
    namespace,
    name,
    resource: { ...APPS, resource: kind },
    userInfo: { username: 'alice' },
    options: { kind: 'UpdateOptions', fieldManager: 'kubectl' },
    object,
    oldObject,
    dryRun: false,
    ...changes,
  }
}

/** A request of `alice` to scale `workload` to `replicas`. */
export function scaling(workload: Reviewed, replicas: number, changes: object = {}): object {
  const { namespace, name, uid, resourceVersion } = workload
  const scale = (count: number) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion },
    spec: { replicas: count },
  })
  return changing(workload, scale(workload.replicas), scale(replicas), { subResource: 'scale', ...changes })
}

/** A request of `alice` to change the timezone of a Deployment that has these annotations and labels. */
export function updating(
  workload: Reviewed,
  { annotations = {}, labels = {} }: { annotations?: object; labels?: object },
  changes: object = {},
): object {
  const { namespace, name, uid, resourceVersion, replicas } = workload
  const object = (timezone: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace,
      name,
      uid,
      resourceVersion,
      annotations: { ...annotations, [ANNOTATION.timezone]: timezone },
      labels,
    },
    spec: { replicas },
  })
  return changing(workload, object('Europe/Berlin'), object('UTC'), changes)
}

/** Forged reviews that cost most: one with 150,000 labels in both objects, some 3.6 MiB, and one of almost 6 MiB of `{}`. */
export function mostExpensiveReviews(): readonly string[] {
  const name = { kind: 'deployments', namespace: 'shop', name: 'web' } as const
  const forged = { ...name, uid: 'u', resourceVersion: '1', replicas: 3 }
  const labels = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`l${index}`, '']))
  const [before = '', after = ''] = reviewBody(updating(forged, {}, { object: '#' })).split('"#"')
  const count = Math.floor((6 * MIB - before.length - after.length - 2) / 3)
  const dense = `${before}[${Array.from({ length: count }, () => '{}').join(',')}]${after}`
  return [reviewBody(updating(forged, { labels })), dense]
}
