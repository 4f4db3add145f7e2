import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT } from './dormouse.ts'
import { runProgram } from './kubectl.ts'

/** The commit of the former release; once there is a release, its tag. */
const COMMIT = '2a1efba'

export interface FormerRelease {
  /** Its program, for `Dormouse.start`. */
  readonly main: string
  remove(): Promise<void>
}

/** The sources of the former release in a folder of their own, with the packages of this one; a text: why not. */
export async function formerRelease(): Promise<FormerRelease | string> {
  const known = await git('cat-file', '-e', `${COMMIT}^{commit}`)
  if (known.code !== 0)
    return `the former release: git has no commit ${COMMIT} here (of a shallow clone: git fetch --unshallow)`
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-former-'))
  const archive = join(folder, 'former.tar')
  await done('git', 'archive', `--output=${archive}`, COMMIT, 'src', 'package.json')
  await done('tar', '-xf', archive, '-C', folder)
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
  return {
    main: join(folder, 'src', 'main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function done(program: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await runProgram(program, args, { cwd: PROJECT })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stderr}`)
}

/** git in the project; a code of null: there is no git. */
export function git(...args: string[]) {
  return runProgram('git', args, { cwd: PROJECT }).catch(() => ({ code: null, stdout: '', stderr: '' }))
}
