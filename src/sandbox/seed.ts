import { SERVICE_LABEL } from '../domain/traffic/slices.ts'
import { Zone } from '../domain/schedule/zone.ts'
import type { Instant } from '../process/clock.ts'
import type { ObjectStore } from './store/object-store.ts'
import { Registry } from './store/registry.ts'
import { served } from './store/resources.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
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

/** When `staging/storefront` falls asleep and wakes, today and every day after. */
export interface Nap {
  readonly from: Instant
  readonly until: Instant
}

/** Creates a small shop and its staging, with schedules in this zone; returns when `staging/storefront` sleeps. */
export function seedShop(store: ObjectStore, now: Instant, timezone: string): Nap {
  const nap = napFrom(now)
  // Older than newWorkloadGrace, which would keep them awake.
  const registry = new Registry(store, () => now - 9 * DAY)
  const annotations = annotationsOf(nap, timezone)
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
  return nap
}

/** The Service that the sandbox's link leads to. */
export const PREVIEW = { namespace: 'staging', service: 'preview' } as const

/** Creates a workload that sleeps now and wakes on traffic, and its Service; `port`: where its pods answer. */
export function seedPreview(store: ObjectStore, now: Instant, timezone: string, port: number): void {
  const registry = new Registry(store, () => now - 9 * DAY)
  const { namespace, service: name } = PREVIEW
  const annotations = {
    ...managed(hoursAwayFrom(now, timezone), timezone),
    'dormouse.dev/wake-on-traffic': 'page',
    'dormouse.dev/traffic-hold': '5m',
  }
  const seed: Seed = ['deployments', name, 'example/preview:1.2.0', SMALL, 2]
  registry.create(served('apps', 'deployments'), namespace, workload(seed, annotations), BY)
  const spec = { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: port }] }
  registry.create(served('', 'services'), namespace, { metadata: { name }, spec }, BY)
}

/** Creates the endpoints by which Dormouse finds its wakers: here the one of this process. */
export function seedWaker(
  store: ObjectStore,
  now: Instant,
  { namespace, name }: { namespace: string; name: string },
): void {
  const slice = {
    metadata: { name, labels: { [SERVICE_LABEL]: name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true, serving: true, terminating: false } }],
  }
  new Registry(store, () => now).create(served('discovery.k8s.io', 'endpointslices'), namespace, slice, BY)
}

/** Two hours of each day that are half a day away, so that the reader finds it asleep. */
function hoursAwayFrom(now: Instant, timezone: string): string {
  const hour = (later: number) => clockTime(now + later * HOUR, timezone).replace(/:.*/, ':00')
  return `${hour(11)}-${hour(13)}`
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
function annotationsOf(nap: Nap, timezone: string): Readonly<Record<string, Record<string, string>>> {
  const by = (schedule: string) => managed(schedule, timezone)
  return {
    'staging/storefront': by(`${clockTime(nap.until, timezone)}-${clockTime(nap.from, timezone)}`),
    'staging/checkout': by('0:00-24:00'),
    'staging/search': by('8:00-18:00,Mon-Fri'),
    'staging/load-generator': by('10:00-16:00,Sat-Sun'),
  }
}

function managed(schedule: string, timezone: string): Record<string, string> {
  return {
    'dormouse.dev/enabled': 'true',
    'dormouse.dev/schedule': schedule,
    'dormouse.dev/timezone': timezone,
  }
}

/** Milliseconds for the reader to paste the first commands. */
const BEFORE_NAP = 30_000

/** At the next full minute that leaves the reader time; it ends while they watch. */
function napFrom(now: Instant): Nap {
  const from = Math.ceil((now + BEFORE_NAP) / MINUTE) * MINUTE
  return { from, until: from + 5 * MINUTE }
}

function clockTime(at: Instant, timezone: string): string {
  const minutes = Math.floor((at + (Zone.named(timezone)?.offsetAt(at) ?? 0)) / MINUTE) % (24 * 60)
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
