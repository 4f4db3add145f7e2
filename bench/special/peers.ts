import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { controlPlanePrograms } from '../../test/control-plane/build.ts'
import { selfSigned } from '../../test/support/certificate.ts'
import { freePorts } from '../../test/control-plane/ports.ts'
import { annotated } from '../../test/support/manifests.ts'
import { deployments, fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { alternating, type Edge } from '../measure/edges.ts'
import { mergePatches } from '../measure/patches.ts'
import { RawClient } from '../measure/raw.ts'
import { ScaleWatch } from '../measure/scale-watch.ts'
import { medianOf, timedWave, type Wave } from '../measure/wave.ts'

// npm run bench -- peers [--gokubedownscaler PROGRAM] [--kube-green PROGRAM --crd FILE]
// Waves by Dormouse and by programs that do the same, which are built elsewhere, one after the other in one cluster.

const { values: options } = parseArgs({
  options: {
    gokubedownscaler: { type: 'string' },
    'kube-green': { type: 'string' },
    crd: { type: 'string', default: '' },
    cycles: { type: 'string', default: '2' },
    count: { type: 'string', default: '1000' },
  },
})

/** kube-green reads at most 500 workloads of a namespace. */
const NAMESPACES = 4
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const [count, cycles] = [Number(options.count), Number(options.cycles)]

interface Running {
  readonly pid: number
  stop(): Promise<unknown>
}

interface Asked {
  readonly cluster: BenchCluster
  readonly namespaces: readonly string[]
  readonly schedule: string
  readonly edges: readonly Edge[]
}

interface Peer {
  readonly name: string
  start(asked: Asked): Promise<Running>
}

const dormouse: Peer = {
  name: 'Dormouse',
  async start({ cluster, namespaces, schedule }) {
    await annotate(cluster, namespaces, annotated(schedule))
    return startDormouse({ kubeconfig: cluster.kubeconfig })
  },
}

const goKubeDownscaler = (program: string): Peer => ({
  name: 'GoKubeDownscaler',
  async start({ cluster, namespaces, edges }) {
    const spans = awakeSpans(edges).map((ends) => ends.map((at) => new Date(at).toISOString()).join(' - '))
    const annotations = { 'downscaler/uptime': spans.join(','), 'downscaler/grace-period': '0s' }
    await annotate(cluster, namespaces, annotations)
    return started(program, [`-k=${cluster.plane.adminKubeconfig}`, `-namespace=${namespaces.join(',')}`])
  },
})

const kubeGreen = (program: string): Peer => ({
  name: 'kube-green',
  async start({ cluster: { plane }, namespaces }) {
    const crd: unknown = parse(await readFile(options.crd, 'utf8'))
    await plane.admin.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
    await sleep(3000)
    const spec = { weekdays: '*', sleepAt: '*:*/2', wakeUpAt: '*:1-59/2', timeZone: 'UTC' }
    for (const namespace of namespaces)
      await plane.admin.expect('POST', `/apis/kube-green.com/v1alpha1/namespaces/${namespace}/sleepinfos`, {
        apiVersion: 'kube-green.com/v1alpha1',
        kind: 'SleepInfo',
        metadata: { name: 'nights' },
        spec,
      })
    const certificates = await mkdtemp(join(tmpdir(), 'dormouse-bench-'))
    const { cert, key } = await selfSigned('peer')
    await writeFile(join(certificates, 'tls.crt'), cert)
    await writeFile(join(certificates, 'tls.key'), key)
    const [port] = await freePorts(1)
    const running = await started(program, [
      `--kubeconfig=${plane.adminKubeconfig}`,
      '--health-probe-bind-address=0',
      '--webhook-host=127.0.0.1',
      `--webhook-server-port=${port}`,
      `--webhook-cert-path=${certificates}`,
    ])
    const stop = async () => {
      await running.stop()
      await rm(certificates, { recursive: true })
    }
    return { ...running, stop }
  },
})

const { gokubedownscaler, 'kube-green': green } = options
const peers = [
  dormouse,
  ...(gokubedownscaler ? [goKubeDownscaler(gokubedownscaler)] : []),
  ...(green ? [kubeGreen(green)] : []),
]
const context = {
  programs: await controlPlanePrograms(say),
  quick: false,
  rounds: 1,
  workloads: undefined,
  say,
}
await withCluster(context, async (cluster) => {
  const found: [string, Wave[]][] = [['raw client', await rawWaves(cluster)]]
  for (const peer of peers) {
    try {
      found.push([peer.name, await wavesOf(peer, cluster)])
    } catch (error) {
      say(`${peer.name}: ${String(error)}`)
    }
  }
  for (const [name, waves] of found)
    for (const [at, what] of ['first sleep', 'first wake', 'later sleeps', 'later wakes'].entries())
      console.log(
        line(
          name,
          what,
          at < 2 ? waves.slice(at, at + 1) : waves.filter((_, index) => index >= 2 && index % 2 === at % 2),
        ),
      )
})
process.exit()

async function rawWaves(cluster: BenchCluster): Promise<Wave[]> {
  await fill(cluster, { namespace: 'raw', count })
  const raw = await RawClient.connect(cluster.admin)
  const watch = await ScaleWatch.open(cluster.admin, deployments('raw'))
  const waves: Wave[] = []
  for (let at = 0; at < 2 * cycles; at++) {
    const direction = at % 2 === 0 ? 'sleep' : 'wake'
    const requests = mergePatches('raw', count, direction)
    const act = () => raw.send({ requests, inFlight: 32 })
    waves.push(await timedWave({ watch, count, direction, pid: raw.pid, apiCpu: cluster.cpu, act }))
  }
  raw.stop()
  await watch.close()
  return waves
}

/** One program's: the first two after its start, and later ones. */
async function wavesOf({ name, start }: Peer, cluster: BenchCluster): Promise<Wave[]> {
  const namespaces = Array.from({ length: NAMESPACES }, (_, at) => `${name.toLowerCase()}-${at}`)
  for (const namespace of namespaces) await fill(cluster, { namespace, count: count / NAMESPACES })
  const pair = 2 * MINUTE
  const { schedule, edges } = alternating(Math.ceil((Date.now() + 40_000) / pair) * pair, cycles)
  const running = await start({ cluster, namespaces, schedule, edges })
  const watch = await ScaleWatch.open(cluster.admin, '/apis/apps/v1/deployments')
  const waves: Wave[] = []
  try {
    for (const { at: edge, direction } of edges) {
      await sleep(edge - Date.now() - 1000)
      const wave = await timedWave({ watch, count, direction, edge, pid: running.pid, apiCpu: cluster.cpu })
      waves.push(wave)
      say(line(name, direction, [wave]))
    }
  } finally {
    await running.stop()
    await watch.close()
  }
  return waves
}

async function annotate({ plane }: BenchCluster, namespaces: readonly string[], annotations: object) {
  for (const name of namespaces)
    await plane.admin.expect('PATCH', `/api/v1/namespaces/${name}`, { metadata: { annotations } })
}

async function started(program: string, args: readonly string[]): Promise<Running> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const log = createWriteStream(join(tmpdir(), `dormouse-bench-peer-${child.pid}.log`))
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      kill()
      await ended
    },
  }
}

