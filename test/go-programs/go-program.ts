import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

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

/** Helm's build files set these: its version, and the Kubernetes version for which charts are rendered. */
const kubernetes = { Major: '1', Minor: '35' }
const helmKnows = Object.entries(kubernetes).flatMap(([part, value]) =>
  ['chartutil', 'lint/rules'].map((place) => `-X helm.sh/helm/v3/pkg/${place}.k8sVersion${part}=${value}`),
)
const ldflags = `-s -w -X helm.sh/helm/v3/internal/version.version=${programs.helm.version} ${helmKnows.join(' ')}`

const names = Object.keys(programs)
const versions = Object.entries(programs).map(([name, { version }]) => `${name}-${version}`)

/** The path of one of them; all are built at once. */
const program = (name: keyof typeof programs, title: string): Need<string> =>
  builtOnce(
    {
      title,
      key: `programs-k${Object.values(kubernetes).join('.')}-${versions.join('-')}`,
      programs: names,
      takes: 'two minutes',
      // Helm, for the chart's own tests.
      quick: true,
      build,
    },
    (folder) => join(folder, name),
  )

const builtHelm = program('helm', 'Helm')

/** Ours, else the person's, where it is not too old or too new for the chart. */
export const helm: Need<string> = {
  ...builtHelm,
  find: () => builtHelm.find() ?? onPath('helm', ['version', '--short'], /^v3\.(?:1[4-9]|[2-9]\d)/),
}
export const helmUnittest = program('helm-unittest', 'helm-unittest')
export const actionlint = program('actionlint', 'actionlint')

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
