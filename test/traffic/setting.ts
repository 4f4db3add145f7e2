import { freePorts } from '../control-plane/ports.ts'
import type { Cluster } from '../support/cluster.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { KubeProxy } from './kube-proxy.ts'
import { Sleepers } from './sleepers.ts'
import type { Target } from './callers.ts'
import { Wakers } from './wakers.ts'

export interface Setting {
  readonly here: Enforced
  readonly wakers: Wakers
  readonly sleepers: Sleepers
  /** Where kube-proxy would send a connection to this port of a Service now; undefined: nowhere. */
  target(service: string, port: string): Promise<Target | undefined>
}

const API = { host: '127.0.0.1', insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } }

/** Dormouse, two wakers, kube-proxy's rule and workloads whose pods answer; all is gone after the suite. */
export function setting(
  on: () => Cluster,
  rule: string,
  { waker = {}, settings = {} }: { waker?: Readonly<Record<string, unknown>>; settings?: object } = {},
): Setting {
  // The same after a restart: wakers are told once where it is.
  const api = { ...API, port: 0 }
  before('a port for the API', async () => {
    ;[api.port] = await freePorts(1)
  })
  const own = { enabled: true, ...waker }
  const backoff = { maxOperations: 19, window: '1s' }
  const here = enforced(on, { settings: { api, waker: own, backoff, ...settings } })
  let wakers: Wakers
  let sleepers: Sleepers
  let kubeProxy: KubeProxy

  before('wakers, kube-proxy and a kubelet run', async function () {
    this.timeout(240_000)
    sleepers = new Sleepers(here)
    kubeProxy = await KubeProxy.start(rule, on().adminKubeconfig)
    wakers = await Wakers.start(on(), { waker: own, api: () => here.api.url })
  })

  afterEach('shows what the wakers said of a failure', function () {
    if (this.currentTest?.state === 'failed') process.stderr.write(`${wakers?.lastLines()}\n`)
  })

  after('they are gone', async function () {
    this.timeout(120_000)
    await wakers?.stop()
    await kubeProxy?.stop()
    await sleepers?.stop()
  })

  return {
    here,
    get wakers() {
      return wakers
    },
    get sleepers() {
      return sleepers
    },
    async target(service, port) {
      const endpoints = await kubeProxy.endpoints(here.namespace, service, port)
      // As evenly as the kernel's rules do.
      const chosen = endpoints[Math.floor(Math.random() * endpoints.length)]
      const [address = '', number] = chosen?.split(':') ?? []
      return chosen === undefined ? undefined : { address, port: Number(number) }
    },
  }
}
