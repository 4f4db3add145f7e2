import { SCALED_OBJECTS } from '../domain/autoscaling/scaled-object.ts'
import type { AuthSettings } from '../service/auth/ports.ts'
import type { ConfiguredCalendars } from '../service/calendars/configured-calendars.ts'
import { excludedNamespaces, type Config } from '../service/config/config.ts'
import type { OneTimeSignIn } from '../console/console.ts'
import { teamOf, type Accounting } from '../domain/records/saved.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { isManaged } from '../domain/workload/settings.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'
import { EventRecorder } from '../kubernetes/events.ts'
import { Identity } from '../kubernetes/identity.ts'
import { TRAFFIC_RESOURCES } from '../kubernetes/traffic-informer.ts'
import type { Probing } from '../kubernetes/registration/proof.ts'
import { SeenRelease } from '../service/leadership/seen-release.ts'
import { Evaluations } from '../service/evaluating/evaluations.ts'
import { OrderWaits } from '../service/evaluating/order-waits.ts'
import { Metrics } from '../service/metrics/metrics.ts'
import { calendarsOf } from './calendars.ts'
import { followInputs } from './inputs.ts'
import type { Connection } from './process/connection.ts'
import { processOf, type Process, type ProcessOptions } from './process/process.ts'
import { rulesOf } from './settings.ts'
import { followKeys, stateKeysOf, type KeptKeys } from './state-keys.ts'
import { trafficOf, type Traffic } from './traffic.ts'
import { informersOf, writersOf, type Informers, type Writers } from './workload-clients.ts'

export interface ServiceOptions extends ProcessOptions {
  /** The program's version; undefined: clients do not get one. */
  readonly version?: string | undefined
  /** Overrides the configuration's `auth.local`: the sandbox makes its key as it starts. */
  readonly local?: AuthSettings['local']
  /** Signs in the browser that opens the console by this link; only on loopback. */
  readonly signIn?: OneTimeSignIn
  /** Serve HTTPS, and the webhook unless the configuration switches it off; without it: plain HTTP alone. */
  readonly https: boolean
  /** The API server runs on this machine: without a `webhook.url` it calls the webhook where that listens. */
  readonly atLoopback?: boolean
  /** When the leader tests whether the API server reaches the webhook; undefined: every five minutes. */
  readonly probing?: Probing
}

/** The service over workloads: its process and the parts that it adds, which all share. */
export interface Wiring extends Process, ServiceOptions {
  readonly rules: Rules
  readonly accounting: Accounting
  readonly calendars: ConfiguredCalendars
  readonly release: SeenRelease
  readonly excludeNamespaces: readonly string[]
  readonly evaluations: Evaluations
  readonly metrics: Metrics
  readonly cluster: Connection & Informers & Writers & { readonly recorder: EventRecorder }
  /** undefined: nothing wakes on traffic. */
  readonly traffic: Traffic | undefined
  /** Our own user at the API server. */
  readonly identity: Identity
  /** undefined: states are not signed. */
  readonly stateKeys: KeptKeys | undefined
}

/**
 * Milliseconds that the start waits for calendar files: one may take 30 s, and no webhook would answer meanwhile. The
 * largest takes a few seconds; users of a slower one are left alone until it is read.
 */
const CALENDARS_PATIENCE = 10_000

/** @throws Error when no usable kubeconfig is found */
export function wire(options: ServiceOptions): Wiring {
  const process = processOf(options)
  const { config, ownNamespace, clock, logger, cluster: connection, registry } = process
  const observed = { observer: registry.kubernetes, clock, logger }
  const informers = informersOf(connection, {
    config,
    ...observed,
    keepsWhole: (workload) => isManaged(workload, rules),
  })
  const { informer, namespaces, companions } = informers
  const release = new SeenRelease()
  const calendars = calendarsOf(config, clock, logger, CALENDARS_PATIENCE)
  const stateKeys = stateKeysOf(process)
  const rules: Rules = rulesOf(config, {
    namespaceOf: (name) => namespaces.get(name),
    calendars,
    waitOf: (...decided) => waits.of(...decided),
    released: () => release.mark,
    scaledObjects: (workload) => companions.of(SCALED_OBJECTS.resource, workload),
    busyBeside: (workload) => companions.busyBeside(workload),
    faultBeside: (workload) => companions.faultBeside(workload),
    trafficFaultOf: (workload) => traffic?.faultOf(workload),
    podOwnerOf: (workload) => informer.podOwnerOf(workload),
    keyring: () => stateKeys?.keys.keyring,
  })
  const due = (keys: Iterable<WorkloadKey>) => informer.inputsChanged(keys)
  const evaluations = new Evaluations({ workloads: informer, rules, clock, due })
  const waits = new OrderWaits(
    { workloads: informer, evaluations, clock, released: due },
    config.wakeOrderTimeout,
  )
  const excludeNamespaces = excludedNamespaces(config, ownNamespace)
  const writers = writersOf(connection, informers, config)
  const traffic = trafficOf({ ...process, excludeNamespaces, gate: writers.gate, due })
  const accounting = accountingOf(config, namespaces)
  const metrics = new Metrics(registry, {
    evaluations,
    rules,
    clock,
    perWorkload: config.metrics.perWorkload,
    ...accounting,
    excludeNamespaces,
    calendars: () => calendars.readable(),
    slices: () => traffic?.informer.standing ?? 0,
    wakers: () => traffic?.informer.wakers.length,
    waiting: (type) => waits.waiting(type),
  })
  // These two first, in this order: later listeners ask for decisions and wake waits.
  informer.onChange((before, after) => evaluations.changed(before, after))
  informer.onChange((before, after) => waits.changed(before, after))
  informer.onChange((before, after) => metrics.workloads.changed(before, after))
  registry.kubernetes.follow({
    get watches() {
      const { connected } = namespaces
      return [
        ...informer.watches,
        { kind: 'namespaces' as const, connected },
        ...companions.watches,
        ...(traffic?.informer.watches ?? []),
      ]
    },
    whileLeading: traffic ? TRAFFIC_RESOURCES : [],
  })
  const { teamLabel } = config.metrics
  followInputs({ informer, namespaces, calendars, release, companions, rules, teamLabel })
  if (stateKeys) followKeys(stateKeys, informer)
  const recorder = new EventRecorder({ client: connection.client, ...observed })
  return {
    ...options,
    ...process,
    rules,
    accounting,
    calendars,
    release,
    excludeNamespaces,
    evaluations,
    metrics,
    cluster: { ...connection, ...informers, ...writers, recorder },
    traffic,
    identity: new Identity(connection.client, logger),
    stateKeys,
  }
}

function accountingOf(
  { metrics: { teamLabel }, savings }: Config,
  namespaces: Informers['namespaces'],
): Accounting {
  return {
    prices: savings.prices,
    teamOf:
      teamLabel === null
        ? undefined
        : (workload) => teamOf(teamLabel, workload, namespaces.get(workload.namespace)),
  }
}
