import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { excludedNamespaces } from '../service/config/config.ts'
import type { Companion } from '../domain/companions/companion.ts'
import { keptBy } from '../domain/companions/mark.ts'
import { pauseChange } from '../domain/companions/pause.ts'
import { releaseChange } from '../domain/deciding/release.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { counted } from '../domain/text.ts'
import type { Workload } from '../domain/workload/workload.ts'
import { ClusterRefusal } from '../kubernetes/failures.ts'
import { deleteSlices } from '../kubernetes/own-slices.ts'
import { deleteWebhookConfiguration } from '../kubernetes/registration/configuration.ts'
import { starterOf, type ObjectName, type Starter } from '../kubernetes/uninstall.ts'
import { ownUsername } from '../kubernetes/identity.ts'
import { undoRelease } from '../service/leadership/lease-candidate.ts'
import { releasedIn } from '../service/leadership/release-mark.ts'
import type { Released } from '../domain/deciding/released.ts'
import { whileLeading } from '../service/leadership/while-leading.ts'
import { publishRelease } from '../kubernetes/published-settings.ts'
import { messageOf, UsageError } from '../process/errors.ts'
import { namespacesOfLeases } from '../kubernetes/lease.ts'
import { ListedCluster, type CommandOptions } from './command-cluster.ts'
import { electionSettings } from './lease.ts'
import { homeNamespace } from './process/home.ts'
import { rulesOf } from './settings.ts'
import { writersOf, type Writers } from './workload-clients.ts'

export type { ObjectName, Released, Starter }

/** So many times as often as it waits for its turn a replica that stands by reads the Lease. */
const READS = 5
/** Milliseconds between two looks at whether a replica has answered the mark. */
const LOOK = 100

/** Workloads that are written at the same time. */
const CONCURRENCY = 8

/** The workloads that carry anything of Dormouse's. */
export interface ReleasePlan {
  readonly workloads: readonly Workload[]
  /** Workloads in excluded namespaces stay as they are: the account's policy does not allow us to write them. */
  readonly excluded: readonly Workload[]
  /** By configured kind: why it cannot be managed; its sleepers stay asleep. */
  readonly unmanageable: readonly string[]
  /** Those beside workloads that Dormouse paused; among them those in excluded namespaces. */
  readonly paused: readonly Companion[]
  readonly pausedExcluded: readonly Companion[]
}

/** Called at each step of a release. */
export interface ReleaseReport {
  /** The Lease was taken from a leader; the release waits so many milliseconds, until that one has stopped. */
  leaseTaken(from: string, milliseconds: number): void
  released(workload: Workload): void
  failed(workload: Workload, error: unknown): void
  /** It goes on beside its workload. */
  unpaused(companion: Companion): void
  stillPaused(companion: Companion, error: unknown): void
  /** Every workload was tried, and so many were released. */
  finished(released: number): void
  /** The Lease is marked, so no replica leads until that is undone. */
  standsBy(service: Service): void
}

/**
 * A service beside a release: `running` has answered the mark; `silent` held the Lease, and none has answered, so it is
 * of a release that does not know marks; `none` was seen.
 */
export type Service = 'running' | 'silent' | 'none'

/**
 * Takes Dormouse off a cluster: deletes the webhook configuration, wakes every workload that Dormouse put to sleep, and
 * removes its marks from all. It leads meanwhile, so that no running service works against it.
 */
export class Release {
  /** Its workloads have to be listed before `plan` and `carryOut`. */
  readonly cluster: ListedCluster
  readonly #writers: Writers
  readonly #options: CommandOptions
  readonly #rules: Rules
  readonly #excluded: ReadonlySet<string>

  /** @throws Error when no usable kubeconfig is found */
  constructor(options: CommandOptions) {
    const { config, ownNamespace } = options
    this.#options = options
    // The marks to remove do not depend on inherited settings.
    this.#rules = rulesOf(config, { namespaceOf: () => undefined })
    this.#excluded = new Set(excludedNamespaces(config, ownNamespace))
    this.cluster = new ListedCluster(options)
    this.#writers = writersOf(this.cluster.connection, this.cluster.informers, config)
  }

