import { Agent, request } from 'undici'
import { freePorts } from '../control-plane/ports.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { behind } from '../faults/through-faults.ts'
import { Dormouse, type LogLine, type Settings } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'

const PRELOAD = new URL('footprint-on-signal.ts', import.meta.url).href

/** The program's memory and handles, after a garbage collection. */
export interface Footprint {
  readonly heap: number
  readonly rss: number
  /** Without the connections that the program opened itself. */
  readonly descriptors: number
}

/** One of the program's ports, and an ordinary client's request there. */
export interface Port {
  readonly url: string
  readonly ask: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }
  /** The status that it is answered with. */
  readonly answer: number
}

export type PortName = 'api' | 'apiWithoutTls' | 'webhook' | 'metrics'

/** `dormouse serve` on the sandbox, with all its ports and the limits that it has by default. */
export class Stage {
  readonly cluster: StartedCluster
  /** Between the two. */
  readonly proxy: FaultProxy
  readonly dormouse: Dormouse
  readonly ports: Readonly<Record<PortName, Port>>
  readonly #client = new Agent({ connect: { rejectUnauthorized: false } })
  readonly #authorization: string

  private constructor(
    cluster: StartedCluster,
    proxy: FaultProxy,
    dormouse: Dormouse,
    urls: Record<PortName, string>,
    token: string,
  ) {
    this.cluster = cluster
    this.proxy = proxy
    this.dormouse = dormouse
    const list = { ask: { method: 'GET', path: '/api/v1/workloads' }, answer: 200 } as const
    this.ports = {
      api: { url: urls.api, ...list },
      apiWithoutTls: { url: urls.apiWithoutTls, ...list },
      webhook: {
        url: urls.webhook,
        ask: { method: 'POST', path: '/webhook/scale', body: '{}' },
        answer: 400,
      },
      metrics: { url: urls.metrics, ask: { method: 'GET', path: '/healthz' }, answer: 200 },
    }
    this.#authorization = `Bearer ${token}`
  }

  static async start(settings: Settings = {}): Promise<Stage> {
    const cluster = await startSandboxCluster()
    const [api, webhook] = await freePorts(2)
    const on = (port: number) => `https://127.0.0.1:${port}`
    const proxy = await FaultProxy.before(cluster.dormouseKubeconfig)
    const dormouse = await Dormouse.start(
      behind(proxy, cluster),
      {
        newWorkloadGrace: '0s',
        webhook: { port: webhook, url: on(webhook) },
        ...settings,
        api: {
          host: '127.0.0.1',
          port: api,
          insecurePort: 0,
          ...(settings['api'] as object | undefined),
        },
      },
      PRELOAD,
    )
    const urls = {
      api: on(api),
      apiWithoutTls: dormouse.api.url,
      webhook: on(webhook),
      metrics: dormouse.metricsUrl,
    }
    return new Stage(cluster, proxy, dormouse, urls, await dormouse.tokens.token({ subject: 'ordinary' }))
  }

  /** An ordinary request on a connection of its own. @throws Error unless it is answered as it should be */
  async visit(name: PortName): Promise<void> {
    const { url, ask, answer } = this.ports[name]
    const { statusCode, body } = await request(url + ask.path, {
      method: ask.method,
      ...(ask.body !== undefined && { body: ask.body }),
      headers: { authorization: this.#authorization },
      dispatcher: this.#client,
      reset: true,
    })
    const text = await body.text()
    if (statusCode !== answer) throw new Error(`${ask.method} ${url}${ask.path}: ${statusCode} ${text}`)
  }

  token(subject: string): Promise<string> {
    return this.dormouse.tokens.token({ subject })
  }

  async footprint(): Promise<Footprint> {
    const before = this.#footprints().length
    process.kill(this.dormouse.pid, 'SIGUSR2')
    return await eventually('the footprint', () => this.#footprints()[before] as Footprint | undefined)
  }

  /**
   * Once no more descriptors are open than `before`, give or take a few connections of the API server, and the heap has at most
   * `more` bytes more: the last connections that close hold what they had to send.
   */
  async settled(before: Footprint, timeout?: number, more = Infinity): Promise<Footprint> {
    return await eventually(
      'all connections to be closed',
      async () => {
        const now = await this.footprint()
        if (now.descriptors <= before.descriptors + 5 && now.heap < before.heap + more) return now
        throw new Error(`it has ${shown(now)}, and had ${shown(before)}`)
      },
      { pause: 250, ...(timeout !== undefined && { timeout }) },
    )
  }

  async stop(): Promise<void> {
    await this.#client.destroy()
    await this.dormouse.stop()
    await this.proxy.stop()
    await this.cluster.stop()
  }

  #footprints(): (LogLine | Footprint)[] {
    return this.dormouse.log.filter(({ msg }) => msg === 'footprint')
  }
}

/** In MB (of 1,000,000 bytes). */
export function shown({ heap, rss, descriptors }: Footprint): string {
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  return `RSS ${mb(rss)}, heap ${mb(heap)}, ${descriptors} descriptors`
}
