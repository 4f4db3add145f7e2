import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule } from './go-module.ts'

const MODULE = 'github.com/argoproj/argo-rollouts'
const VERSION = 'v1.10.2'

export interface ArgoRollouts {
  /** The path of the controller's program. */
  readonly controller: string
  /** The folder of its custom resource definitions. */
  readonly definitions: string
}

/** The controller of Argo Rollouts. */
export const argoRollouts = builtOnce<ArgoRollouts>(
  {
    title: 'Argo Rollouts',
    key: `argo-rollouts-${VERSION}`,
    programs: ['rollouts-controller'],
    beside: ['definitions'],
    takes: 'five minutes',
    build,
  },
  (folder) => ({ controller: join(folder, 'rollouts-controller'), definitions: join(folder, 'definitions') }),
)

/** From a copy of its sources: replacements of its `go.mod` apply in its own module alone. */
async function build(into: string, say: (line: string) => void): Promise<void> {
  const { directory } = await downloadModule(MODULE, VERSION)
  const folder = join(into, 'module')
  // The module cache is read-only, and so would be a copy of its folders.
  await cp(directory, folder, { recursive: true, filter: (from) => !/\/(?:docs|ui|test)$/.test(from) })
  await chmod(folder, 0o755)
  const file = join(folder, 'go.mod')
  await chmod(file, 0o644)
  await chmod(join(folder, 'go.sum'), 0o644)
  // It names the newest patch of Go on the day of its release; each of that minor release builds it.
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/^go (\d+\.\d+)\.\d+$/m, 'go $1.0'))
  const output = join(into, 'rollouts-controller')
  await buildCommands(folder, { commands: ['./cmd/rollouts-controller'], output }, say)
  await cp(join(directory, 'manifests/crds'), join(into, 'definitions'), { recursive: true })
  await rm(folder, { recursive: true, force: true })
}
