import { Balancer } from '../support/balancer.ts'
import type { Cluster } from '../support/cluster.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { Rule } from './rule.ts'
import { Sleepers } from './sleepers.ts'
import type { Target } from './callers.ts'
import { Wakers } from './wakers.ts'

export interface Setting {
  readonly here: Enforced
  readonly wakers: Wakers
  readonly sleepers: Sleepers
  /** SIGKILL, and a new process; resolves once it is ready. */
  killDormouse(): Promise<void>
  /** The endpoint to which kube-proxy would send a connection to this port of a Service now; undefined: nowhere. */
  target(service: string, port: string): Promise<Target | undefined>
}

/**
 * `waker`: settings of the configuration's section. Dormouse, two wakers, kube-proxy's rule and workloads whose pods answer; all is gone after the suite. */
export function setting(
  on: () => Cluster,
  rule: string,
  waker: Readonly<Record<string, unknown>> = {},
): Setting {
  const own = { enabled: true, ...waker }
  const backoff = { maxOperations: 19, window: '1s' }
  const here = enforced(on, { settings: { waker: own, backoff } })
  let api: Balancer
  let wakers: Wakers
  let sleepers: Sleepers
  let kubeProxy: Rule

  before('wakers, kube-proxy and a kubelet run', async function () {
    this.timeout(240_000)
    sleepers = new Sleepers(here)
    kubeProxy = await Rule.kubeProxy(rule, on().adminKubeconfig)
    api = await Balancer.start()
    api.to([portOf(here.api.url)])
    wakers = await Wakers.start(on(), { waker: own, api: api.url.replace('https:', 'http:') })
  })

  afterEach('shows what the wakers said of a failure, and how pods came and went', function () {
    if (this.currentTest?.state !== 'failed') return
    const pods = sleepers?.kubelet.log.slice(-30).join('\n')
    process.stderr.write(`${wakers?.lastLines()}\n${pods}\n`)
  })

  after('they are gone', async function () {
    this.timeout(120_000)
    await wakers?.stop()
    await kubeProxy?.stop()
    await sleepers?.stop()
    await api?.stop()
  })

  return {
    here,
    get wakers() {
      return wakers
    },
    get sleepers() {
      return sleepers
    },
    async killDormouse() {
      await here.dormouse.kill()
      api.to([], { cut: true })
      await here.dormouse.start()
      api.to([portOf(here.api.url)])
    },
    target: (service, port) => kubeProxy.target(here.namespace, service, port),
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
