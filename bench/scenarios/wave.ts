import { setTimeout as sleep } from 'node:timers/promises'
import { annotated } from '../../test/support/manifests.ts'
import { comingMinute } from '../../test/support/schedules.ts'
import { deployments, fill, targetOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { alternating } from '../measure/edges.ts'
import { ourWrites } from '../measure/our-writes.ts'
import { cpuOf } from '../measure/process.ts'
import { tenNights } from '../measure/ten-nights.ts'
import { mergePatches } from '../measure/patches.ts'
import { RawClient } from '../measure/raw.ts'
import { ScaleWatch } from '../measure/scale-watch.ts'
import { timedWave, type Wave } from '../measure/wave.ts'
import type { Context, Found, Scenario } from '../scenario.ts'
import { rowsOf, timeGrowth, type Waves } from './wave-rows.ts'

export const wave: Scenario = {
  name: 'wave',
  about:
    'all workloads, with 20 operations in their history, sleep or wake at one edge, beside raw clients that do the same',
  minutes: 23,
  async run(context): Promise<Found> {
    const sizes = context.workloads ?? (context.quick ? [200] : [1000, 5000])
    const found: Waves[] = []
    for (const count of sizes)
      found.push(await withCluster(context, (cluster) => waves(context, cluster, count)))
    return { rows: found.flatMap(rowsOf), growth: found.flatMap(timeGrowth) }
  },
}

/** All waves of one edge take so many times as long as the creation of as many workloads, at the most. */
const CREATIONS = 5
const ALL_DEPLOYMENTS = '/apis/apps/v1/deployments?watch=true&timeoutSeconds=7200'

async function waves({ rounds, say }: Context, cluster: BenchCluster, count: number): Promise<Waves> {
  say(`three times ${count} Deployments are created`)
  const begun = Date.now()
  await fill(cluster, { namespace: 'raw', count })
  const creation = Date.now() - begun
  const minutes = Math.ceil((10_000 + CREATIONS * creation) / 60_000)
  const { schedule, edges } = alternating(comingMinute(20_000 + 3 * creation), rounds, minutes)
  const annotations = { ...annotated(schedule), ...tenNights(3, Date.now()) }
  await fill(cluster, { namespace: 'ours', count, annotations })
  await fill(cluster, { namespace: 'bytes', count, annotations })
  // Dormouse leaves the comparisons' namespaces alone.
  const settings = { excludeNamespaces: ['raw', 'bytes'] }
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig, settings })
  const raw = await RawClient.connect(cluster.admin)
  const bytes = await RawClient.connect({ ...(await targetOf(cluster.kubeconfig)), watch: ALL_DEPLOYMENTS })
  const open = (namespace: string) => ScaleWatch.open(cluster.admin, deployments(namespace))
  const watches = { ours: await open('ours'), raw: await open('raw'), bytes: await open('bytes') }
  const found = {
    count,
    ours: [] as Wave[],
    raw: [] as Wave[],
    bytes: [] as Wave[],
    meanwhile: [] as number[],
  }
  const from = new Date(edges[0]?.at ?? 0).toISOString().slice(11, 16)
  say(`${edges.length} edges, one in ${minutes} min, from ${from} UTC on`)
  try {
    for (const { at: edge, direction } of edges) {
      if (Date.now() > edge)
        throw new Error('the clients took so long that an edge has passed: run fewer workloads')
      const timed = { count, direction, apiCpu: cluster.cpu }
      found.ours.push(await timedWave({ ...timed, watch: watches.ours, pid: dormouse.pid, edge }))
      await sleep(1000)
      const before = await cpuOf(dormouse.pid)
      const patches = mergePatches('raw', count, direction)
      const actRaw = () => raw.send({ requests: patches, inFlight: 32 })
      found.raw.push(await timedWave({ ...timed, watch: watches.raw, pid: raw.pid, act: actRaw }))
      found.meanwhile.push(((await cpuOf(dormouse.pid)) - before) / count)
      const requests = await ourWrites(cluster.plane.admin, 'bytes', Date.now())
      await sleep(1000)
      const actBytes = () => bytes.send({ requests, inFlight: 32 })
      found.bytes.push(await timedWave({ ...timed, watch: watches.bytes, pid: bytes.pid, act: actBytes }))
      say(told(found))
    }
  } finally {
    raw.stop()
    bytes.stop()
    for (const watch of Object.values(watches)) await watch.close()
    await dormouse.stop()
  }
  return found
}

function told({ ours, raw, bytes }: Waves): string {
  const seconds = (waves: readonly Wave[]) => {
    const { first, last } = waves.at(-1) ?? { first: Number.NaN, last: Number.NaN }
    return `${((last - first) / 1000).toFixed(2)} s`
  }
  const { direction, first, restMemory, peakMemory } = ours.at(-1) ?? {}
  return (
    `${direction}: ${seconds(ours)} from ${first?.toFixed(0)} ms after the edge, ${restMemory?.toFixed(0)} MB and ` +
    `at most ${peakMemory?.toFixed(0)}; raw client ${seconds(raw)}, with our bytes ${seconds(bytes)}`
  )
}
