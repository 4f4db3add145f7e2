import type { EventSubject } from '../kubernetes/ports.ts'
import { otherDormouse } from '../kubernetes/registration/configuration.ts'
import { HeldWorkloads } from '../kubernetes/registration/held-workloads.ts'
import { probeWebhook } from '../kubernetes/registration/probe.ts'
import { WebhookRegistration } from '../kubernetes/registration/registration.ts'
import { StrangeNamespaces } from '../kubernetes/registration/strange-namespaces.ts'
import type { Runnable } from '../process/runnable.ts'
import type { Certificates } from './process/certificates.ts'
import type { Wiring } from './wiring.ts'
import { exemptUsers } from './webhook.ts'

/** The port of the chart's Service. */
const SERVICE_PORT = 9443

const PROVEN =
  'The API server reaches the webhook: manual scaling of pinned or overridden workloads is refused'
const UNPROVEN =
  'The API server does not reach the webhook: manual scaling is not refused; pinned workloads are put right afterwards'

interface RegistrationOptions {
  readonly certificates: Certificates
  /** The address of the webhook, once it listens. */
  readonly listensAt: () => string | undefined
  /** Whether this replica may write at this very moment. */
  readonly leads: () => boolean
}

/** Keeps the webhook configuration right while we lead; undefined: the API server has no way to call us. */
export function webhookRegistration(
  wiring: Wiring,
  { certificates: { source, authority }, listensAt, leads }: RegistrationOptions,
): Runnable | undefined {
  const { config, atLoopback = false, cluster, identity, namespace, service, ownNamespace } = wiring
  const { url: configuredUrl, failurePolicy, namespaceSelector } = config.webhook
  if (configuredUrl === null && !atLoopback && !service) return undefined
  const { informer, namespaces } = cluster
  const held = new HeldWorkloads(informer)
  const strange = new StrangeNamespaces(informer, namespaces, wiring.excludeNamespaces)
  return madeAtStart('webhook registration', () => {
    const url = configuredUrl ?? (atLoopback ? (listensAt() ?? null) : null)
    return new WebhookRegistration({
      client: cluster.client,
      logger: wiring.logger,
      mayWrite: leads,
      caBundle: () => source.caBundle,
      onCaBundle: (listener) => source.onCaBundle(listener),
      onPublished: (bundle) => authority?.published(bundle),
      onServed: (listener) => source.onChange(listener),
      onProof: (proven, why, on) => reportProof(wiring, proven, why, on),
      onOverwritten: (change, pause, on) => reportOverwritten(wiring, change, pause, on),
      probe: (signal) => probeWebhook(cluster.client, namespace, signal),
      probing: wiring.probing,
      probeNamespace: namespace,
      url,
      service: url === null && service ? { ...service, port: SERVICE_PORT } : null,
      ownNamespace: url === null ? ownNamespace : undefined,
      excludeNamespaces: wiring.excludeNamespaces,
      exemptUsers: exemptUsers(wiring),
      ownUser: identity.user,
      failurePolicy,
      namespaceSelector,
      configured: cluster.configured.fields,
      held,
      strange,
    })
  })
}

/** A part whose start throws an Error if the webhook configuration is another Dormouse's: two undo each other's operations. */
export function onlyDormouse({ cluster, config, atLoopback, ownNamespace, logger }: Wiring): Runnable {
  const stopping = new AbortController()
  const { url } = config.webhook
  return {
    name: 'look for another Dormouse',
    async start() {
      if (url === null && atLoopback) return
      const ours = { namespace: ownNamespace, url }
      const other = await otherDormouse(cluster.client, ours, stopping.signal).catch((err: unknown) =>
        logger.warn({ err }, 'the webhook configuration cannot be read, so no other Dormouse is looked for'),
      )
      if (other !== undefined)
        throw new Error(
          `another Dormouse runs in this cluster: the MutatingWebhookConfiguration dormouse ${other}. Stop one of the ` +
            'two; if no other runs, `kubectl delete mutatingwebhookconfiguration dormouse`, and start again',
        )
    },
    stop: async () => stopping.abort(),
  }
}

/** Reports as metric, log line and Event whether the API server reaches the webhook. */
function reportProof(
  { cluster, logger, metrics }: Wiring,
  proven: boolean,
  why: string,
  on: EventSubject,
): void {
  metrics.webhook.proven(proven)
  logger[proven ? 'info' : 'warn']({ why }, proven ? PROVEN : UNPROVEN)
  if (proven) cluster.recorder.record(on, 'Normal', 'WebhookProven', PROVEN)
  else cluster.recorder.record(on, 'Warning', 'WebhookUnproven', `${UNPROVEN}: ${why}`)
}

/** Reports by Event and log line that another writer keeps overwriting the webhook configuration. */
function reportOverwritten(
  { cluster, logger }: Wiring,
  change: string,
  pause: number,
  on: EventSubject,
): void {
  const message =
    `It ${change} again and again, and is put right ever more seldom: ` +
    'does a second Dormouse run, or does a sync overwrite it?'
  logger.warn({ restSeconds: pause / 1000 }, `the webhook configuration: ${message}`)
  cluster.recorder.record(on, 'Warning', 'OtherWriter', message)
}

/** A part that is created at each start, because our URL and our user are known only then. */
function madeAtStart(name: string, make: () => Runnable): Runnable {
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
