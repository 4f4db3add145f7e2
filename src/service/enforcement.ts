import type { RequestListener } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Rules } from '../domain/rules.ts'
import type { Kind } from '../domain/workload.ts'
import { OneSecret } from '../kubernetes/secret.ts'
import { trim } from '../kubernetes/trim.ts'
import type { Probing } from '../kubernetes/registration/proof.ts'
import { probeWebhook } from '../kubernetes/registration/probe.ts'
import { WebhookRegistration } from '../kubernetes/registration/registration.ts'
import type { WorkloadObject } from '../kubernetes/api-object.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import { createCertificates } from '../certificates/create.ts'
import { EXEMPT_USERS } from '../webhook/exempt.ts'
import { LargeReviews } from '../webhook/large-reviews.ts'
import type { CertificateObserver } from '../certificates/ports.ts'
import type { CertificateSource } from '../certificates/source.ts'
import type { Observer } from '../webhook/ports.ts'
import { SeenScalings } from '../webhook/seen-scalings.ts'
import { createWebhook } from '../webhook/server.ts'
import type { Connection } from './connection.ts'
import { reviewThread } from './review-thread.ts'

/** The webhook's, of the Service that the chart makes. */
const SERVICE_PORT = 9443

interface EnforcementOptions {
  readonly config: Config
  readonly connection: Connection
  readonly ownNamespace: string | undefined
  /** Where the Secret and the Lease are. */
  readonly namespace: string
  /** Who we are to the cluster, once that is known. */
  readonly ownUser: () => string | undefined
  /** Where the API server finds the webhook outside a cluster, once it listens; undefined: not by a URL. */
  readonly url: (() => string | undefined) | undefined
  readonly excludeNamespaces: readonly string[]
  readonly rules: Rules
  readonly clock: Clock
  readonly logger: Logger
  /** When the way to the webhook is tried; undefined: every five minutes. */
  readonly probing?: Probing | undefined
  readonly observer: Observer & CertificateObserver & { webhookProven(proven: boolean): void }
}

/** What holds pins and overrides against people: certificates, the webhook, and its registration. */
export interface Enforcement {
  readonly certificates: CertificateSource
  /** Keeps `certificates` up to date. */
  readonly certificateKeeper: Runnable
  readonly webhook: (path: string) => RequestListener | undefined
  /** The thread of large reviews. */
  readonly large: Runnable
  /** Who the webhook let through to wake a sleeper. */
  readonly scalings: SeenScalings
  /** Only the leader runs it. undefined: there is to be no webhook, or the API server cannot find us. */
  readonly registration: Runnable | undefined
}

export function enforcementOf(options: EnforcementOptions): Enforcement {
  const { config, connection, ownNamespace, namespace, ownUser, excludeNamespaces, clock, logger, observer } =
    options
  const { mode, directory, secret, leafLifetime, caLifetime, renewAt } = config.webhook.certificates
  const { client, informer, patcher, recorder } = connection
  const service =
    ownNamespace === undefined ? undefined : { name: config.webhook.service, namespace: ownNamespace }
  const {
    source: certificates,
    keeper: certificateKeeper,
    authority,
  } = createCertificates(
    {
      mode,
      directory,
      lifetimes: { leaf: leafLifetime, ca: caLifetime, renewAt },
      service,
      url: config.webhook.url ?? (service ? null : 'https://127.0.0.1'),
    },
    { store: new OneSecret({ client, namespace, name: secret, logger }), clock, logger },
  )
  certificates.onChange(() => observer.certificateExpires(certificates.expiresAt))
  const exemptUsers = [...EXEMPT_USERS, ...config.exemptUsers]
  const large = new LargeReviews(() => reviewThread(config))
  const scalings = new SeenScalings(clock)
  const webhook = createWebhook({
    scalings,
    workloads: informer,
    live: patcher,
    large,
    trim: (kind: Kind, object: unknown) => trim(kind, object as WorkloadObject),
    rules: options.rules,
    clock,
    logger,
    observer,
    exemptUsers: new Set(exemptUsers),
    excludeNamespaces: new Set(excludeNamespaces),
    ownUser,
  })
  const registration = onceStarted('webhook registration', () => {
    const url = options.url?.() ?? null
    return new WebhookRegistration({
      client,
      logger,
      caBundle: () => certificates.caBundle,
      onCaBundle: (listener) => certificates.onCaBundle(listener),
      onPublished: (bundle) => authority?.published(bundle),
      onServed: (listener) => certificates.onChange(listener),
      onProof(proven, why, reference) {
        observer.webhookProven(proven)
        logger[proven ? 'info' : 'warn']({ why }, proven ? PROVEN : UNPROVEN)
        const { name, uid, resourceVersion } = reference
        // Events on what has no namespace lie in `default`.
        const subject = { namespace: 'default', name, uid, resourceVersion, reference }
        if (proven) recorder.record(subject, 'Normal', 'WebhookProven', PROVEN)
        else recorder.record(subject, 'Warning', 'WebhookUnproven', `${UNPROVEN}: ${why}`)
      },
      probe: (signal) => probeWebhook(client, namespace, signal),
      probing: options.probing,
      probeNamespace: namespace,
      url,
      service: url === null && service ? { ...service, port: SERVICE_PORT } : null,
      ownNamespace: url === null ? ownNamespace : undefined,
      excludeNamespaces,
      exemptUsers,
      ownUser: ownUser(),
      failurePolicy: config.webhook.failurePolicy,
    })
  })
  const isFound = config.webhook.enabled && (options.url !== undefined || service !== undefined)
  // Clients of the API alone trust the CA then, and nobody tells when they do.
  if (!config.webhook.enabled)
    certificates.onCaBundle((bundle) => void (bundle !== undefined && authority?.published(bundle)))
  return {
    certificates,
    certificateKeeper,
    webhook,
    large,
    scalings,
    registration: isFound ? registration : undefined,
  }
}

const PROVEN = 'The API server reaches the webhook: manual scaling of what is held is refused'
const UNPROVEN =
  'The API server does not reach the webhook: manual scaling is not checked, and what is held is put right afterwards'

/** Made as it starts, since what it needs is known only then; made anew each time. */
function onceStarted(name: string, make: () => Runnable): Runnable {
  let running: Runnable | undefined
  return {
    name,
    async start() {
      running = make()
      await running.start()
    },
    async stop() {
      await running?.stop()
      running = undefined
    },
  }
}
