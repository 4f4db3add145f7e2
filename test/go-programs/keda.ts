import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

const MODULE = 'github.com/kedacore/keda/v2'
/** Between the two KEDA's pausing was rewritten. */
export const KEDA_VERSIONS = ['v2.21.0', 'v2.19.0'] as const
type KedaVersion = (typeof KEDA_VERSIONS)[number]

export interface Keda {
  readonly version: KedaVersion
  /** The path of the operator's program. Its name is the field manager of its writes, as in KEDA's own image. */
  readonly operator: string
  /** The folder of its custom resource definitions. */
  readonly definitions: string
}

/** KEDA's operator. A second version is built in less time than the first. */
export const keda = (version: KedaVersion) =>
  builtOnce<Keda>(
    {
      title: `KEDA ${version}`,
      key: `keda-${version}`,
      programs: ['keda'],
      beside: ['definitions'],
      takes: 'three minutes',
      build: (into, say) => build(version, into, say),
    },
    (folder) => ({ version, operator: join(folder, 'keda'), definitions: join(folder, 'definitions') }),
  )

async function build(version: KedaVersion, into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  const module = await downloadModule(MODULE, version)
  await writeBuildModule([module], folder)
  await buildCommands(folder, { commands: [`${MODULE}/cmd/operator`], output: join(into, 'keda') }, say)
  await cp(join(module.directory, 'config/crd/bases'), join(into, 'definitions'), { recursive: true })
  await rm(folder, { recursive: true, force: true })
}
