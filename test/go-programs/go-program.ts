import { access, constants, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { leaveOut } from '../support/leave-out.ts'
import { filled, madeOnce, sharedCache } from './cache.ts'
import { buildCommands, downloadModule, hasGo, writeBuildModule } from './go-module.ts'

/** The release of each program, and the package of its command. */
const programs = {
  helm: { module: 'helm.sh/helm/v3', version: 'v3.21.4', command: 'cmd/helm' },
  'helm-unittest': {
    module: 'github.com/helm-unittest/helm-unittest',
    version: 'v1.1.2',
    command: 'cmd/helm-unittest',
  },
  actionlint: { module: 'github.com/rhysd/actionlint', version: 'v1.7.12', command: 'cmd/actionlint' },
} as const
export type GoProgram = keyof typeof programs

/** Helm's build files set these: its version, and the Kubernetes version for which charts are rendered. */
const kubernetes = { Major: '1', Minor: '35' }
const helmKnows = Object.entries(kubernetes).flatMap(([part, value]) =>
  ['chartutil', 'lint/rules'].map((place) => `-X helm.sh/helm/v3/pkg/${place}.k8sVersion${part}=${value}`),
)
const ldflags = `-s -w -X helm.sh/helm/v3/internal/version.version=${programs.helm.version} ${helmKnows.join(' ')}`

let provided: Promise<string | undefined> | undefined

/**
 * The folder with the programs that tests run: the cache, else all of them built now with `go` (some two
 * minutes on two cores). undefined: there is neither.
 */
export function goPrograms(): Promise<string | undefined> {
  provided ??= provide((line) => process.stderr.write(`${line}\n`))
  return provided
}

/**
 * The path of one of them. Where it cannot be had, the test that asks is skipped and says so; where `CI` is
 * set that is an error.
 */
export async function goProgram(name: GoProgram, asking: Mocha.Context): Promise<string> {
  asking.timeout(15 * 60_000)
  const directory = await goPrograms()
  if (directory === undefined) {
    leaveOut(asking, `${name} is not built, and there is no \`go\` on the path to build it`)
  }
  return join(directory, name)
}

async function provide(say: (line: string) => void): Promise<string | undefined> {
  const versions = Object.entries(programs).map(([name, { version }]) => `${name}-${version}`)
  const cache = sharedCache(`programs-k${Object.values(kubernetes).join('.')}-${versions.join('-')}`)
  const found = async () => ((await isWhole(cache)) ? cache : undefined)
  if ((await found()) === undefined && !(await hasGo())) return undefined
  return madeOnce(cache, say, found, async () => {
    say(`building ${Object.keys(programs).join(', ')} into ${cache} (once; about two minutes on two cores)`)
    await filled(cache, (fresh) => build(fresh, say))
    return cache
  })
}

async function isWhole(directory: string): Promise<boolean> {
  const present = Object.keys(programs).map((name) => access(join(directory, name), constants.X_OK))
  return Promise.all(present).then(
    () => true,
    () => false,
  )
}

/** As one module, so that shared packages compile once. */
async function build(into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  const modules = await Promise.all(
    Object.values(programs).map(({ module, version }) => downloadModule(module, version)),
  )
  await writeBuildModule(modules, folder)
  const commands = Object.values(programs).map(({ module, command }) => `${module}/${command}`)
  await buildCommands(folder, { commands, output: into, ldflags }, say)
  await rm(folder, { recursive: true, force: true })
}
