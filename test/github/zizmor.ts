import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filled, madeOnce, sharedCache } from '../go-programs/cache.ts'
import { leaveOut } from '../support/leave-out.ts'

const VERSION = '1.32.0'
const run = promisify(execFile)

/**
 * The path of zizmor, which judges workflows: from the cache, else installed there from PyPI, once. Where there
 * is neither pip nor a way to PyPI, the test that asks is left out.
 */
export async function zizmor(asking: Mocha.Context): Promise<string> {
  asking.timeout(180_000)
  const cache = sharedCache(`zizmor-${VERSION}`)
  const program = join(cache, 'bin', 'zizmor')
  const found = () =>
    access(program, constants.X_OK).then(
      () => program,
      () => undefined,
    )
  const say = (line: string) => process.stderr.write(`${line}\n`)
  try {
    return await madeOnce(cache, say, found, async () => {
      await filled(cache, install)
      return program
    })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    leaveOut(
      asking,
      `zizmor ${VERSION} cannot be installed: ${(stderr || message).trim().split('\n').at(-1)}`,
    )
  }
}

/** A folder of its own: nothing of the machine's Python is changed, and nothing is compiled. */
async function install(fresh: string): Promise<void> {
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-input']
  const into = ['--only-binary', ':all:', '--target', fresh]
  await run('python3', ['-m', 'pip', 'install', ...quietly, ...into, `zizmor==${VERSION}`])
}
