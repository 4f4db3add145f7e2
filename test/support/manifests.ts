import { apiVersionOf, factsOf } from '../../src/domain/kinds.ts'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import type { WorkloadManifest } from './cluster.ts'

export interface ManifestOptions {
  readonly replicas?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** A label of the pod template; another value makes another revision. */
  readonly revision?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** A Deployment that is created so never gets pods, which take the machine for themselves. */
  readonly paused?: boolean
  /** More labels of the pod template. */
  readonly podLabels?: Readonly<Record<string, string>>
}

/** A workload of any kind with one small container. */
export function manifest(
  kind: Kind,
  name: string,
  {
    replicas = 1,
    labels,
    annotations,
    revision = '1',
    nodeSelector,
    paused = false,
    podLabels = {},
  }: ManifestOptions = {},
): WorkloadManifest {
  const app = { app: name }
  const container = { name: 'app', image: 'app', resources: { requests: { cpu: '10m', memory: '16Mi' } } }
  const head = {
    apiVersion: apiVersionOf(kind),
    kind: factsOf(kind).name,
    metadata: {
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
  }
  const pods = { metadata: { labels: { ...app, revision } }, spec: { containers: [container] } }
  if (kind === 'cronjobs') return { ...head, spec: cronJobSpec(pods, replicas === 0) }
  return {
    ...head,
    spec: {
      ...(kind === 'daemonsets' ? {} : { replicas }),
      ...(paused && kind === 'deployments' ? { paused } : {}),
      ...(kind === 'statefulsets' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {}),
      selector: { matchLabels: app },
      template: {
        metadata: { labels: { ...app, ...podLabels, revision } },
        spec: { containers: [container], ...(nodeSelector ? { nodeSelector } : {}) },
      },
    },
  }
}

/** Once a year: a test that wants a run says when. */
function cronJobSpec(pods: { readonly spec: object }, suspend: boolean) {
  const template = { ...pods, spec: { ...pods.spec, restartPolicy: 'Never' } }
  return { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } }, ...(suspend ? { suspend } : {}) }
}

/** The count of a workload that is created with `replicas`: a CronJob has one, or none. */
export function countOf(kind: Kind, replicas: number): number {
  return kind === 'cronjobs' ? Math.min(1, replicas) : replicas
}

/** Annotations as a person would write them. */
export function annotated(
  schedule?: string,
  { enabled = 'true', timezone }: { enabled?: string; timezone?: string } = {},
): Record<string, string> {
  return {
    [ANNOTATION.enabled]: enabled,
    ...(schedule === undefined ? {} : { [ANNOTATION.schedule]: schedule }),
    ...(timezone === undefined ? {} : { [ANNOTATION.timezone]: timezone }),
  }
}
