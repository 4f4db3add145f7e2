import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT, programEnvironment } from '../support/dormouse.ts'

/** Commands write into a copy of the project, made of links, and not into the project itself. */
const NOT_LINKED = new Set(['.git', 'keys', 'config.yaml'])

/** A terminal in which the blocks of a page run in turn, so that exports reach later blocks. */
export class Shell {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #directory: string
  #count = 0

  private constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.#directory = directory
    const home = join(directory, 'home')
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: join(directory, 'project'),
      env: { ...programEnvironment(), HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    if (!this.#child.stdout) throw new TypeError('its output is not piped')
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
  }

  /** `kubeconfig`: of the reader's cluster; `client`: whether the reader has installed `kubectl dormouse`. */
  static async start(kubeconfig: string, env: NodeJS.ProcessEnv = {}, client = true): Promise<Shell> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-docs-'))
    const project = join(directory, 'project')
    await mkdir(join(directory, 'home', '.kube'), { recursive: true })
    await mkdir(project)
    await symlink(kubeconfig, join(directory, 'home', '.kube', 'config'))
    for (const name of await readdir(PROJECT)) {
      if (!NOT_LINKED.has(name)) await symlink(join(PROJECT, name), join(project, name))
    }
    const PATH = client ? `${await installed(join(directory, 'bin'))}:${process.env['PATH']}` : undefined
    return new Shell(directory, { KUBECONFIG: kubeconfig, ...(PATH && { PATH }), ...env })
  }

  /**
   * Runs commands until one fails; returns the output of both streams, in order, and the last exit code. A
   * failure ends the terminal, unless it is `expected`.
   */
  async run(text: string, expected: 'success' | 'failure' = 'success'): Promise<Outcome> {
    this.#count += 1
    const file = join(this.#directory, `${this.#count}.sh`)
    await writeFile(file, `${text}\n`)
    const sourced = `. ${file} </dev/null >${file}.out 2>&1`
    this.#child.stdin?.write(`${expected === 'success' ? lasting(sourced) : passing(sourced)}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('an earlier block of this page failed, and ended the terminal')
    return { code: Number(value), output: await readFile(`${file}.out`, 'utf8') }
  }

  /** Ends it, and all processes that it started. */
  async stop(): Promise<void> {
    const { pid } = this.#child
    if (this.#child.exitCode === null && pid !== undefined) {
      const exited = once(this.#child, 'exit')
      process.kill(-pid, 'SIGTERM')
      await exited
    }
    await rm(this.#directory, { recursive: true, force: true })
  }
}

interface Outcome {
  readonly code: number
  readonly output: string
}

/** Runs in the terminal itself, so that exports stay; the trap prints the exit code of a failure that ends it. */
function lasting(sourced: string): string {
  return `exec 4>&1; trap 'echo $? >&4' EXIT; set -e; ${sourced}\ntrap - EXIT; set +e; echo 0`
}

function passing(sourced: string): string {
  return `(set -e; ${sourced})\necho $?`
}

/** The client as it is after its installation, run from the sources. */
async function installed(directory: string): Promise<string> {
  await mkdir(directory)
  const main = join(PROJECT, 'src', 'cli', 'people', 'main.ts')
  const script = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`
  for (const name of ['kubectl-dormouse', 'dormouse'])
    await writeFile(join(directory, name), script, { mode: 0o755 })
  return directory
}
