import type { Lifecycle } from '../process/lifecycle.ts'
import type { LeaderElection } from '../service/leadership/leader-election.ts'
import type { Logger } from '../process/logger.ts'
import type { MetricsServer } from '../service/metrics/metrics-server.ts'
import type { Runnable } from '../process/runnable.ts'
import { strandedIn } from '../domain/records/forecast.ts'
import { keyOf } from '../domain/workload/workload.ts'
import { overLoopback } from '../http/bound-url.ts'
import { apiOf } from './api.ts'
import { wire, type ServiceOptions, type Wiring } from './wiring.ts'
import { controllerOf, electionOf } from './leading.ts'
import { certificatesOf, type Certificates } from './process/certificates.ts'
import { healthServer } from './process/health.ts'
import { lifecycleOf, present, stoppedBy } from './process/parts.ts'
import { publishedSettings } from './published.ts'
import { readiness } from './readiness.ts'
import { clientCAOf, serversOf, type Servers } from './servers.ts'
import { keyKeeperOf } from './key-keeper.ts'
import { checkKeyFile } from './state-keys.ts'
import { onlyDormouse, webhookRegistration } from './webhook-registration.ts'
import { webhookOf } from './webhook.ts'

/** The URLs of a started service. */
export interface Addresses {
  readonly api: string
  readonly metrics: string
  readonly webhook?: string
}

/** The whole program over one cluster: makes its parts, starts them in order and stops them in reverse. */
export class Service implements Runnable {
  readonly name = 'service'
  readonly #lifecycle: Lifecycle
  readonly #servers: Servers
  readonly #health: MetricsServer

  private constructor(lifecycle: Lifecycle, servers: Servers, health: MetricsServer) {
    this.#lifecycle = lifecycle
    this.#servers = servers
    this.#health = health
  }

  /** @throws Error when the kubeconfig cannot be used; UsageError when a key file cannot be read, or settings cannot work */
  static async create(options: ServiceOptions): Promise<Service> {
    const { config, https, logger } = options
    await checkKeyFile(config)
    const wiring = wire(options)
    const { recorder, informer, namespaces, companions, transport } = wiring.cluster
    const certificates = https ? servingCertificates(wiring) : undefined
    const webhook = certificates && config.webhook.enabled ? webhookOf(wiring) : undefined
    const api = await apiOf(wiring)
    const clientCA = await clientCAOf(config)
    const servers = serversOf(wiring, { api, certificates: certificates?.source, webhook, clientCA })
    const leads = () => election.leads
    const registration =
      certificates && webhook
        ? webhookRegistration(wiring, { certificates, listensAt: () => servers.url('webhook'), leads })
        : undefined
    const controller = controllerOf(wiring, webhook, leads)
    const election: LeaderElection = electionOf(
      wiring,
      present([
        keyKeeperOf(wiring),
        registration,
        wiring.traffic?.informer,
        controller,
        publishedSettings(wiring, leads),
      ]),
    )
    const health = healthServer(wiring, () => readiness(wiring))
    const parts = [
      health,
      wiring.calendars,
      stoppedBy('evaluations', () => wiring.evaluations.stop()),
      stoppedBy('connections', () => transport.close()),
      recorder,
      certificates?.keeper,
      wiring.stateKeys?.keys,
      servers.server,
      companions,
      {
        name: informer.name,
        start: () => startWatching(wiring, logger),
        stop: async () => void (await Promise.all([informer.stop(), namespaces.stop()])),
      },
      wiring.identity,
      registration && onlyDormouse(wiring),
      config.controller.enabled ? election : undefined,
    ]
    return new Service(lifecycleOf(parts, logger), servers, health)
  }

  /**
   * Resolves when everything is ready, which needs the cluster.
   * @throws the error of the part that cannot start, once the parts before it have stopped
   */
  start(): Promise<void> {
    return this.#lifecycle.start()
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop()
  }

  /** The address that it listens at, known once it is started. */
  get bound(): Addresses {
    const webhook = this.#servers.url('webhook')
    return {
      api: this.#servers.url('api') ?? '',
      metrics: this.#health.url,
      ...(webhook === undefined ? {} : { webhook }),
    }
  }

  /** How it is reached from this machine, known once it is started. */
  get addresses(): Addresses {
    const { api, metrics, webhook } = this.bound
    return {
      api: overLoopback(api),
      metrics: overLoopback(metrics),
      ...(webhook === undefined ? {} : { webhook: overLoopback(webhook) }),
    }
  }
}

const SOME_UNWATCHED =
  'these kinds cannot be watched, so their workloads are left alone; the other kinds work. ' +
  'The warnings above say why: does the role allow list and watch?'

/** Workloads that one line of the log names. */
const MOST_NAMED = 20
const STRANDED =
  'these workloads sleep in excluded namespaces, so nothing wakes them: scale them by hand, to the count of their label ' +
  'dormouse.dev/asleep, or take the namespaces out of excludeNamespaces'

const NO_NAMESPACES =
  'the Namespaces cannot be watched, so nothing is done about any workload: what they inherit is not known. ' +
  'The warnings above say why: does the role allow list and watch of namespaces?'

async function startWatching(
  { cluster: { informer, namespaces }, excludeNamespaces }: Pick<Wiring, 'cluster' | 'excludeNamespaces'>,
  logger: Logger,
): Promise<void> {
  // First, so that each workload is read once, with its inherited settings.
  await namespaces.start()
  await informer.start()
  if (!namespaces.synced) logger.warn(NO_NAMESPACES)
  const kinds = informer.watches.filter(({ connected }) => !connected).map(({ kind }) => kind)
  if (kinds.length > 0) logger.warn({ kinds }, SOME_UNWATCHED)
  const stranded = strandedIn(informer.list(), new Set(excludeNamespaces))
  if (stranded.length > 0) {
    const workloads = stranded.slice(0, MOST_NAMED).map(keyOf)
    logger.warn({ count: stranded.length, workloads }, STRANDED)
  }
}

/** The certificates that the API and the webhook serve HTTPS by. */
function servingCertificates(wiring: Wiring): Certificates {
  const certificates = certificatesOf(wiring)
  const { source, authority } = certificates
  source.onChange(() => wiring.metrics.webhook.certificateExpires(source.expiresAt))
  // Without a webhook only clients of the API trust the CA, and nothing reports when they do: count it as published.
  if (!wiring.config.webhook.enabled)
    source.onCaBundle((bundle) => void (bundle !== undefined && authority?.published(bundle)))
  return certificates
}
