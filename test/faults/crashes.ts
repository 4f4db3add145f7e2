import type { Kind } from '../../src/domain/workload/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse } from '../support/dormouse.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import type { Called } from './called.ts'
import { comesToRest, type Scheduled, type Want } from './resting.ts'
import { behind, type ThroughFaults } from './through-faults.ts'

/** The cause of Dormouse's action, and the call at which it is killed. */
export interface Crash {
  readonly kind: Kind
  readonly by: 'request' | 'edge'
  readonly want: Want
  /** Which of the calls that it makes over the workload, from 1. */
  readonly index: number
  readonly stage: 'before' | 'after'
}

const SETTINGS = { newWorkloadGrace: '0s' }
const REPLICAS = 2
/** Milliseconds from the start of Dormouse's process until the edge; where it starts late it finds it passed. */
const LEAD = 5000
/** Milliseconds that are enough to put a workload to sleep before. */
const PREPARATION = 60_000

/**
 * Has a new workload put to sleep or woken by a Dormouse that is killed (SIGKILL) at one of its calls, and started
 * again. Resolves once the workload is at rest as wanted, after that one operation; returns the call, undefined if the
 * operation makes fewer calls. `here`: a replica that does nothing by itself.
 */
export async function survivesCrash(here: ThroughFaults, crash: Crash): Promise<string | undefined> {
  const { kind, by, want } = crash
  const name = `crash-${by}-${want}-${crash.index}-${crash.stage}`
  const edge = by === 'edge' ? comingMinute(PREPARATION) : undefined
  const workload = await prepared(here, { kind, name, want, edge })
  const clock = edge === undefined ? undefined : new ProgramClock({ offset: edge - LEAD - Date.now() })
  const starting = Promise.withResolvers<Dormouse>()
  const killing = killAt(here, crash, starting.promise)
  starting.resolve(Dormouse.start(behind(here.proxy, here.cluster), SETTINGS, clock?.preload))
  const dormouse = await starting.promise
  const ask = async () => {
    const client = dormouse.api.workload(kind, here.namespace, name)
    if (by === 'request') await (want === 'asleep' ? client.snooze() : client.wake())
  }
  const rests = () => comesToRest(here, workload, want, { operations: want === 'asleep' ? 1 : 2 })
  try {
    const over = ask().then(rests)
    // Requests to a process that is being killed fail.
    over.catch(() => {})
    const call = await Promise.race([
      killing.killed,
      over.then(
        () => killing.orNone(),
        (error: Error) => killing.orFailed(error),
      ),
    ])
    here.proxy.lift()
    if (call === undefined) return undefined
    await releaseLease(here.cluster)
    await dormouse.start()
    // The caller has got no answer, and asks again.
    await ask()
    await rests()
    return call
  } finally {
    here.proxy.lift()
    await dormouse.stop()
    clock?.remove()
    await here.cluster.admin.expect('DELETE', here.path(kind, name))
  }
}

/** A workload in the opposite state; with an `edge`, its schedule changes it then. */
async function prepared(
  here: ThroughFaults,
  { kind, name, want, edge }: { kind: Kind; name: string; want: Want; edge: number | undefined },
): Promise<Scheduled> {
  const client = await here.create(kind, name, { replicas: REPLICAS })
  const { current_replicas: count } = await client.status()
  if (edge === undefined) await client.enable()
  else await client.enable({ schedule: want === 'asleep' ? sleepsAt(edge) : wakesAt(edge) })
  if (want === 'awake') await client.snooze('?wait=60s')
  return { kind, name, count }
}

interface Killing {
  /** Resolves with the call at which it was killed. */
  readonly killed: Promise<string>
  /** undefined: it was never called so often. A slow machine may see the workload at rest before the kill. */
  orNone(): Promise<string | undefined>
  /** @throws the error, unless it was caused by the kill */
  orFailed(error: Error): Promise<string>
}

function killAt(
  { namespace, proxy }: ThroughFaults,
  { index, stage }: Crash,
  victim: Promise<Dormouse>,
): Killing {
  const { promise: killed, resolve } = Promise.withResolvers<string>()
  let calls = 0
  const run = async ({ verb, resource }: Called) => {
    calls += 1
    if (calls !== index) return
    await (await victim).kill()
    resolve(`${verb} ${resource}`)
    return 'cut'
  }
  proxy.onCall({ namespace, times: Infinity }, { type: 'hook', stage, run })
  return {
    killed,
    async orNone() {
      return calls < index ? undefined : killed
    },
    orFailed(error) {
      if (calls < index) throw error
      return killed
    },
  }
}

/** Takes the Lease from a process that was killed, which holds it still. */
export async function releaseLease({ admin }: Cluster): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1'
  const { items = [] } = await admin.expect('GET', `${leases}/leases?fieldSelector=metadata.name%3Ddormouse`)
  for (const { metadata } of items)
    await admin.expect('DELETE', `${leases}/namespaces/${String(metadata?.['namespace'])}/leases/dormouse`)
}
