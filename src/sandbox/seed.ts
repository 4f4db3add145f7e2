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

interface Seed {
  kind: 'deployments' | 'statefulsets' | 'daemonsets' | 'replicasets'
  namespace: string
  name: string
  image: string
  replicas?: number
  cpu: string
  memory: string
  annotations?: Record<string, string>
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
  for (const name of ['shop', 'staging']) {
    registry.create(served('', 'namespaces'), undefined, { metadata: { name } }, BY)
    const account = { metadata: { name: 'developer' } }
    registry.create(served('', 'serviceaccounts'), name, account, BY)
  }
  for (const seed of [...SHOP, ...staging(naps)])
    registry.create(served('apps', seed.kind), seed.namespace, workload(seed), BY)
  return naps
}

const shop = { namespace: 'shop' }
const inStaging = { namespace: 'staging' }
const small = { cpu: '100m', memory: '128Mi' }
const large = { cpu: '500m', memory: '1Gi' }

const SHOP: Seed[] = [
  {
    ...shop,
    ...small,
    kind: 'deployments',
    name: 'storefront',
    image: 'example/storefront:2.14.0',
    replicas: 3,
  },
  { ...shop, ...small, kind: 'deployments', name: 'web', image: 'example/web:1.4.2', replicas: 3 },
  { ...shop, ...small, kind: 'deployments', name: 'checkout', image: 'example/checkout:1.9.3', replicas: 2 },
  {
    ...shop,
    ...large,
    kind: 'deployments',
    name: 'recommendations',
    image: 'example/recommendations:0.8.1',
    replicas: 2,
  },
  { ...shop, ...large, kind: 'statefulsets', name: 'orders-db', image: 'postgres:17', replicas: 1 },
  { ...shop, ...small, kind: 'statefulsets', name: 'sessions', image: 'redis:7', replicas: 3 },
  { ...shop, ...small, kind: 'daemonsets', name: 'log-shipper', image: 'example/log-shipper:3.2.0' },
  {
    ...shop,
    ...small,
    kind: 'replicasets',
    name: 'price-importer',
    image: 'example/price-importer:1.0.4',
    replicas: 2,
  },
]

function staging(naps: Naps): Seed[] {
  return [
    {
      ...inStaging,
      ...small,
      kind: 'deployments',
      name: 'storefront',
      image: 'example/storefront:2.15.0-rc.1',
      replicas: 2,
      annotations: {
        'dormouse.dev/enabled': 'true',
        'dormouse.dev/schedule': hoursBetween(naps),
        'dormouse.dev/timezone': 'UTC',
      },
    },
    {
      ...inStaging,
      ...small,
      kind: 'deployments',
      name: 'checkout',
      image: 'example/checkout:1.10.0-rc.2',
      replicas: 1,
      annotations: { 'dormouse.dev/enabled': 'true', 'dormouse.dev/schedule': '0:00-24:00' },
    },
    {
      ...inStaging,
      ...large,
      kind: 'deployments',
      name: 'load-generator',
      image: 'example/load:0.3.0',
      replicas: 4,
    },
    {
      ...inStaging,
      ...large,
      kind: 'statefulsets',
      name: 'search',
      image: 'example/search:8.1.0',
      replicas: 2,
    },
  ]
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

function workload({ kind, name, image, replicas, cpu, memory, annotations }: Seed): object {
  const labels = { app: name }
  const container = { name, image, resources: { requests: { cpu, memory } } }
  return {
    metadata: { name, labels, ...(annotations ? { annotations } : {}) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      ...(kind === 'statefulsets' ? { serviceName: name } : {}),
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  }
}
