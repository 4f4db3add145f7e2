import { SCALED_OBJECTS } from '../domain/autoscaling/scaled-object.ts'
import type { Instant } from '../process/clock.ts'
import { excludedNamespaces } from '../service/config/config.ts'
import { forecast, type Forecast } from '../domain/records/forecast.ts'
import type { Calendars } from '../domain/schedule/calendar.ts'
import { KINDS } from '../domain/kinds.ts'
import { findApiExtensions } from '../kubernetes/api-extensions.ts'
import { ownRights, type OwnRights } from '../kubernetes/own-rights.ts'
import { ListedCluster, type CommandOptions } from './command-cluster.ts'
import { rulesOf } from './settings.ts'

const NO_KEDA =
  "KEDA's ScaledObjects: workloads that others hold by pausing one are foretold as if they did not (the account needs " +
  'list and watch of them)'

interface CheckOptions extends CommandOptions {
  readonly calendars: Calendars
}

/** The effect of a configuration on a cluster, and the checks that were not possible. */
export interface ClusterForecast extends Forecast, OwnRights {
  readonly at: Instant
  readonly unseen: readonly string[]
}

/** Forecasts the effect of a configuration on a cluster. Read-only. */
export class ClusterCheck {
  readonly cluster: ListedCluster
  readonly #options: CheckOptions

  /** @throws Error when no usable kubeconfig is found */
  constructor(options: CheckOptions) {
    this.#options = options
    this.cluster = new ListedCluster(options)
  }

  /** `time`: the one that is foretold; undefined: now. @throws Error when workloads or Namespaces cannot be listed */
  async forecast(time?: Instant): Promise<ClusterForecast> {
    const { config, calendars, clock, stop } = this.#options
    const { client, configured } = this.cluster.connection
    const { informer, namespaces, companions } = this.cluster.informers
    await this.cluster.list({ also: [namespaces], partly: true })
    if (!namespaces.synced)
      throw new Error('the account needs the rights list and watch of namespaces: the warnings above say why')
    const { needed, ownNamespace, unseen } = await findApiExtensions(client, configured, stop)
    const own = this.#options.ownNamespace ?? ownNamespace
    const rules = rulesOf(config, {
      namespaceOf: (name) => namespaces.get(name),
      calendars,
      scaledObjects: (workload) => companions.of(SCALED_OBJECTS.resource, workload),
      podOwnerOf: (workload) => informer.podOwnerOf(workload),
    })
    const seen = {
      workloads: informer.list(),
      namespaces: namespaces.list(),
      excluded: new Set(excludedNamespaces(config, own)),
      needed,
      policies: config.policies.map(({ name }) => name),
    }
    const now = clock()
    const at = time ?? now
    const faults = configured.kinds.flatMap((kind) => informer.faultOf(kind) ?? [])
    const beside = companions.rows.flatMap(({ row, fault }) =>
      fault === undefined ? [] : row === SCALED_OBJECTS ? NO_KEDA : fault,
    )
    const paused = companions.rows.flatMap(({ row }) =>
      row.pause && companions.isPresent(row.resource) ? row.resource : [],
    )
    return {
      at,
      ...(await ownRights(client, [...KINDS, ...configured.kinds], paused, config.waker.enabled, stop)),
      ...forecast(seen, now, rules, { at, prices: config.savings.prices }),
      unseen: [...faults, ...unseen, ...beside],
    }
  }
}
