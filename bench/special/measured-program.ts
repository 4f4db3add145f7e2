import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { PROJECT, programEnvironment } from '../../test/support/dormouse.ts'
import type { LoopDelay } from './loop-delay.ts'

const PRELOAD = fileURLToPath(new URL('loop-delay.ts', import.meta.url))

/** Of `/proc`: USER_HZ is 100 on every Linux that Node runs on (proc(5)). */
const TICKS_A_SECOND = 100

interface Ready {
  readonly api: string
  readonly webhook: string
}

/** The program in another process, with measurements of its event loop and its memory. */
export class MeasuredProgram {
  readonly #child: ChildProcess
  readonly log: string[] = []

  /** `checkout`: the project's own by default, else a folder with another state of it. */
  constructor(args: readonly string[], checkout = PROJECT) {
    const main = join(checkout, 'src', 'main.ts')
    this.#child = spawn(process.execPath, ['--import', PRELOAD, main, ...args], {
      cwd: checkout,
      // As the image sets it.
      env: { ...programEnvironment(), MALLOC_ARENA_MAX: '2' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    process.once('exit', () => this.#child.kill('SIGKILL'))
    if (this.#child.stderr) createInterface(this.#child.stderr).on('line', (line) => this.log.push(line))
  }

  /** The first line of its output, which `--json` prints once it is ready. */
  async ready(): Promise<Ready> {
    if (!this.#child.stdout) throw new TypeError('its output is not piped')
    const first = once(createInterface(this.#child.stdout), 'line') as Promise<[string]>
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error(`it ended before it was ready:\n${this.log.slice(-10).join('\n')}`)
    })
    const [line] = await Promise.race([first, ended])
    ended.catch(() => {})
    return JSON.parse(line) as Ready
  }

  /** Since the last call. */
  async loopDelay(): Promise<LoopDelay> {
    const answer = once(this.#child, 'message') as Promise<[LoopDelay]>
    this.#child.send('loop delay')
    return (await answer)[0]
  }

  /** MiB. */
  async memory(): Promise<{ now: number; peak: number }> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    const mebibytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
    return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
  }

  /** Seconds of processor time since its start. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) / TICKS_A_SECOND
  }

  /** How many files and sockets it has open. */
  async descriptors(): Promise<number> {
    return (await readdir(`/proc/${this.#child.pid}/fd`)).length
  }

  /** Milliseconds from SIGTERM to its end; undefined: it had to be killed after `patience`. */
  async stop(patience = 30_000): Promise<number | undefined> {
    const begun = performance.now()
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), patience)
    const [, signal] = (await exited) as [number | null, NodeJS.Signals | null]
    clearTimeout(timer)
    return signal === 'SIGKILL' ? undefined : performance.now() - begun
  }
}
