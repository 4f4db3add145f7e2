import { freePorts } from '../control-plane/ports.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { Balancer } from './balancer.ts'
import type { Cluster } from './cluster.ts'
import { Dormouse, type Settings } from './dormouse.ts'
import { eventually } from './eventually.ts'
import { manifest } from './manifests.ts'
import { createNamespace, served, type Served } from './served.ts'

export const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/dormouse'
export interface Configuration {
  readonly webhooks: readonly {
    readonly name: string
    readonly failurePolicy: string
    readonly clientConfig: { readonly caBundle?: string; readonly url?: string }
    readonly rules: readonly object[]
  }[]
}

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/dormouse/leases'
/** The namespace of Dormouse's Secret and Lease. */
const OWN_NAMESPACE = 'dormouse'
export const SECRET = `/api/v1/namespaces/${OWN_NAMESPACE}/secrets/dormouse-webhook`

export interface Enforced extends Served {
  readonly balancer: Balancer
  /** The port of `dormouse`'s webhook, behind the balancer. */
  readonly port: number
  /** Settings for another replica, and the port of its webhook. */
  another(): Promise<{ settings: Settings; port: number }>
  /** Starts another replica, which stops after the suite; returns it with the port of its webhook. */
  joined(): Promise<{ dormouse: Dormouse; port: number }>
  /** Resolves once the API server calls the webhook for scalings and for updates. */
  inForce(): Promise<void>
}

interface EnforcedOptions {
  readonly writesPerSecond?: number
  /** The configuration's section `webhook.certificates`. */
  readonly certificates?: object
  readonly excludeNamespaces?: readonly string[]
  /** Further sections of the configuration. */
  readonly settings?: Settings
  /** As `Dormouse.start`. */
  readonly preload?: string
}

const LEASE = { namespace: OWN_NAMESPACE, duration: '4s', renew: '3s', retry: '1s' }

/** Dormouse with its webhook, which the API server reaches through a balancer; all is removed after the suite. */
export function enforced(
  on: () => Cluster,
  {
    writesPerSecond = 500,
    certificates = {},
    excludeNamespaces = [],
    settings = {},
    preload,
  }: EnforcedOptions = {},
): Enforced {
  let balancer: Balancer | undefined
  let port = 0
  const webhook: Record<string, unknown> = { certificates }
  const controller = { lease: LEASE, writesPerSecond }
  const api = { host: '127.0.0.1', port: 0, insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } }
  const shared = { api, newWorkloadGrace: '0s', webhook, controller, excludeNamespaces, ...settings }

  before('a balancer leads to the webhook', async () => {
    await ownNamespace(on())
    ;[port] = await freePorts(1)
    balancer = await Balancer.start()
    balancer.to([port])
    Object.assign(webhook, { port, url: balancer.url })
  })

  const here = served(on, shared, preload)

  before('the webhook is in force', async function () {
    this.timeout(120_000)
    await inForce(on(), here.namespace)
  })

  const replicas: Dormouse[] = []
  after('the webhook is removed', async function () {
    this.timeout(90_000)
    // A replica that still runs would become the leader and create the configuration again.
    for (const replica of replicas) await replica.stop()
    await withdraw(on())
    await balancer?.stop()
  })

  const another = async () => {
    const [port] = await freePorts(1)
    return { port, settings: { ...shared, webhook: { ...webhook, port } } }
  }
  return Object.defineProperties(here as Enforced, {
    balancer: { get: () => balancer },
    port: { get: () => port },
    another: { value: another },
    joined: {
      value: async () => {
        const { settings: own, port } = await another()
        const dormouse = await Dormouse.start(on(), own, preload)
        replicas.push(dormouse)
        return { dormouse, port }
      },
    },
    inForce: { value: () => inForce(on(), here.namespace) },
  })
}

/** Removes the webhook's configuration, its certificates and the Lease. */
export async function withdraw({ admin }: Cluster): Promise<void> {
  for (const path of [CONFIGURATION, SECRET, `${LEASES}/dormouse`]) await admin.send('DELETE', path)
}

export async function configuration({ admin }: Cluster): Promise<Configuration> {
  return (await admin.expect('GET', CONFIGURATION)) as unknown as Configuration
}

/** Checked by a dry run of a creation that only the webhook denies. */
export async function inForce(cluster: Cluster, namespace: string): Promise<void> {
  const bad = manifest('deployments', 'probe', { annotations: { [ANNOTATION.timezone]: 'nowhere' } })
  const collection = `/apis/apps/v1/namespaces/${namespace}/deployments`
  await eventually('scaling to fail without the webhook', async () => {
    const { webhooks } = await configuration(cluster)
    return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail')
  })
  await eventually('the webhook to be asked', async () => {
    const { status } = await cluster.admin.send('POST', `${collection}?dryRun=All`, bad)
    return status === 403
  })
}

export async function ownNamespace(cluster: Cluster): Promise<void> {
  const { status } = await cluster.admin.send('GET', `/api/v1/namespaces/${OWN_NAMESPACE}`)
  if (status === 404) await createNamespace(cluster, OWN_NAMESPACE)
}
