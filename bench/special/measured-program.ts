import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MAIN, PROJECT, programEnvironment } from '../../test/support/dormouse.ts'
import { memoryOf } from '../measure/process.ts'
import type { LoopDelay } from './loop-delay.ts'

const PRELOAD = fileURLToPath(new URL('loop-delay.ts', import.meta.url))

interface Ready {
  readonly api: string
  readonly webhook: string
}

/** The program in another process, with measurements of its event loop and its memory. */
export class MeasuredProgram {
  readonly #child: ChildProcess
  readonly log: string[] = []

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--import', PRELOAD, MAIN, ...args], {
      cwd: PROJECT,
      // As in the image.
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

  /** MB. */
  memory(): Promise<{ now: number; peak: number }> {
    return memoryOf(this.#child.pid ?? 0)
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
