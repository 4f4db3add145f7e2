import { fork } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { annotated, manifest } from '../../test/support/manifests.ts'
import { comingMinute } from '../../test/support/schedules.ts'
import { answerOf } from '../measure/child.ts'
import { deployments, fill, withCluster } from '../measure/cluster.ts'
import { startDormouse, type Dormouse } from '../measure/dormouse.ts'
import { alternating, type Edge } from '../measure/edges.ts'
import { cpuOf } from '../measure/process.ts'
import type { Target } from '../measure/raw.ts'
import { ScaleWatch } from '../measure/scale-watch.ts'
import type { StandInTask } from '../measure/stand-in.ts'
import { timedWave, type Wave } from '../measure/wave.ts'
import type { Point } from '../report/results.ts'
import type { Context, Found, Scenario } from '../scenario.ts'
import { memoryGrowth, memoryRows, timeGrowth } from './wave-rows.ts'

export const memory: Scenario = {
  name: 'memory',
  about: 'memory with nothing but managed workloads, and waves and idling of very many',
  minutes: 32,
  async run(context): Promise<Found> {
    const sizes = context.workloads ?? (context.quick ? [500, 2000] : [1000, 5000, 20_000, 100_000])
    const found: Found[] = []
    for (const count of sizes) found.push(await (isReal(context, count) ? real : standIn)(context, count))
    return { rows: found.flatMap(({ rows }) => rows), growth: found.flatMap(({ growth = [] }) => growth) }
  },
}

/** A stand-in serves the numbers that the real API server takes too long to hold. */
function isReal({ quick }: Context, count: number): boolean {
  return count <= (quick ? 1000 : 50_000)
}

/** Minutes from edge to edge. */
function pause(count: number): number {
  return Math.ceil(count / 30_000)
}

/** A sleep and a wake each; more of them where they are short, since memory grows with the histories. */
function roundsOf({ quick }: Context, count: number): number {
  return quick || count > 5000 ? 1 : 3
}

function real(context: Context, count: number): Promise<Found> {
  return withCluster(context, async (cluster) => {
    context.say(`${count} Deployments are created`)
    const { schedule, edges } = alternating(
      comingMinute(45_000 + count * 15),
      roundsOf(context, count),
      pause(count),
    )
    await fill(cluster, { namespace: 'ours', count, annotations: annotated(schedule) })
    const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig })
    const waves = await wavesOf(context, {
      dormouse,
      count,
      edges,
      target: cluster.admin,
      apiCpu: cluster.cpu,
    })
    return { rows: memoryRows(count, waves), growth: grown(count, waves) }
  })
}

const NOTE =
  'from a stand-in in memory over plain HTTP instead of a real API server, which takes too long to fill'

async function standIn(context: Context, count: number): Promise<Found> {
  const { quick, say } = context
  const settle = quick ? 5000 : 30_000
  const idleMs = 60_000
  const { schedule, edges } = alternating(comingMinute(settle + idleMs + 20_000 + count / 5), 1, pause(count))
  const template = await templateOf(context, annotated(schedule))
  say(`a stand-in with ${count} Deployments starts`)
  const child = fork(new URL('../measure/stand-in.ts', import.meta.url))
  const ask = <T>(message: StandInTask | 'bytes') => answerOf<T>(child, message)
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-bench-'))
  try {
    const { url, kubeconfig: text } = await ask<{ url: string; kubeconfig: string }>({ count, template })
    const kubeconfig = join(directory, 'kubeconfig')
    await writeFile(kubeconfig, text)
    const dormouse = await startDormouse({ kubeconfig })
    await sleep(settle)
    say('nothing happens for a minute')
    const before = await ask<number>('bytes')
    await sleep(idleMs)
    const bytes = ((await ask<number>('bytes')) - before) / (idleMs / 60_000)
    const apiCpu = () => cpuOf(child.pid ?? 0)
    const waves = await wavesOf(context, { dormouse, count, edges, target: { url }, apiCpu })
    const figure = Number((bytes / 1000).toPrecision(3))
    const idle: Point = { chart: 'idle-bytes', line: 'over plain HTTP', workloads: count, figure }
    return {
      rows: [
        ...memoryRows(count, waves, NOTE),
        { what: `${count.toLocaleString('en')}: bytes a minute`, figure, unit: 'KB', note: NOTE },
      ],
      growth: [...grown(count, waves), idle],
    }
  } finally {
    child.disconnect()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Leaves out figures that the scenario `wave` measures better. */
function grown(count: number, waves: readonly Wave[]): Point[] {
  const times = count > 5000 ? timeGrowth({ count, ours: waves }) : []
  return [...memoryGrowth(count, waves), ...times]
}

interface Waving {
  readonly dormouse: Dormouse
  readonly count: number
  readonly edges: readonly Edge[]
  readonly target: Target
  readonly apiCpu: () => Promise<number>
}

async function wavesOf(
  { say }: Context,
  { dormouse, count, edges, target, apiCpu }: Waving,
): Promise<Wave[]> {
  const waves: Wave[] = []
  const watch = await ScaleWatch.open(target, deployments('ours'))
  try {
    for (const { at: edge, direction } of edges) {
      say(`${count} ${direction} in ${((edge - Date.now()) / 1000).toFixed(0)} s`)
      if (Date.now() > edge) throw new Error('an edge has passed before all was ready')
      const wave = await timedWave({ watch, count, direction, edge, pid: dormouse.pid, apiCpu })
      say(
        `after ${(wave.last / 1000).toFixed(1)} s; ${wave.restMemory.toFixed(0)} MB, peak ${wave.peakMemory.toFixed(0)}`,
      )
      waves.push(wave)
    }
  } finally {
    await watch.close()
    await dormouse.stop()
  }
  return waves
}

/** A Deployment as a real API server shows it. */
function templateOf(context: Context, annotations: Record<string, string>): Promise<string> {
  const name = 'name-of-the-template'
  return withCluster(context, async ({ plane }) => {
    await plane.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: 'ours' } })
    const object = manifest('deployments', name, { replicas: 3, annotations })
    const { metadata } = await plane.admin.expect('POST', deployments('ours'), object)
    const live = await plane.admin.expect('GET', `${deployments('ours')}/${name}`)
    return JSON.stringify(live).replaceAll(name, '#name#').replaceAll(String(metadata?.['uid']), '#uid#')
  })
}