/** From the beginning of each to its end. */
function awakeSpans(edges: readonly Edge[]): [number, number][] {
  const [first = 0] = edges.map(({ at }) => at)
  const starts = [
    first - 6 * HOUR,
    ...edges.flatMap(({ at, direction }) => (direction === 'wake' ? [at] : [])),
  ]
  const ends = edges.flatMap(({ at, direction }) => (direction === 'sleep' ? [at] : []))
  return starts.map((start, index) => [start, ends[index] ?? start + 6 * HOUR])
}

/** A row of a Markdown table, by medians: seconds, writes, milliseconds of processor time, MB. */
function line(name: string, what: string, waves: readonly Wave[]): string {
  const seconds = (of: (wave: Wave) => number) => (medianOf(waves, of) / 1000).toFixed(2)
  const each = (of: (wave: Wave) => number) => medianOf(waves, of).toFixed(2)
  const cells = [
    seconds(({ first }) => first),
    seconds(({ last }) => last),
    seconds(({ first, last }) => last - first),
    each(({ writes }) => writes),
    each(({ apiCpu }) => apiCpu),
    each(({ ownCpu }) => ownCpu),
    Math.max(...waves.map(({ peakMemory }) => peakMemory)).toFixed(0),
  ]
  return `| ${[name, what, ...cells].join(' | ')} |`
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)
}
