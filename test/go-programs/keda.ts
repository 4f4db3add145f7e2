import { execFile } from 'node:child_process'
import { access, constants, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leaveOut } from '../support/leave-out.ts'
import { filled, madeOnce, sharedCache } from './cache.ts'
import { buildCommand, downloadModule, hasGo, writeBuildModule } from './go-module.ts'

const MODULE = 'github.com/kedacore/keda/v2'
/** Between the two KEDA's pausing was rewritten. */
export const KEDA_VERSIONS = ['v2.21.0', 'v2.19.0'] as const
type KedaVersion = (typeof KEDA_VERSIONS)[number]

export interface Keda {
  readonly version: KedaVersion
  /** The path of the operator's program. Its name is the field manager of what it writes, as in KEDA's own image. */
  readonly operator: string
  /** The folder of its custom resource definitions. */
  readonly definitions: string
}

/**
 * KEDA's operator: from the cache, else built now with `go` (some three minutes on two cores, and a second version in
 * less). Where it cannot be had, the test that asks is left out and says so; where `CI` is set that is an error.
 */
export async function keda(version: KedaVersion, asking: Mocha.Context): Promise<Keda> {
  asking.timeout(20 * 60_000)
  const cache = sharedCache(`keda-${version}`)
  const found = { version, operator: join(cache, 'keda'), definitions: join(cache, 'definitions') }
  const find = async () => ((await isWhole(found)) ? found : undefined)
  if ((await find()) === undefined && !(await hasGo()))
    leaveOut(asking, `KEDA ${version} is not built, and there is no \`go\` on the path to build it`)
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  return madeOnce(cache, say, find, async () => {
    say(`building KEDA ${version} into ${cache} (once; about three minutes on two cores)`)
    await filled(cache, (fresh) => build(version, fresh, say))
    return found
  })
}

async function isWhole({ operator, definitions }: Keda): Promise<boolean> {
  const present = [access(operator, constants.X_OK), access(definitions, constants.R_OK)]
  return Promise.all(present).then(
    () => true,
    () => false,
  )
}

async function build(version: KedaVersion, into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  const module = await downloadModule(MODULE, version)
  await writeBuildModule([module], folder)
  await buildCommand(folder, { command: `${MODULE}/cmd/operator`, output: join(into, 'keda') }, say)
  await promisify(execFile)('cp', [
    '-r',
    join(module.directory, 'config/crd/bases'),
    join(into, 'definitions'),
  ])
  await rm(folder, { recursive: true, force: true })
}
