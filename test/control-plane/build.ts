import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filled, madeOnce } from '../go-programs/cache.ts'
import { buildCommands, downloadModule, hasGo, writeBuildModule } from '../go-programs/go-module.ts'
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

export type Provided = { readonly programs: Programs } | { readonly unavailable: string }

/**
 * The control plane's programs: from `KUBEBUILDER_ASSETS` if that folder has them all, in the release of
 * `DORMOUSE_KUBERNETES`; else from the cache, else built now with `go` (some 7 minutes on two cores), each step
 * reported to `say`. If none of these is possible the answer says why; a failed build throws.
 */
export async function providePrograms(say: (line: string) => void): Promise<Provided> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  const why: string[] = []
  if (assets) {
    const found = await programsIn(assets)
    const unfit = 'paths' in found ? await otherRelease(found) : `lacks ${found.missing.join(', ')}`
    if ('paths' in found && unfit === undefined) return { programs: found }
    why.push(`KUBEBUILDER_ASSETS ${unfit}`)
  }
  const cache = cacheDirectory()
  const cached = await programsIn(cache)
  if ('paths' in cached) return { programs: cached }
  why.push(`the cache ${cache} lacks ${cached.missing.join(', ')}`)
  if (!(await hasGo())) {
    why.push('there is no `go` on the path to build them (go.dev/dl has it)')
    return { unavailable: why.join('; ') }
  }
  const found = async () => {
    const programs = await programsIn(cache)
    return 'paths' in programs ? programs : undefined
  }
  return { programs: await madeOnce(cache, say, found, () => build(cache, say)) }
}

/** Which release these are of, if `DORMOUSE_KUBERNETES` asks for another one. */
async function otherRelease({ paths }: Programs): Promise<string | undefined> {
  if (!process.env['DORMOUSE_KUBERNETES']) return undefined
  const { stdout } = await promisify(execFile)(paths['kube-apiserver'], ['--version'])
  const [, version = stdout] = /v(\d+\.\d+\.\d+)/.exec(stdout) ?? []
  return minorOf(version) === minorOf(versions.kubernetes) ? undefined : `has Kubernetes ${version.trim()}`
}

async function build(cache: string, say: (line: string) => void): Promise<Programs> {
  say(`building the control plane's programs into ${cache} (once; about 7 minutes on two cores)`)
  await filled(cache, async (fresh) => {
    // At once: one fetches while another compiles or links.
    await Promise.all(sources.map((source) => buildSource(source, fresh, say)))
    await rm(join(fresh, 'modules'), { recursive: true, force: true })
  })
  const programs = await programsIn(cache)
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
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const provided = await providePrograms(say)
  if ('programs' in provided) process.stdout.write(`${provided.programs.directory}\n`)
  else {
    say(`the real control plane is not available: ${provided.unavailable}`)
    process.exitCode = 1
  }
}
