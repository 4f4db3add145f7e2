import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ANNOTATION } from '../src/domain/workload.ts'
import { readAuditLog } from '../test/control-plane/audit.ts'
import { providePrograms } from '../test/control-plane/build.ts'
import { startControlPlane, type ControlPlane } from '../test/control-plane/control-plane.ts'
import { inParallel } from '../test/support/eventually.ts'
import { annotated, manifest } from '../test/support/manifests.ts'
import { awakeNow, comingMinute, sleepsAt, wakesAt } from '../test/support/schedules.ts'
import { MeasuredProgram } from './measured-program.ts'

/**
 * A wave of workloads at an edge, over etcd and kube-apiserver alone, by two states of the project in turn (A B A B):
 * `node bench/wave.ts --workloads 1000 --rounds 4 ../before .`. Each round waits for a full minute.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workloads: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '4' },
  },
})
const WORKLOADS = Number(values.workloads)
const ROUNDS = Number(values.rounds)
const CHECKOUTS = positionals.length > 0 ? positionals : ['.']
const NAMESPACE = 'wave'
const COLLECTION = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`
/** Milliseconds from the choice of the edge to the edge: schedules are written and the program starts meanwhile. */
const LEAD = 15_000
const PATIENCE = 60_000

interface Wave {
  readonly checkout: string
  readonly direction: 'sleep' | 'wake'
  /** Milliseconds after the edge, by the API server's audit log. */
  readonly first: number
  readonly last: number
  readonly p99: number
  readonly patches: number
  /** Milliseconds of the program's own processor time, from just before the edge to the last patch, a workload. */
  readonly cpu: number
  readonly restMemory: number
  readonly peakMemory: number
}

const names = Array.from({ length: WORKLOADS }, (_, index) => `app-${String(index).padStart(5, '0')}`)
const provided = await providePrograms((line) => process.stderr.write(`${line}\n`))
if (!('programs' in provided)) throw new Error(`there is no control plane: ${provided.unavailable}`)
const plane = await startControlPlane({ programs: provided.programs, nodes: 0 })
const waves: Wave[] = []
try {
  await plane.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const annotations = annotated(awakeNow())
  await inParallel(names, (name) =>
    plane.admin.expect('POST', COLLECTION, manifest('deployments', name, { replicas: 3, annotations })),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const checkout of CHECKOUTS) {
      await forgotten(plane)
      for (const direction of ['sleep', 'wake'] as const) {
        const wave = await measured(plane, checkout, direction)
        waves.push(wave)
        process.stderr.write(`${JSON.stringify(wave)}\n`)
      }
    }
} finally {
  await plane.stop()
}
report()

async function measured(cluster: ControlPlane, checkout: string, direction: 'sleep' | 'wake'): Promise<Wave> {
  const edge = comingMinute(LEAD)
  await scheduled(cluster, direction === 'sleep' ? sleepsAt(edge) : wakesAt(edge))
  const program = await started(cluster, checkout)
  const { now: restMemory } = await program.memory()
  await sleep(edge - 200 - Date.now())
  const before = await program.cpuSeconds()
  const at = await patchedSince(cluster, edge)
  const cpu = ((await program.cpuSeconds()) - before) * 1000
  const { peak: peakMemory } = await program.memory()
  await program.stop()
  return {
    checkout,
    direction,
    first: at[0] ?? Number.NaN,
    last: at.at(-1) ?? Number.NaN,
    p99: at[Math.floor(at.length * 0.99)] ?? Number.NaN,
    patches: at.length,
    cpu: cpu / WORKLOADS,
    restMemory,
    peakMemory,
  }
}

/** When the patches arrived, after the edge, sorted; once there is one for each workload. */
async function patchedSince({ auditLog }: ControlPlane, edge: number): Promise<number[]> {
  for (const until = edge + PATIENCE; Date.now() < until; await sleep(500)) {
    if (Date.now() < edge) continue
    const events = await readAuditLog(auditLog)
    const patches = events.filter(
      ({ verb, objectRef }) => verb === 'patch' && objectRef?.resource === 'deployments',
    )
    const arrived = patches
      .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) - edge)
      .filter((after) => after >= 0)
    if (arrived.length >= WORKLOADS) return arrived.toSorted((a, b) => a - b)
  }
  throw new Error('the wave did not end')
}

async function started(cluster: ControlPlane, checkout: string): Promise<MeasuredProgram> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-bench-'))
  const config = join(directory, 'config.yaml')
  const settings = {
    newWorkloadGrace: '0s',
    api: { host: '127.0.0.1', port: 0, insecurePort: 0 },
    webhook: { enabled: false },
    metrics: { port: 0 },
    controller: { lease: { duration: '4s', renew: '3s', retry: '500ms' } },
  }
  await writeFile(config, JSON.stringify(settings))
  const args = ['serve', '--config', config, '--kubeconfig', await cluster.dormouseKubeconfig(), '--json']
  const program = new MeasuredProgram(args, resolve(checkout))
  await program.ready()
  await rm(directory, { recursive: true, force: true })
  return program
}

/** Everybody awake, and without a history. */
function forgotten(cluster: ControlPlane): Promise<void> {
  const annotations = { [ANNOTATION.schedule]: awakeNow(), [ANNOTATION.state]: null }
  return merged(cluster, { metadata: { annotations } })
}

function scheduled(cluster: ControlPlane, schedule: string): Promise<void> {
  return merged(cluster, { metadata: { annotations: { [ANNOTATION.schedule]: schedule } } })
}

async function merged({ admin }: ControlPlane, patch: object): Promise<void> {
  const type = { 'content-type': 'application/merge-patch+json' }
  await inParallel(names, (name) => admin.expect('PATCH', `${COLLECTION}/${name}`, patch, type))
}

function report(): void {
  const rows = CHECKOUTS.flatMap((checkout) =>
    (['sleep', 'wake'] as const).map((direction) => {
      const mine = waves.filter((wave) => wave.checkout === checkout && wave.direction === direction)
      const median = (of: (wave: Wave) => number) => {
        const sorted = mine.map(of).toSorted((a, b) => a - b)
        return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
      }
      return {
        checkout,
        direction,
        'first patch, ms': Math.round(median(({ first }) => first)),
        'first to last, ms': Math.round(median(({ first, last }) => last - first)),
        'p99 after the edge, ms': Math.round(median(({ p99 }) => p99)),
        'own CPU, ms a workload': median(({ cpu }) => cpu).toFixed(2),
        'memory at rest, MiB': Math.round(median(({ restMemory }) => restMemory)),
        'peak, MiB': Math.round(median(({ peakMemory }) => peakMemory)),
        patches: Math.max(...mine.map(({ patches }) => patches)),
      }
    }),
  )
  console.table(rows)
}
