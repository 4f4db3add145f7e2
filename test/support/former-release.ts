import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT } from './dormouse.ts'
import type { Need } from '../suite/need.ts'
import { runProgram } from './kubectl.ts'

/**
 * The commit of the former release; once there is a release, its tag. Those before states were signed count for none: what
 * they write beside this one is not believed.
 */
const COMMIT = 'ff7fca846175c04844cc9f224566367f00a4aaad'

export interface FormerRelease {
  /** Its program, for `Dormouse.start`. */
  readonly main: string
  remove(): Promise<void>
}

/** Its commit, where git has it. */
export const formerCommit: Need<string> = {
  phrase: 'with the former release',
  quick: false,
  gotten: `in git's history (of a shallow clone: git fetch --unshallow)`,
  find: () =>
    spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: PROJECT }).status === 0
      ? COMMIT
      : undefined,
}

/** The sources of the former release in a folder of their own, with the packages of this one. */
export async function formerRelease(commit: string): Promise<FormerRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-former-'))
  const archive = join(folder, 'former.tar')
  await done('git', 'archive', `--output=${archive}`, commit, 'src', 'package.json')
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
