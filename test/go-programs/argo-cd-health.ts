import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule } from './go-module.ts'

/** The part of Argo CD that has its own health checks. Its command line takes Go 1.27, and three times as long to build. */
const MODULE = 'github.com/argoproj/argo-cd/gitops-engine/v3'
const VERSION = 'v3.6.1'
/** The interpreter that it runs. */
const LUA = 'github.com/yuin/gopher-lua v1.1.2'

/** The path of a program that judges objects by Argo CD's own checks, and by scripts. */
export const argoCdHealth = builtOnce<string>(
  {
    title: "Argo CD's health checks",
    key: `argo-cd-health-${VERSION}`,
    programs: ['argo-cd-health'],
    takes: 'six minutes',
    build,
  },
  (folder) => join(folder, 'argo-cd-health'),
)

/** In a copy of the module, since its `go.mod` names a newer Go than builds it. */
async function build(into: string, say: (line: string) => void): Promise<void> {
  const { directory } = await downloadModule(MODULE, VERSION)
  const folder = join(into, 'module')
  await cp(directory, folder, { recursive: true })
  await chmod(folder, 0o755)
  const file = join(folder, 'go.mod')
  for (const each of [file, join(folder, 'go.sum')]) await chmod(each, 0o644)
  const text = await readFile(file, 'utf8')
  await writeFile(file, `${text.replace(/^go \d+\.\d+\.\d+$/m, 'go 1.26.0')}\nrequire ${LUA}\n`)
  await cp(join(import.meta.dirname, 'argo-cd-health'), join(folder, 'judge'), { recursive: true })
  await buildCommands(folder, { commands: ['./judge'], output: join(into, 'argo-cd-health') }, say)
  await rm(folder, { recursive: true, force: true })
}
