import { spawnSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { helm } from '../go-programs/go-program.ts'
import { filled, madeOnce } from '../go-programs/cache.ts'
import { buildCommands, downloadModule, writeBuildModule } from '../go-programs/go-module.ts'
import type { Need } from '../suite/need.ts'
import { cacheDirectory, minorOf, programsIn, stagesFile, versions } from './programs.ts'
import type { ProgramName, Programs } from './programs.ts'

interface Source {
  readonly module: string
  readonly version: string
  readonly stagingVersion?: string
  readonly commands: Partial<Record<ProgramName, string>>
  readonly ldflags: string
}

const kubernetes = `v${versions.kubernetes}`
const sources: readonly Source[] = [
  {
    module: 'go.etcd.io/etcd/server/v3',
    version: `v${versions.etcd}`,
    commands: { etcd: 'go.etcd.io/etcd/server/v3' },
    ldflags: '-s -w',
  },
  {
    module: 'sigs.k8s.io/kwok',
    version: `v${versions.kwok}`,
    commands: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    ldflags: '-s -w',
  },
  {
    module: 'k8s.io/kubernetes',
    version: kubernetes,
    stagingVersion: kubernetes.replace(/^v1\./, 'v0.'),
    commands: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    ldflags: `-s -w -X k8s.io/component-base/version.gitVersion=${kubernetes}`,
  },
]

/** The stages that make nodes and pods ready at once and let deleted pods go at once, in kwok's own module. */
const stageSources = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat/node-heartbeat.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
]

/** The programs that are there: in `KUBEBUILDER_ASSETS`, if that folder has them all in the release that is asked for, else in the cache. */
function find(): Programs | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS']
  for (const folder of [...(assets ? [assets] : []), cacheDirectory()]) {
    const programs = programsIn(folder)
    if ('paths' in programs && (folder !== assets || isOfRelease(programs))) return programs
  }
  return undefined
}

/** Whether these are of the release that `DORMOUSE_KUBERNETES` asks for, if it does. */
function isOfRelease({ paths }: Programs): boolean {
  if (!process.env['DORMOUSE_KUBERNETES']) return true
  const { stdout } = spawnSync(paths['kube-apiserver'], ['--version'], { encoding: 'utf8' })
  const [, version = ''] = /v(\d+\.\d+\.\d+)/.exec(stdout ?? '') ?? []
  return minorOf(version) === minorOf(versions.kubernetes)
}

/** etcd, kube-apiserver, controller manager, scheduler and kwok; and Helm, which renders the rights of Dormouse's account. */
export const realControlPlane: Need<Programs> = {
  phrase: 'on the real control plane',
  quick: false,
  gotten: 'built with Go 1.26 or newer in about 8 minutes on two cores',
  find: () => (helm.find() === undefined ? undefined : find()),
  async provide(say) {
    const cache = cacheDirectory()
    await madeOnce(cache, say, find, () => build(cache, say))
    if (helm.find() === undefined) await helm.provide?.(say)
  },
}

/** The programs, built now where they are not there. @throws Error that says why they cannot be had */
export async function controlPlanePrograms(say: (line: string) => void): Promise<Programs> {
  await realControlPlane.provide?.(say)
  const programs = find()
  if (!programs) throw new Error('the real control plane was built and is not there')
  return programs
}

async function build(cache: string, say: (line: string) => void): Promise<Programs> {
  say(`building the control plane's programs into ${cache} (once; about 7 minutes on two cores)`)
  await filled(cache, async (fresh) => {
    // At once: one fetches while another compiles or links.
    await Promise.all(sources.map((source) => buildSource(source, fresh, say)))
    await rm(join(fresh, 'modules'), { recursive: true, force: true })
  })
  const programs = programsIn(cache)
  if (!('paths' in programs)) throw new Error(`the build left out ${programs.missing.join(', ')}`)
  return programs
}

async function buildSource(source: Source, into: string, say: (line: string) => void): Promise<void> {
  const module = await downloadModule(source.module, source.version)
  const folder = join(into, 'modules', source.module)
  await writeBuildModule([module], folder, source.stagingVersion)
  if ('kwok' in source.commands) await writeStages(module.directory, join(into, stagesFile))
  const { ldflags, version } = source
  const names = Object.keys(source.commands)
  const commands = Object.values(source.commands)
  say(`  ${names.join(', ')} ${version}`)
  const [only] = names
  const output = names.length === 1 && only ? join(into, only) : into
  await buildCommands(folder, { commands, output, ldflags }, say)
}

async function writeStages(kwok: string, file: string): Promise<void> {
  const stages = await Promise.all(
    stageSources.map((source) => readFile(join(kwok, 'kustomize', 'stage', source), 'utf8')),
  )
  await writeFile(file, stages.join('\n---\n'))
}

if (import.meta.main) {
  const { directory } = await controlPlanePrograms((line) => process.stderr.write(`${line}\n`))
  process.stdout.write(`${directory}\n`)
}
