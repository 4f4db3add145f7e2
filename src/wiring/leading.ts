import { Controller } from '../service/controller/controller.ts'
import type { Pauser, Recorder, SliceWriting, Writer } from '../kubernetes/ports.ts'
import { Refusal } from '../process/errors.ts'
import type { LeadershipObserver } from '../service/leadership/ports.ts'
import { LeaderElection } from '../service/leadership/leader-election.ts'
import type { Runnable } from '../process/runnable.ts'
import type { Wiring } from './wiring.ts'
import { eventsForPeople } from './events-for-people.ts'
import { electionSettings } from './lease.ts'
import type { Webhook } from './webhook.ts'

/** Milliseconds. */
const LONGEST_STOP = 2000

/** The controller: runs only while this replica leads, and writes nothing once `leads` returns false. */
export function controllerOf(wiring: Wiring, webhook: Webhook | undefined, leads: () => boolean): Controller {
  const { config, cluster, evaluations, rules, clock, logger, metrics, excludeNamespaces, traffic } = wiring
  const { concurrency, writesPerWorkload, lease } = config.controller
  return new Controller(
    {
      workloads: cluster.informer,
      namespaces: cluster.namespaces,
      evaluations,
      writer: writerWhile(leads, cluster.patcher),
      pace: cluster.gate,
      scalings: webhook?.scalings,
      pausing: { companions: cluster.companions, pauser: pauserWhile(leads, cluster.pauser) },
      slicing: traffic && { ...traffic.slicing, writer: slicesWhile(leads, traffic.slicing.writer) },
      recorder: recorderWhile(leads, eventsForPeople(cluster.recorder, rules, clock)),
      observer: metrics.controller,
      clock,
      logger,
    },
    rules,
    {
      concurrency,
      writesPerWorkload,
      excludeNamespaces: new Set(excludeNamespaces),
      // Stopped before another replica can begin to lead.
      stopWithin: Math.min(LONGEST_STOP, (lease.duration - lease.renew) / 2),
    },
  )
}

/**
 * A suspended process that goes on has changes to read and timers that are over, before it learns that another replica
 * leads: so each write asks.
 */
function writerWhile(leads: () => boolean, writer: Writer): Writer {
  return {
    write: (key, plan, options) =>
      writer.write(
        key,
        (workload) => {
          if (!leads()) throw notRenewed()
          return plan(workload)
        },
        options,
      ),
  }
}

function pauserWhile(leads: () => boolean, pauser: Pauser): Pauser {
  return {
    async pause(...write) {
      if (!leads()) throw notRenewed()
      await pauser.pause(...write)
    },
  }
}

function slicesWhile(leads: () => boolean, writer: SliceWriting): SliceWriting {
  const only =
    <Written extends unknown[]>(write: (...written: Written) => Promise<void>) =>
    async (...written: Written) => {
      if (!leads()) throw notRenewed()
      await write(...written)
    }
  return {
    create: only((...written) => writer.create(...written)),
    replace: only((...written) => writer.replace(...written)),
    remove: only((...written) => writer.remove(...written)),
  }
}

function notRenewed(): Refusal {
  return new Refusal('CLUSTER_UNAVAILABLE', 'the Lease was not renewed in time')
}

/** The former leader has reported the changes up to now. */
function recorderWhile(leads: () => boolean, recorder: Recorder): Recorder {
  return {
    record(...event) {
      if (leads()) recorder.record(...event)
    },
  }
}

/** Runs `leading` while this replica holds the Lease. */
export function electionOf(wiring: Wiring, leading: readonly Runnable[]): LeaderElection {
  const { clock, logger, metrics, release } = wiring
  const observer: LeadershipObserver = {
    lead: (is) => metrics.lead(is),
    released: (mark) => {
      metrics.released(mark !== undefined)
      release.seen(mark)
    },
  }
  return new LeaderElection({ ...electionSettings(wiring), clock, logger, leading, observer })
}