  /** The starter of the Job that runs this. @throws Error when the cluster cannot be reached, or does not answer */
  async starter(job: ObjectName): Promise<Starter> {
    const { config, ownNamespace } = this.#options
    const { connection: cluster } = this.cluster
    await this.cluster.answered()
    const namespace = homeNamespace({ config, cluster, ownNamespace })
    return starterOf(cluster.client, { job, lease: { namespace, name: config.controller.lease.name } })
  }

  plan(): ReleasePlan {
    const { informer, companions } = this.cluster.informers
    const marked = [...informer.list()].filter((workload) => this.#change(workload))
    const isExcluded = ({ namespace }: Workload | Companion) => this.#excluded.has(namespace)
    const paused = [...companions.list()].filter((each) => keptBy(each) !== undefined)
    return {
      workloads: marked.filter((workload) => !isExcluded(workload)),
      excluded: marked.filter(isExcluded),
      unmanageable: informer.unmanageable,
      paused: paused.filter((companion) => !isExcluded(companion)),
      pausedExcluded: paused.filter(isExcluded),
    }
  }

  /** Which replica holds the Lease, and so stands by during a release and after it; undefined: none. */
  async holder(): Promise<string | undefined> {
    const { record } = (await (await this.#election()).lease.read(this.#options.stop)) ?? {}
    return record === undefined || record.holder === '' || releasedIn(record) ? undefined : record.holder
  }

  /** @throws Error when it was stopped, or could not release everything: run it again */
  async carryOut(report: ReleaseReport): Promise<void> {
    const { clock, logger, stop } = this.#options
    const election = await this.#election()
    const markedBy = await this.#whoWeAre()
    let wasTaken = false
    let failure: { readonly error: unknown } | undefined
    const work = async (lost: AbortSignal) => {
      failure = undefined
      await this.#releaseAll(report, lost).catch((error: unknown) => (failure = { error }))
    }
    const marking = await whileLeading({ ...election, clock, logger }, work, {
      stop,
      leaseTaken: (from, milliseconds) => {
        wasTaken = true
        report.leaseTaken(from, milliseconds)
      },
      markedBy,
    })
    if (stop.aborted) throw new Error('stopped before everything was released: run this again')
    if (marking === 'marked') {
      await this.#publish(election)
      const isRunning = await this.#isAnswered(election)
      report.standsBy(isRunning ? 'running' : wasTaken ? 'silent' : 'none')
    }
    if (failure) throw failure.error
    if (marking === 'failed')
      throw new Error('the Lease could not be marked, so a running service leads again: run this again')
  }

  /** Lets the service lead again. undefined: the cluster was not released. */
  async undo(): Promise<Released | undefined> {
    const { clock, stop: signal } = this.#options
    await this.cluster.answered()
    const undone = await undoRelease((await this.#election()).lease, { clock, signal })
    if (undone) await publishRelease(this.cluster.connection.client, undefined, signal)
    return undone
  }

  /** The mark that stands in the Lease, for people whose client asks the cluster alone. */
  async #publish({ lease }: ReturnType<typeof electionSettings>): Promise<void> {
    const { stop, logger } = this.#options
    try {
      const { record } = (await lease.read(stop)) ?? {}
      const released = record && releasedIn(record)
      if (released) await publishRelease(this.cluster.connection.client, released, stop)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'clients are not told that the cluster is released')
    }
  }

  /** Whether a replica has renewed the mark, as it does when it sees it. */
  async #isAnswered({ lease, retryPeriod }: ReturnType<typeof electionSettings>): Promise<boolean> {
    const { stop } = this.#options
    for (let waited = 0; waited < READS * retryPeriod && !stop.aborted; waited += LOOK) {
      const { record } = (await lease.read(stop).catch(() => undefined)) ?? {}
      if (record && record.renewTime !== record.acquireTime) return true
      await pause(LOOK, undefined, { signal: stop }).catch(() => undefined)
    }
    return false
  }

  /**
   * Settings of the Lease that the service holds: outside a cluster it may be in another namespace than ours.
   * @throws UsageError when several namespaces have such a Lease
   */
  async #election() {
    const { config, ownNamespace, stop } = this.#options
    const { connection: cluster } = this.cluster
    const { name, namespace } = config.controller.lease
    const found =
      namespace === null && ownNamespace === undefined
        ? await namespacesOfLeases(cluster.client, name, stop)
        : []
    if (found.length > 1)
      throw new UsageError(
        `the namespaces ${found.join(', ')} have a Lease ${name} each: name the service's one, ` +
          `DORMOUSE_CONTROLLER_LEASE_NAMESPACE=${found[0]}`,
      )
    return electionSettings({ config, cluster, ownNamespace, found: found[0] })
  }

  /** For people who read why nothing is automatic. */
  async #whoWeAre(): Promise<string> {
    const { client, credentials } = this.cluster.connection
    return ownUsername(client, this.#options.stop).catch(() => `the context ${credentials.context}`)
  }

  /**
   * The webhooks go first, since they would deny or undo the rest; if that fails, the workloads are released all the
   * same.
   */
  async #releaseAll(report: ReleaseReport, lost: AbortSignal): Promise<void> {
    const undeleted = await this.#deleteWebhooks()
    const { workloads } = this.plan()
    let failed = 0
    await pLimit(CONCURRENCY).map(workloads, async (workload) => {
      if (lost.aborted) return
      try {
        await this.#release(workload, lost)
        report.released(workload)
      } catch (error) {
        if (lost.aborted) return
        failed += 1
        report.failed(workload, error)
      }
    })
    // Only now: KEDA would otherwise decide the count before we have set it.
    const stillPaused = await this.#unpauseAll(report, lost)
    const notDeleted = await this.#deleteSlices(lost)
    if (lost.aborted) return
    report.finished(workloads.length - failed)
    if (undeleted) throw undeleted.error
    if (notDeleted) throw notDeleted.error
    if (stillPaused > 0)
      throw new Error(`${counted(stillPaused, 'object')} beside workloads stayed paused: run this again`)
    const { unseen } = this.cluster.informers.companions
    if (unseen.length > 0)
      throw new Error(
        `${unseen.join(', ')} could not be listed, so some may be paused: the warnings above say why`,
      )
    if (failed > 0) throw new Error(`${counted(failed, 'workload')} could not be released: run this again`)
  }

