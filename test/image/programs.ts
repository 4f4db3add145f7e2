import { runProgram } from '../support/kubectl.ts'

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

/** Why images cannot be built and run on this machine; undefined: they can. */
export async function whyNotHere(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'images are built and run on Linux only'
  if (process.getuid?.() !== 0) return 'images are built and run by root only'
  for (const program of ['buildah', 'debootstrap']) {
    const there = await run(program, ['--version']).catch(() => undefined)
    if (there === undefined) return `there is no ${program} (.ci/install installs it)`
  }
  return run('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).then(
    () => undefined,
    (error: Error) => `this machine's root may not mount: ${error.message}`,
  )
}
