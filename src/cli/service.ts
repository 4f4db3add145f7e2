import { createApi, type Api } from '../api/app.ts'
import { ApiServer } from '../api/server.ts'
import type { ApiDeps, AuthSettings, Reviews, Workloads } from '../api/ports.ts'
import type { Clock } from '../clock.ts'
import { policyOf, type Config } from '../config.ts'
import { Controller } from '../controller/controller.ts'
import type { Rules } from '../domain/rules.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'
import { KubernetesClient } from '../kubernetes/client.ts'
import { Credentials } from '../kubernetes/credentials.ts'
import { EventRecorder } from '../kubernetes/events.ts'
import { HttpTransport } from '../kubernetes/http.ts'
import { WorkloadInformer } from '../kubernetes/informer.ts'
import { WorkloadPatcher } from '../kubernetes/patcher.ts'
import { AccessReviews } from '../kubernetes/reviews.ts'
import { WriteGate } from '../kubernetes/write-gate.ts'
import type { Logger } from '../logger.ts'
import { MetricsServer, type Readiness } from '../metrics/metrics-server.ts'
import { Metrics } from '../metrics/metrics.ts'
import type { Runnable } from '../runnable.ts'
import { readText } from './files.ts'
import { UsageError } from './program.ts'

export interface ServiceOptions {
  readonly config: Config
  /** undefined: the default loading rules, then the in-cluster account. */
  readonly kubeconfig: string | undefined
  /** Dormouse's own namespace, which it never touches; undefined: it runs outside. */
  readonly ownNamespace: string | undefined
  /** Overrides the configuration's `local` mode: the sandbox makes its key as it starts. */
  readonly local?: AuthSettings['local']
  readonly metricsHost: string
  readonly clock: Clock
  readonly logger: Logger
}

/** Where a started service is to be found. */
export interface Addresses {
  readonly api: string
  readonly metrics: string
}

/** The whole program over one cluster: wires the rooms, starts them in order and stops them in reverse. */
export class Service implements Runnable {
  readonly name = 'service'
  readonly #started: Runnable[] = []
  readonly #parts: readonly Runnable[]
  readonly #api: ApiServer
  readonly #metrics: MetricsServer

  private constructor(parts: readonly Runnable[], api: ApiServer, metrics: MetricsServer) {
    this.#parts = parts
    this.#api = api
    this.#metrics = metrics
  }

  /** Rejects when the kubeconfig or a key file cannot be read. */
  static async create(options: ServiceOptions): Promise<Service> {
    const { config, clock, logger, ownNamespace } = options
    const compiler = new ScheduleCompiler()
    const rules: Rules = { policy: policyOf(config), compile: (text, zone) => compiler.compile(text, zone) }
    const { perWorkload } = config.metrics
    const metrics = new Metrics({ rules, clock, perWorkload, processMetrics: true })
    const credentials = new Credentials({ source: { file: options.kubeconfig }, log: logger })
    const transport = new HttpTransport(credentials)
    const client = new KubernetesClient({ transport, observer: metrics })
    const informer = new WorkloadInformer({ lister: client, observer: metrics, log: logger })
    const { writesPerSecond, wakesPerSecond, concurrency } = config.controller
    const gate = new WriteGate({ writesPerSecond, wakesPerSecond })
    const patcher = new WorkloadPatcher({ calls: client, copy: informer, gate })
    const recorder = new EventRecorder({ caller: client, observer: metrics, log: logger, clock })
    informer.onChange((before, after) => metrics.workloads.changed(before, after))

    const excludeNamespaces = [
      ...config.excludeNamespaces,
      ...(ownNamespace === undefined ? [] : [ownNamespace]),
    ]
    const auth: AuthSettings = { ...config.auth, local: options.local ?? (await localAuth(config)) }
    const { bodyLimit, rate, host, insecurePort } = config.api
    const api = apiOf({
      workloads: current(informer),
      writer: patcher,
      reviews: reviewsOf(new AccessReviews(client)),
      rules,
      clock,
      logger,
      settings: { excludeNamespaces, bodyLimit, rate, auth },
      observer: { request: (...answer) => metrics.http(...answer) },
    })
    const server = new ApiServer(api, [{ host, port: insecurePort ?? 0 }], { clock, logger })
    const controller = new Controller(
      { workloads: informer, writer: patcher, recorder, observer: metrics, clock, logger },
      rules,
      { concurrency, excludeNamespaces: new Set(excludeNamespaces) },
    )
    const metricsServer = new MetricsServer({
      host: options.metricsHost,
      port: config.metrics.port,
      metrics,
      ready: () => readiness(informer),
      logger,
    })
    const parts: Runnable[] = [
      metricsServer,
      { name: 'connections', start: () => Promise.resolve(), stop: () => transport.close() },
      recorder,
      server,
      informer,
      ...(config.controller.enabled ? [leading(metrics), controller] : []),
    ]
    return new Service(parts, server, metricsServer)
  }

  /** Resolves when everything is ready, which needs the cluster; what was started is stopped when it rejects. */
  async start(): Promise<void> {
    try {
      for (const part of this.#parts) {
        this.#started.push(part)
        await part.start()
      }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    for (let part = this.#started.pop(); part; part = this.#started.pop()) await part.stop()
  }

  get addresses(): Addresses {
    return { api: reachable(this.#api.url), metrics: `http://127.0.0.1:${this.#metrics.port}` }
  }
}

async function localAuth({ auth: { local } }: Config): Promise<AuthSettings['local']> {
  if (!local) return null
  const { issuer, audience, publicKeyFile } = local
  return { issuer, audience, publicKey: await readText('auth.local.publicKeyFile', publicKeyFile) }
}

/** @throws UsageError where the settings of authentication cannot work */
function apiOf(deps: ApiDeps): Api {
  try {
    return createApi(deps)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** To the API, copies count while the watches stand: without the cluster it says so instead of showing the past. */
function current(informer: WorkloadInformer): Workloads {
  return {
    get synced() {
      return informer.synced && informer.connected
    },
    get: (key) => informer.get(key),
    list: (namespace, kind) => informer.list(namespace, kind),
    onChange: (listener) => informer.onChange(listener),
  }
}

/** A user without a uid has an empty one, as in Kubernetes itself. */
function reviewsOf(reviews: AccessReviews): Reviews {
  return {
    async authenticate(token, audiences) {
      const user = await reviews.authenticate(token, audiences)
      return user && { ...user, uid: user.uid ?? '' }
    },
    authorize: (user, access) => reviews.authorize(user, access),
  }
}

function readiness(informer: WorkloadInformer): Readiness {
  return informer.synced
    ? { ready: true, reasons: [] }
    : { ready: false, reasons: ['workloads are not all listed yet'] }
}

/** The one replica leads: it tells the controller's metrics. */
function leading(metrics: Metrics): Runnable {
  const lead = (is: boolean) => {
    metrics.lead(is)
    return Promise.resolve()
  }
  return { name: 'leading', start: () => lead(true), stop: () => lead(false) }
}

/** A server that listens everywhere is reached here by loopback. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
}
