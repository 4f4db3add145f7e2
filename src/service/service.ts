import { createApi, type Api } from '../api/app.ts'
import { ApiServer } from '../api/server.ts'
import type { ApiDeps, AuthSettings } from '../api/ports.ts'
import type { Clock } from '../clock.ts'
import { excludedNamespaces, type Config } from '../config.ts'
import { Controller } from '../controller/controller.ts'
import { LeaderElection } from '../leadership/leader-election.ts'
import { Identity } from '../kubernetes/identity.ts'
import type { WorkloadInformer } from '../kubernetes/informer.ts'
import { AccessReviews } from '../kubernetes/reviews.ts'
import type { Probing } from '../kubernetes/registration/proof.ts'
import type { Logger } from '../logger.ts'
import { MetricsServer, type Readiness } from '../metrics/metrics-server.ts'
import { Metrics } from '../metrics/metrics.ts'
import type { Runnable } from '../runnable.ts'
import { connectionTo } from './connection.ts'
import { Lifecycle } from '../lifecycle.ts'
import { enforcementOf } from './enforcement.ts'
import { readText } from './files.ts'
import { endpointsOf, type Endpoint } from './endpoints.ts'
import { leaseOf, placeOf } from './lease.ts'
import { UsageError } from '../errors.ts'
import { rulesOf } from './rules.ts'

export interface ServiceOptions {
  readonly config: Config
  /** undefined: the default loading rules, then the in-cluster account. */
  readonly kubeconfig: string | undefined
  /** Dormouse's own namespace, which it never touches; undefined: it runs outside. */
  readonly ownNamespace: string | undefined
  /** Overrides the configuration's `local` mode: the sandbox makes its key as it starts. */
  readonly local?: AuthSettings['local']
  /** Whether there are certificates: HTTPS, and the webhook unless the configuration leaves it out. */
  readonly enforce: boolean
  /** The API server is on this machine, too: without a `webhook.url` it finds the webhook where that listens. */
  readonly atLoopback?: boolean
  readonly metricsHost: string
  /** When the leader tries the way to the webhook; undefined: every five minutes. */
  readonly probing?: Probing
  readonly clock: Clock
  readonly logger: Logger
}

/** Where a started service is to be found. */
export interface Addresses {
  readonly api: string
  readonly metrics: string
  readonly webhook?: string
}

/** The whole program over one cluster: wires the rooms, starts them in order and stops them in reverse. */
export class Service implements Runnable {
  readonly name = 'service'
  readonly #lifecycle: Lifecycle
  readonly #server: ApiServer
  readonly #endpoints: readonly Endpoint[]
  readonly #metrics: MetricsServer

  private constructor(
    lifecycle: Lifecycle,
    server: ApiServer,
    endpoints: readonly Endpoint[],
    metrics: MetricsServer,
  ) {
    this.#lifecycle = lifecycle
    this.#server = server
    this.#endpoints = endpoints
    this.#metrics = metrics
  }

