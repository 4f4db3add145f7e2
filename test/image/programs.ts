import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** debootstrap and chroot lie in folders that not everyone has on the path. */
const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`

/**
 * What a program wrote on standard output, trimmed. Fails with the last lines that it wrote on both.
 * `variables` come on top of the tests' own.
 */
export async function run(
  program: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = { env: { ...process.env, PATH, ...variables }, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await execute(program, args, options).catch(
    (error: { stdout?: string; stderr?: string; message: string }) => {
      const said = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n')
      throw new Error(`${program} ${args[0] ?? ''} failed:\n${said || error.message}`, { cause: error })
    },
  )
  return stdout.trim()
}

/** Why images cannot be built and run on this machine; undefined where they can. */
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
