import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filled, isThere, madeOnce, sharedCache } from '../go-programs/cache.ts'
import type { Need } from '../suite/need.ts'

const run = promisify(execFile)

/** A program of PyPI: how to start it. */
export interface PythonProgram {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** A program of PyPI that tests run, with the packages that the file of its name in this folder pins. */
function program(name: 'zizmor' | 'schemathesis', takes: string): Need<PythonProgram> {
  const requirements = join(import.meta.dirname, `${name}.txt`)
  const pinned = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const cache = sharedCache(`${name}-${pinned}`)
  const path = join(cache, 'bin', name)
  const find = () => {
    if (!isThere(path)) return undefined
    const env = { ...process.env, PYTHONPATH: cache, PYTHONNOUSERSITE: '1' }
    // A program of Python's own is started by the Python that installed it, wherever it has been moved since.
    return name === 'zizmor' ? { file: path, args: [], env } : { file: 'python3', args: [path], env }
  }
  return {
    phrase: `with ${name}`,
    quick: false,
    gotten: `installed from PyPI with pip in ${takes}`,
    find,
    async provide(say) {
      await madeOnce(cache, say, find, async () => {
        say(`installing ${name} into ${cache} (once; ${takes})`)
        await filled(cache, (fresh) => install(requirements, fresh))
        return find()!
      })
    },
  }
}

export const zizmor = program('zizmor', 'ten seconds')
export const schemathesis = program('schemathesis', 'half a minute')

/** A folder of its own: nothing of the machine's Python is changed, and nothing is compiled. */
async function install(requirements: string, fresh: string): Promise<void> {
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-input']
  const into = ['--only-binary', ':all:', '--target', fresh, '--requirement', requirements]
  await run('python3', ['-m', 'pip', 'install', ...quietly, ...into])
}