  /** Leaves a switched-off webhook alone: the account may lack the right to delete one. undefined: no error. */
  async #deleteWebhooks(): Promise<{ readonly error: unknown } | undefined> {
    if (!this.#options.config.webhook.enabled) return undefined
    try {
      await deleteWebhookConfiguration(this.cluster.connection.client)
      return undefined
    } catch (error) {
      return { error }
    }
  }

  /** Their pods answer again. Whoever may not look at slices, and wakes nothing on traffic, has none. undefined: no error. */
  async #deleteSlices(lost: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    const { client } = this.cluster.connection
    try {
      await deleteSlices(client, this.#excluded, lost)
      return undefined
    } catch (error) {
      const isForbidden = error instanceof ClusterRefusal && [403, 404].includes(error.status)
      return isForbidden && !this.#options.config.waker.enabled ? undefined : { error }
    }
  }

  /** Returns how many could not be written. */
  async #unpauseAll(report: ReleaseReport, lost: AbortSignal): Promise<number> {
    const { pauser } = this.#writers
    let failed = 0
    await pLimit(CONCURRENCY).map(this.plan().paused, async (companion) => {
      const change = pauseChange(companion, false)
      if (lost.aborted || !change) return
      try {
        await pauser.pause(companion, change, { signal: lost, cut: lost })
        report.unpaused(companion)
      } catch (error) {
        if (lost.aborted) return
        failed += 1
        report.stillPaused(companion, error)
      }
    })
    return failed
  }

  async #release(workload: Workload, lost: AbortSignal): Promise<void> {
    const { patcher } = this.#writers
    const plan = (seen: Workload) => ({ change: this.#change(seen) })
    const stopping = { signal: lost, cut: lost }
    const { workload: released } = await patcher.write(workload, plan, { priority: 'wake', ...stopping })
    // The write that wakes makes us the owner of spec.replicas; this one gives that up.
    if (this.#change(released))
      await patcher.write(workload, plan, { priority: 'completion', from: released, ...stopping })
  }

  #change(workload: Workload) {
    return releaseChange(workload, this.#options.clock(), this.#rules)
  }
}
