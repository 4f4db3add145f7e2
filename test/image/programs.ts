import { spawnSync } from 'node:child_process'
import { runProgram } from '../support/kubectl.ts'
import type { Need } from '../suite/need.ts'

/** With the folders of debootstrap and chroot, which not every user has. */
const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`

/**
 * A program's standard output, trimmed. `variables` are added to the environment.
 * @throws Error with its last output if it fails
 */
export async function run(
  program: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = { ...process.env, PATH, ...variables }
  const { code, stdout, stderr } = await runProgram(program, args, { env })
  if (code === 0) return stdout.trim()
  const last = `${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n')
  throw new Error(`${program} ${args[0] ?? ''} ended with ${code}:\n${last}`)
}

/** Whether images can be built and run on this machine. */
export const imageTools: Need<true> = {
  phrase: 'with the tools of images',
  quick: false,
  gotten: 'on Linux, as root that may mount; installed by .ci/install (Debian: buildah, debootstrap)',
  find: () => (canMount() && ['buildah', 'debootstrap'].every(startsHere) ? true : undefined),
}

function startsHere(program: string): boolean {
  return spawnSync(program, ['--version'], { env: { ...process.env, PATH } }).status === 0
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  return (
    spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0
  )
}
