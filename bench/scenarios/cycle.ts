import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import { annotated } from '../../test/support/manifests.ts'
import { awakeNow, comingMinute } from '../../test/support/schedules.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { deployments, fill, namesOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { alternating } from '../measure/edges.ts'
import { mergePatches } from '../measure/patches.ts'
import { RawClient, sendOnce, type Sent } from '../measure/raw.ts'
import { ScaleWatch } from '../measure/scale-watch.ts'
import { timedWave, type Wave } from '../measure/wave.ts'
import { median } from '../report/figures.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const cycle: Scenario = {
  name: 'cycle',
  about: "the API server's work for a sleep and a wake, pods and controllers included",
  minutes: 15,
  run: (context) => withCluster(context, (cluster) => cycles(context, cluster), { nodes: 3 }),
}

const REPLICAS = 2
/** Twice so many pods come or go from one edge to the next, a minute later. */
const PODS_A_MINUTE = 500
/** Milliseconds without an event of a Deployment after which its pods have followed. */
const QUIET = 5000

async function cycles({ quick, rounds, workloads, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = workloads?.[0] ?? (quick ? 20 : 250)
  say(`twice ${count} Deployments of ${REPLICAS} pods are created`)
  await fill(cluster, { namespace: 'raw', count, replicas: REPLICAS })
  await fill(cluster, { namespace: 'ours', count, replicas: REPLICAS, annotations: annotated(awakeNow()) })
  for (const namespace of ['raw', 'ours']) await settled(cluster, namespace, count)
  const settings = { excludeNamespaces: ['raw'] }
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig, settings })
  const raw = await RawClient.connect(cluster.admin)
  const watches = {
    ours: await ScaleWatch.open(cluster.admin, deployments('ours')),
    raw: await ScaleWatch.open(cluster.admin, deployments('raw')),
  }
  const found = { ours: [] as Wave[], raw: [] as Wave[] }
  try {
    // Controllers go on for a while after the last pod is ready.
    await sleep(quick ? 5000 : 30_000)
    const atRest = await restingCpu(cluster)
    const minutes = Math.ceil((count * REPLICAS) / PODS_A_MINUTE)
    const { schedule, edges } = alternating(comingMinute(10_000 + count * 10), rounds, minutes)
    await sendOnce(cluster.admin, { requests: scheduled(count, schedule), inFlight: 16 })
    say(
      `${edges.length} edges, one in ${minutes} min; at rest the API server takes ${(atRest * 100).toFixed(1)} %`,
    )
    for (const { at: edge, direction } of edges) {
      if (Date.now() > edge) throw new Error('pods took so long that an edge has passed: run fewer workloads')
      const timed = { count, direction, replicas: REPLICAS, quiet: QUIET, apiCpu: cluster.cpu }
      const beyondRest = (wave: Wave): Wave => ({
        ...wave,
        apiCpu: wave.apiCpu - (atRest * wave.lasted) / count,
      })
      const ours = await timedWave({ ...timed, watch: watches.ours, pid: dormouse.pid, edge })
      found.ours.push(beyondRest(ours))
      const requests = mergePatches('raw', count, direction, REPLICAS)
      const act = () => raw.send({ requests, inFlight: 32 })
      found.raw.push(beyondRest(await timedWave({ ...timed, watch: watches.raw, pid: raw.pid, act })))
      const [mine, theirs] = [found.ours.at(-1)?.apiCpu, found.raw.at(-1)?.apiCpu]
      say(`${direction}: ${mine?.toFixed(1)} ms a workload, raw ${theirs?.toFixed(1)} ms`)
    }
  } finally {
    raw.stop()
    for (const watch of Object.values(watches)) await watch.close()
    await dormouse.stop()
  }
  const what = `a cycle of one of ${count}, ${REPLICAS} pods each: API server's CPU`
  const reference = { name: "raw client's two patches", figure: ofCycles(found.raw) }
  return {
    rows: [{ what, figure: ofCycles(found.ours), unit: 'ms', reference, bar: { of: 'ratio', atMost: 1.25 } }],
  }
}

/** Only now: how long the pods take to come is known afterwards. */
function scheduled(count: number, schedule: string): Sent[] {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = JSON.stringify({ metadata: { annotations: { [ANNOTATION.schedule]: schedule } } })
  return namesOf(count).map((name): Sent => {
    return { method: 'PATCH', path: `${deployments('ours')}/${name}`, headers, body }
  })
}

/** The part of a core that the API server takes when nobody does anything. */
async function restingCpu({ cpu }: BenchCluster): Promise<number> {
  const [before, begun] = [await cpu(), performance.now()]
  await sleep(10_000)
  return ((await cpu()) - before) / (performance.now() - begun)
}

/** The median of a sleep and the wake after it. */
function ofCycles(waves: readonly Wave[]): number {
  const sleeps = waves.filter(({ direction }) => direction === 'sleep')
  const wakes = waves.filter(({ direction }) => direction === 'wake')
  return median(sleeps.map(({ apiCpu }, index) => apiCpu + (wakes[index]?.apiCpu ?? Number.NaN)))
}

/** Waits until all pods of a namespace are ready. */
async function settled({ plane }: BenchCluster, namespace: string, count: number): Promise<void> {
  await eventually(
    `the pods of ${namespace}`,
    async () => {
      const { items = [] } = await plane.admin.expect('GET', deployments(namespace))
      return items.filter(({ status }) => status?.['readyReplicas'] === REPLICAS).length === count
    },
    { timeout: 300_000, pause: 2000 },
  )
}
