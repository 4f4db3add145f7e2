import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filled, madeOnce, sharedCache } from '../go-programs/cache.ts'
import { leaveOut } from '../support/leave-out.ts'

const run = promisify(execFile)

/** A program of PyPI: how to start it. */
export interface PythonProgram {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/**
 * A program of PyPI that tests run, with the packages that the file of its name in this folder pins: from the cache, else
 * installed there, once. Where there is neither pip nor a way to PyPI, the test that asks is left out.
 */
export async function pythonProgram(
  name: 'zizmor' | 'schemathesis',
  asking: Mocha.Context,
): Promise<PythonProgram> {
  asking.timeout(10 * 60_000)
  const requirements = join(import.meta.dirname, `${name}.txt`)
  const pinned = createHash('sha256').update(await readFile(requirements))
  const cache = sharedCache(`${name}-${pinned.digest('hex').slice(0, 12)}`)
  const program = join(cache, 'bin', name)
  const found = () =>
    access(program).then(
      () => program,
      () => undefined,
    )
  const say = (line: string) => process.stderr.write(`${line}\n`)
  try {
    await madeOnce(cache, say, found, async () => {
      await filled(cache, (fresh) => install(requirements, fresh))
      return program
    })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    leaveOut(asking, `${name} cannot be installed: ${(stderr || message).trim().split('\n').at(-1)}`)
  }
  const env = { ...process.env, PYTHONPATH: cache, PYTHONNOUSERSITE: '1' }
  // A program of Python's own is started by the Python that installed it, wherever it has been moved since.
  return name === 'zizmor' ? { file: program, args: [], env } : { file: 'python3', args: [program], env }
}

/** A folder of its own: nothing of the machine's Python is changed, and nothing is compiled. */
async function install(requirements: string, fresh: string): Promise<void> {
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-input']
  const into = ['--only-binary', ':all:', '--target', fresh, '--requirement', requirements]
  await run('python3', ['-m', 'pip', 'install', ...quietly, ...into])
}
