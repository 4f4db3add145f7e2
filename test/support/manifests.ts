import { ANNOTATION, KIND_NAME, type Kind } from '../../src/domain/workload.ts'
import type { WorkloadManifest } from './cluster.ts'

export interface ManifestOptions {
  readonly replicas?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** A label of the pod template; another value makes another revision. */
  readonly revision?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
}

/** A workload of any kind with one small container. */
export function manifest(
  kind: Kind,
  name: string,
  { replicas = 1, labels, annotations, revision = '1', nodeSelector }: ManifestOptions = {},
): WorkloadManifest {
  const app = { app: name }
  const container = { name: 'app', image: 'app', resources: { requests: { cpu: '10m', memory: '16Mi' } } }
  return {
    apiVersion: 'apps/v1',
    kind: KIND_NAME[kind],
    metadata: {
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    spec: {
      ...(kind === 'daemonsets' ? {} : { replicas }),
      ...(kind === 'statefulsets' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {}),
      selector: { matchLabels: app },
      template: {
        metadata: { labels: { ...app, revision } },
        spec: { containers: [container], ...(nodeSelector ? { nodeSelector } : {}) },
      },
    },
  }
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
