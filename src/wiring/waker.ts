import type { Config } from '../service/config/config.ts'
import { portRange } from '../domain/traffic/port-ledger.ts'
import { overLoopback } from '../http/bound-url.ts'
import { AllocatedSlices } from '../kubernetes/allocated-slices.ts'
import { ServiceEndpoints } from '../kubernetes/ready-endpoints.ts'
import { systemLater, systemMonotonic } from '../process/clock.ts'
import { delay } from '../process/delay.ts'
import { UsageError } from '../process/errors.ts'
import type { Lifecycle } from '../process/lifecycle.ts'
import type { Runnable } from '../process/runnable.ts'
import type { MetricsServer } from '../service/metrics/metrics-server.ts'
import { WakerMetrics } from './waker-metrics.ts'
import { readText } from '../process/named-file.ts'
import { isAutomatic } from '../waker/page/agents.ts'
import { pageListener } from '../waker/page/page-listener.ts'
import { BUILT_IN, readLanguages, type Languages } from '../waker/page/texts.ts'
import { KnockClient } from '../waker/knock-client.ts'
import { Waker } from '../waker/waker.ts'
import { healthServer } from './process/health.ts'
import { lifecycleOf, stoppedBy } from './process/parts.ts'
import { processOf, type ProcessOptions } from './process/process.ts'

interface WakerProcessOptions extends ProcessOptions {
  /** The addresses of this pod; empty: it runs outside a cluster. */
  readonly addresses: readonly string[]
}

/** Answers for Services that sleep, over one cluster: makes its parts, starts them in order and stops them in reverse. */
export class WakerProcess implements Runnable {
  readonly name = 'waker process'
  readonly #lifecycle: Lifecycle
  readonly #health: MetricsServer

  /**
   * @throws Error when the kubeconfig cannot be used; UsageError when settings of knocks are missing, or the texts of the
   * page cannot be read
   */
  static async create(options: WakerProcessOptions): Promise<WakerProcess> {
    return new WakerProcess(options, await textsOf(options.config))
  }

  private constructor(options: WakerProcessOptions, texts: Languages) {
    const { config, clock, logger, addresses } = options
    const client = new KnockClient(knockSettings(config))
    const { cluster, registry, ...process } = processOf(options)
    const observer = { listenerFailed: () => registry.kubernetes.listenerFailed() }
    const slices = new AllocatedSlices({ client: cluster.client, observer, logger })
    const { hold, held, heldPerService, ports, details, ignoreAgents } = config.waker
    const waker: Waker = new Waker({
      hosts: addresses.length > 0 ? addresses : [config.api.host],
      ports: portRange(ports),
      addresses,
      hold,
      held,
      heldPerService,
      allocations: {
        list: () => slices.list(),
        onChange: (listener) => slices.onAllocation(listener),
      },
      follow: (service) => new ServiceEndpoints({ client: cluster.client, logger }, service),
      send: (knock, signal) => client.send(knock, signal),
      answer: pageListener({ texts, details, ignoreAgents, clock }),
      isAutomatic: (userAgent) => isAutomatic(userAgent, ignoreAgents),
      observer: new WakerMetrics(registry.own, () => waker.held),
      clock,
      monotonic: systemMonotonic,
      later: systemLater,
      delay,
      logger,
    })
    this.#health = healthServer({ ...process, cluster, registry }, () => ({
      ready: waker.missing.length === 0,
      reasons: [...waker.missing, ...(slices.connected ? [] : [UNWATCHED])],
    }))
    const connections = async () => void (await Promise.all([client.close(), cluster.transport.close()]))
    const parts = [this.#health, stoppedBy('connections', connections), slices, waker]
    this.#lifecycle = lifecycleOf(parts, logger)
  }

  /** Resolves once its ports listen, which needs the cluster. @throws the error of the part that cannot start */
  start(): Promise<void> {
    return this.#lifecycle.start()
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop()
  }

  /** How its health is reached from this machine, known once it is started. */
  get addresses(): { readonly metrics: string } {
    return { metrics: overLoopback(this.#health.url) }
  }
}

async function textsOf({ waker: { page } }: Pick<Config, 'waker'>): Promise<Languages> {
  return page === null ? BUILT_IN : readLanguages(`waker.page ${page}`, await readText('waker.page', page))
}

const UNWATCHED = 'EndpointSlices are not watched at present; the log says why'

/** @throws UsageError that names the key */
function knockSettings({
  waker: { knock },
}: Pick<Config, 'waker'>): ConstructorParameters<typeof KnockClient>[0] {
  const { url, caFile, tokenFile } = knock
  if (url === null)
    throw new UsageError('waker.knock.url: is missing: the URL of the API, as wakers reach it')
  if (tokenFile === null)
    throw new UsageError(
      'waker.knock.tokenFile: is missing: a token for Dormouse of the account waker.account',
    )
  if (!isSafe(url))
    throw new UsageError(`waker.knock.url: ${url} is no https URL: the token must not be read on its way`)
  return { url, caFile: caFile ?? undefined, tokenFile }
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname ?? ''))
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
