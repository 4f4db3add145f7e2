import type { AuthSettings } from '../service/auth/ports.ts'
import type { ConfiguredCalendars } from '../service/calendars/configured-calendars.ts'
import type { Clock } from '../process/clock.ts'
import { excludedNamespaces, type Config } from '../service/config/config.ts'
import type { OneTimeSignIn } from '../console/console.ts'
import { teamOf, type Accounting } from '../domain/records/saved.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'
import { Identity } from '../kubernetes/identity.ts'
import type { KubeConfigSource } from '../kubernetes/kube-config.ts'
import type { Probing } from '../kubernetes/registration/proof.ts'
import type { Logger } from '../process/logger.ts'
import { SeenRelease } from '../service/leadership/seen-release.ts'
import { Evaluations } from '../service/evaluating/evaluations.ts'
import { WakeWaits } from '../service/evaluating/wake-waits.ts'
import { Metrics } from '../service/metrics/metrics.ts'
import { calendarsOf } from './calendars.ts'
import { clusterClients, type ClusterClients } from './cluster-clients.ts'
import { followInputs } from './inputs.ts'
import { homeNamespace } from './lease.ts'
import { rulesOf } from './settings.ts'
import { followKeys, stateKeysOf, type KeptKeys } from './state-keys.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly kubeconfig: KubeConfigSource
  /** The program's version; undefined: clients do not get one. */
  readonly version?: string | undefined
  /** Dormouse's own namespace, which it never touches; undefined: it runs outside a cluster. */
  readonly ownNamespace: string | undefined
  /** Overrides the configuration's `auth.local`: the sandbox makes its key as it starts. */
  readonly local?: AuthSettings['local']
  /** Signs in the browser that opens the console by this link; only on loopback. */
  readonly signIn?: OneTimeSignIn
  /** Serve HTTPS, and the webhook unless the configuration switches it off; without it: plain HTTP alone. */
  readonly https: boolean
  /** The API server runs on this machine: without a `webhook.url` it calls the webhook where that listens. */
  readonly atLoopback?: boolean
  readonly metricsHost: string
  /** When the leader tests whether the API server reaches the webhook; undefined: every five minutes. */
  readonly probing?: Probing
  readonly clock: Clock
  readonly logger: Logger
}

/** The parts and settings that all parts of the service share. */
export interface Wiring extends ServiceOptions {
  readonly rules: Rules
  readonly accounting: Accounting
  readonly calendars: ConfiguredCalendars
  readonly release: SeenRelease
  readonly excludeNamespaces: readonly string[]
  readonly evaluations: Evaluations
  readonly metrics: Metrics
  readonly cluster: ClusterClients
  /** Our own user at the API server. */
  readonly identity: Identity
  /** The namespace of the Lease and the certificates' Secret. */
  readonly namespace: string
  /** undefined: states are not signed. */
  readonly stateKeys: KeptKeys | undefined
  /** The Service that the API server calls the webhook by; undefined: we run outside a cluster. */
  readonly service: { readonly name: string; readonly namespace: string } | undefined
}

/**
 * Milliseconds that the start waits for calendar files: one may take 30 s, and no webhook would answer meanwhile. The
 * largest takes a few seconds; users of a slower one are left alone until it is read.
 */
const CALENDARS_PATIENCE = 10_000

/** @throws Error when no usable kubeconfig is found */
export function wire(options: ServiceOptions): Wiring {
  const { config, ownNamespace, clock, logger } = options
  const release = new SeenRelease()
  const calendars = calendarsOf(config, clock, logger, CALENDARS_PATIENCE)
  const rules: Rules = rulesOf(config, {
    namespaceOf: (name) => cluster.namespaces.get(name),
    calendars,
    waitOf: (...decided) => waits.of(...decided),
    released: () => release.mark,
    scaledObjects: (workload) => cluster.keda?.informer.ofTarget(workload) ?? [],
    podOwnerOf: (workload) => cluster.informer.podOwnerOf(workload),
    keyring: () => stateKeys?.keys.keyring,
  })
  const excludeNamespaces = excludedNamespaces(config, ownNamespace)
  const { perWorkload, teamLabel } = config.metrics
  const accounting: Accounting = {
    prices: config.savings.prices,
    teamOf:
      teamLabel === null
        ? undefined
        : (workload) => teamOf(teamLabel, workload, cluster.namespaces.get(workload.namespace)),
  }
  const evaluations: Evaluations = new Evaluations({
    workloads: { get: (key) => cluster.informer.get(key), list: () => cluster.informer.list() },
    rules,
    clock,
    due: (keys) => cluster.informer.inputsChanged(keys),
  })
  const metrics = new Metrics({
    evaluations,
    rules,
    clock,
    perWorkload,
    ...accounting,
    excludeNamespaces,
    processMetrics: true,
  })
  const cluster: ClusterClients = clusterClients({ ...options, observer: metrics.kubernetes })
  const { client, informer, namespaces } = cluster
  const released = (keys: readonly WorkloadKey[]) => informer.inputsChanged(keys)
  const waits = new WakeWaits({ workloads: informer, evaluations, clock, released }, config.wakeOrderTimeout)
  // These two first, in this order: later listeners ask for decisions and wake waits.
  informer.onChange((before, after) => evaluations.changed(before, after))
  informer.onChange((before, after) => waits.changed(before, after))
  metrics.followWaiting(() => waits.waiting)
  informer.onChange((before, after) => metrics.workloads.changed(before, after))
  metrics.kubernetes.follow({
    get watches() {
      return [...informer.watches, { kind: 'namespaces' as const, connected: namespaces.connected }]
    },
  })
  metrics.followCalendars(() => calendars.readable())
  followInputs({
    informer,
    namespaces,
    calendars,
    release,
    scaledObjects: cluster.keda?.informer,
    rules,
    teamLabel,
  })
  const identity = new Identity(client, logger)
  const namespace = homeNamespace({ config, cluster, ownNamespace })
  const stateKeys = stateKeysOf({ config, cluster, namespace, clock, logger })
  if (stateKeys) followKeys(stateKeys, informer)
  const service =
    ownNamespace === undefined ? undefined : { name: config.webhook.service, namespace: ownNamespace }
  return {
    ...options,
    rules,
    accounting,
    calendars,
    release,
    excludeNamespaces,
    evaluations,
    metrics,
    cluster,
    identity,
    namespace,
    stateKeys,
    service,
  }
}