  /** Rejects when the kubeconfig or a key file cannot be read. */
  static async create(options: ServiceOptions): Promise<Service> {
    const { config, clock, logger, ownNamespace } = options
    const rules = rulesOf(config)
    const { perWorkload } = config.metrics
    const excludeNamespaces = excludedNamespaces(config, ownNamespace)
    const metrics = new Metrics({ rules, clock, perWorkload, excludeNamespaces, processMetrics: true })
    const connection = connectionTo({ ...options, observer: metrics })
    const { client, informer, patcher, recorder, transport } = connection
    const identity = new Identity(client, logger)
    informer.onChange((before, after) => metrics.workloads.changed(before, after))
    metrics.follow(informer)

    const auth: AuthSettings = { ...config.auth, local: options.local ?? (await localAuth(config)) }
    const { bodyLimit, rate, trustedProxies } = config.api
    const { url: webhookUrl } = config.webhook
    const placing = { config, connection, ownNamespace }
    const lease = leaseOf(placing)
    const enforcement = options.enforce
      ? enforcementOf({
          config,
          connection,
          ownNamespace,
          namespace: placeOf(placing),
          ownUser: () => identity.user,
          url:
            webhookUrl === null && !options.atLoopback
              ? undefined
              : () => webhookUrl ?? service.addresses.webhook,
          excludeNamespaces,
          rules,
          clock,
          logger,
          observer: metrics,
          probing: options.probing,
        })
      : undefined
    const api = apiOf({
      workloads: informer,
      writer: patcher,
      reviews: new AccessReviews(client),
      rules,
      clock,
      logger,
      settings: { excludeNamespaces, bodyLimit, rate, auth, trustedProxies },
      observer: metrics,
      // all replicas serve by this key, and nobody else has it
      ...(enforcement && { secret: () => enforcement.certificates.current.key }),
    })
    const endpoints = endpointsOf(config, enforcement)
    const server = new ApiServer(
      api,
      endpoints.map(({ listener }) => listener),
      { clock, logger },
    )
    const controller = new Controller(
      {
        workloads: informer,
        writer: patcher,
        scalings: enforcement?.scalings,
        recorder,
        observer: metrics,
        clock,
        logger,
      },
      rules,
      {
        concurrency: config.controller.concurrency,
        writesPerWorkload: config.controller.writesPerWorkload,
        excludeNamespaces: new Set(excludeNamespaces),
        // At rest before another can begin.
        stopWithin: Math.min(LONGEST_STOP, (lease.leaseDuration - lease.renewDeadline) / 2),
      },
    )
    const election = new LeaderElection({
      ...lease,
      clock,
      logger,
      leading: [...(enforcement?.registration ? [enforcement.registration] : []), controller],
      observer: metrics,
    })
    const metricsServer = new MetricsServer({
      host: options.metricsHost,
      port: config.metrics.port,
      metrics,
      ready: () => readiness(informer, identity),
      logger,
    })
    const parts: Runnable[] = [
      metricsServer,
      { name: 'connections', start: () => Promise.resolve(), stop: () => transport.close() },
      recorder,
      ...(enforcement ? [enforcement.certificateKeeper] : []),
      ...(enforcement && config.webhook.enabled ? [enforcement.large] : []),
      server,
      { name: informer.name, start: () => watching(informer, logger), stop: () => informer.stop() },
      identity,
      ...(config.controller.enabled ? [election] : []),
    ]
    const service = new Service(new Lifecycle(parts), server, endpoints, metricsServer)
    return service
  }

  /** Resolves when everything is ready, which needs the cluster; what was started is stopped when it rejects. */
  async start(): Promise<void> {
    await this.#lifecycle.start()
  }

  async stop(): Promise<void> {
    await this.#lifecycle.stop()
  }

  /** Known once it is started. */
  get addresses(): Addresses {
    const { urls } = this.#server
    const at = (face: Endpoint['face']) =>
      urls[this.#endpoints.findIndex((endpoint) => endpoint.face === face)]
    const webhook = at('webhook')
    return {
      api: reachable(at('api') ?? ''),
      metrics: `http://127.0.0.1:${this.#metrics.port}`,
      ...(webhook === undefined ? {} : { webhook: reachable(webhook) }),
    }
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

const WITHOUT_SOME =
  'these kinds cannot be watched, and nothing is done about them; the others are served. ' +
  'The warnings above say why: does the role allow to list and watch them?'

async function watching(informer: WorkloadInformer, logger: Logger): Promise<void> {
  await informer.start()
  const kinds = informer.watches.filter(({ connected }) => !connected).map(({ kind }) => kind)
  if (kinds.length > 0) logger.warn({ kinds }, WITHOUT_SOME)
}

/** A kind that cannot be watched is told of, and keeps nobody from the others. */
function readiness(informer: WorkloadInformer, identity: Identity): Readiness {
  const { watches } = informer
  const listed = watches.some((each) => each.listed)
  const down = watches.filter(({ connected }) => !connected).map(({ kind }) => kind)
  const known = identity.user !== undefined
  return {
    ready: listed && known,
    reasons: [
      ...(listed ? [] : ['no workloads are listed yet']),
      ...(listed && down.length > 0
        ? [`${down.join(', ')}: not watched, so nothing is done about them; the log says why`]
        : []),
      ...(known ? [] : ['the cluster has not said yet who this is (create selfsubjectreviews)']),
    ],
  }
}

/** Milliseconds. */
const LONGEST_STOP = 2000

/** A server that listens everywhere is reached here by loopback. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
}
