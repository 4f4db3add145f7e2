import type { Instant } from '../service/process/clock.ts'
import type { ObjectStore } from './store/object-store.ts'
import { Registry } from './store/registry.ts'
import { served } from './store/resources.ts'

const DAY = 86_400_000
const MINUTE = 60_000
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']
const NODES = ['worker-1', 'worker-2', 'worker-3']
const BY = { manager: 'kubectl-create' }

/** Creates what any cluster has, the system namespaces and three nodes, and the ConfigMap that the chart brings. */
export function seedCluster(store: ObjectStore, now: Instant): void {
  const registry = new Registry(store, () => now - 30 * DAY)
  for (const name of SYSTEM_NAMESPACES)
    registry.create(served('', 'namespaces'), undefined, { metadata: { name } }, BY)
  registry.create(served('', 'configmaps'), 'kube-public', { metadata: { name: 'dormouse' } }, BY)
  for (const name of NODES) {
    const node = { resource: served('', 'nodes'), namespace: undefined, name }
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' }
    registry.create(node.resource, undefined, { metadata: { name, labels } }, BY)
    const status = {
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      nodeInfo: { kubeletVersion: 'v1.35.0' },
    }
    registry.update(node, (stored) => ({ ...stored, status }), { manager: 'kubelet', subresource: 'status' })
  }
}

/** When `staging/storefront` is asleep: `times` times, the first at `first`; durations in milliseconds. */
export interface Naps {
  readonly first: Instant
  readonly asleepFor: number
  readonly every: number
  readonly times: number
}

/** Creates a small shop and its staging; `staging/storefront` is snoozed at the times returned. */
export function seedShop(store: ObjectStore, now: Instant): Naps {
  const naps = napsFrom(now)
  // Older than newWorkloadGrace, which would keep them awake.
  const registry = new Registry(store, () => now - 9 * DAY)
  const annotations = annotationsOf(naps)
  for (const [namespace, seeds] of Object.entries(WORKLOADS)) {
    registry.create(served('', 'namespaces'), undefined, { metadata: { name: namespace } }, BY)
    const account = { metadata: { name: 'developer' } }
    registry.create(served('', 'serviceaccounts'), namespace, account, BY)
    for (const seed of seeds) {
      const [kind, name] = seed
      registry.create(
        served('apps', kind),
        namespace,
        workload(seed, annotations[`${namespace}/${name}`]),
        BY,
      )
    }
  }
  return naps
}

type Kind = 'deployments' | 'statefulsets' | 'daemonsets' | 'replicasets'

const SMALL = { cpu: '100m', memory: '128Mi' }
const LARGE = { cpu: '500m', memory: '1Gi' }

/** A workload: its kind, name and image, what a pod requests, and how many there are. */
type Seed = [kind: Kind, name: string, image: string, requests: typeof SMALL, replicas?: number]

const WORKLOADS: Readonly<Record<'shop' | 'staging', Seed[]>> = {
  shop: [
    ['deployments', 'storefront', 'example/storefront:2.14.0', SMALL, 3],
    ['deployments', 'web', 'example/web:1.4.2', SMALL, 3],
    ['deployments', 'checkout', 'example/checkout:1.9.3', SMALL, 2],
    ['deployments', 'recommendations', 'example/recommendations:0.8.1', LARGE, 2],
    ['statefulsets', 'orders-db', 'postgres:17', LARGE, 1],
    ['statefulsets', 'sessions', 'redis:7', SMALL, 3],
    ['daemonsets', 'log-shipper', 'example/log-shipper:3.2.0', SMALL],
    ['replicasets', 'price-importer', 'example/price-importer:1.0.4', SMALL, 2],
  ],
  staging: [
    ['deployments', 'storefront', 'example/storefront:2.15.0-rc.1', SMALL, 2],
    ['deployments', 'checkout', 'example/checkout:1.10.0-rc.2', SMALL, 1],
    ['deployments', 'load-generator', 'example/load:0.3.0', LARGE, 4],
    ['statefulsets', 'search', 'example/search:8.1.0', LARGE, 2],
  ],
}

/** The annotations of those that Dormouse manages from the start, by namespace and name. */
function annotationsOf(naps: Naps): Readonly<Record<string, Record<string, string>>> {
  const enabled = { 'dormouse.dev/enabled': 'true' }
  return {
    'staging/storefront': {
      ...enabled,
      'dormouse.dev/schedule': hoursBetween(naps),
      'dormouse.dev/timezone': 'UTC',
    },
    'staging/checkout': { ...enabled, 'dormouse.dev/schedule': '0:00-24:00' },
  }
}

/** Milliseconds for the reader to paste the first commands. */
const BEFORE_FIRST = 30_000

/** Several naps, for readers who come late; at most six operations an hour, or the backoff would set in. */
function napsFrom(now: Instant): Naps {
  const first = Math.ceil((now + BEFORE_FIRST) / MINUTE) * MINUTE
  return { first, asleepFor: 10 * MINUTE, every: 30 * MINUTE, times: 6 }
}

/** The awake windows between the naps, in UTC; the last ends when the next day's first nap begins. */
function hoursBetween({ first, asleepFor, every, times }: Naps): string {
  const starts = Array.from({ length: times }, (_, n) => first + n * every)
  return starts
    .map((start, n) => `${clockTime(start + asleepFor)}-${clockTime(starts[n + 1] ?? first)}`)
    .join(';')
}

function clockTime(at: Instant): string {
  const minutes = Math.floor(at / MINUTE) % (24 * 60)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

function workload(
  [kind, name, image, requests, replicas]: Seed,
  annotations: Record<string, string> | undefined,
): object {
  const labels = { app: name }
  return {
    metadata: { name, labels, ...(annotations ? { annotations } : {}) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      ...(kind === 'statefulsets' ? { serviceName: name } : {}),
      template: { metadata: { labels }, spec: { containers: [{ name, image, resources: { requests } }] } },
    },
  }
}
