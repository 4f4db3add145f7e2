import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { leaveOut } from '../support/leave-out.ts'
import { filled, madeOnce, sharedCache } from './cache.ts'
import { hasGo } from './go-module.ts'

/** A program of a released Go module, in a folder of the cache. */
interface Wanted {
  /** As people name it, with its version. */
  readonly title: string
  /** The folder's name. */
  readonly key: string
  /** The program, and the folder's other files. */
  readonly program: string
  readonly beside: readonly string[]
  /** The build's duration on two cores, for people. */
  readonly takes: string
  /** Fills the folder. */
  build(into: string, say: (line: string) => void): Promise<void>
}

/**
 * The folder: from the cache, else made now with `go`. Where it cannot be had, the test that asks is left out and says
 * so; where `CI` is set that is an error.
 */
export async function builtOnce(wanted: Wanted, asking: Mocha.Context): Promise<string> {
  asking.timeout(30 * 60_000)
  const { title, takes } = wanted
  const folder = sharedCache(wanted.key)
  const find = async () => ((await isWhole(folder, wanted)) ? folder : undefined)
  if ((await find()) === undefined && !(await hasGo()))
    leaveOut(asking, `${title} is not built, and there is no \`go\` on the path to build it`)
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  return madeOnce(folder, say, find, async () => {
    say(`building ${title} into ${folder} (once; ${takes} on two cores)`)
    await filled(folder, (fresh) => wanted.build(fresh, say))
    return folder
  })
}

async function isWhole(folder: string, { program, beside }: Wanted): Promise<boolean> {
  const present = [
    access(join(folder, program), constants.X_OK),
    ...beside.map((name) => access(join(folder, name), constants.R_OK)),
  ]
  return Promise.all(present).then(
    () => true,
    () => false,
  )
}
