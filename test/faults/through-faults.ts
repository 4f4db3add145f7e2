import type { Cluster } from '../support/cluster.ts'
import type { Settings } from '../support/dormouse.ts'
import { served, type Served } from '../support/served.ts'
import { FaultProxy } from './fault-proxy.ts'

export interface ThroughFaults extends Served {
  readonly proxy: FaultProxy
}

/** The same cluster, which a Dormouse that is started on it reaches through the proxy. */
export function behind(proxy: FaultProxy, cluster: Cluster): Cluster {
  return { ...cluster, dormouseKubeconfig: proxy.kubeconfig }
}

/** As `served`, with a Dormouse that reaches the cluster through a proxy. */
export function throughFaults(on: () => Cluster, settings: Settings = {}): ThroughFaults {
  let proxy: FaultProxy | undefined
  const running = () => {
    if (!proxy) throw new TypeError('the proxy runs only within hooks and tests')
    return proxy
  }
  before('a proxy stands before the API server', async () => {
    proxy = await FaultProxy.before(on().dormouseKubeconfig)
  })
  const here = served(() => behind(running(), on()), settings)
  after('the proxy stops', () => proxy?.stop())
  return Object.defineProperties(here as ThroughFaults, { proxy: { get: running } })
}
