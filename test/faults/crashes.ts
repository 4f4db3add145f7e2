import type { Kind } from '../../src/domain/workload.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import type { Called } from './called.ts'
import { comesToRest, type Scheduled, type Want } from './resting.ts'
import { clockBefore } from './shifted-clock.ts'
import { behind, type ThroughFaults } from './through-faults.ts'

/** What makes Dormouse act, and the call at which it is killed. */
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
/** Milliseconds from the start of Dormouse's process until the edge. */
const LEAD = 5000
/** Milliseconds that are enough to put a workload to sleep before. */
const PREPARATION = 30_000

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
  const rests = () => comesToRest(here, workload, want, { operations: want === 'asleep' ? 1 : 2 })
  const cluster = behind(here.proxy, here.cluster)
  const dormouse = await Dormouse.start(
    cluster,
    SETTINGS,
    edge === undefined ? undefined : clockBefore(edge, LEAD),
  )
  const ask = async () => {
    if (edge !== undefined) return
    const client = dormouse.api.workload(kind, here.namespace, name)
    await (want === 'asleep' ? client.snooze() : client.wake())
  }
  try {
    await eventually('it to lead', () => dormouse.log.some(({ msg }) => msg === 'this replica leads'))
    const killed = killAt(here, dormouse, crash)
    const over = ask()
      .then(rests)
      .then(() => undefined)
    // What is asked of a process that is being killed fails.
    const call = await Promise.race([
      killed.call,
      over.catch((error) => (killed.begun() ? killed.call : fail(error))),
    ])
    here.proxy.lift()
    if (call === undefined) return undefined
    await releaseLease(here)
    await dormouse.start()
    // The caller has got no answer, and asks again.
    await ask()
    await rests()
    return call
  } finally {
    await dormouse.stop()
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

/** The dead process holds it still. */
async function releaseLease({ cluster: { admin } }: ThroughFaults): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1'
  const { items = [] } = await admin.expect('GET', `${leases}/leases?fieldSelector=metadata.name%3Ddormouse`)
  for (const { metadata } of items)
    await admin.expect('DELETE', `${leases}/namespaces/${String(metadata?.['namespace'])}/leases/dormouse`)
}

function fail(error: Error): never {
  throw error
}

function killAt(
  { namespace, proxy }: ThroughFaults,
  dormouse: Dormouse,
  { index, stage }: Crash,
): { call: Promise<string>; begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<string>()
  let calls = 0
  const run = async ({ verb, resource }: Called) => {
    calls += 1
    if (calls !== index) return
    await dormouse.kill()
    resolve(`${verb} ${resource}`)
    return 'cut'
  }
  proxy.onCall({ namespace, times: Infinity }, { type: 'hook', stage, run })
  return { call: promise, begun: () => calls >= index }
}
