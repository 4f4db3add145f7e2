import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Kills the child if the tests end before it: none is left behind after a crash. */
export function endsWithTests(child: ChildProcess): ChildProcess {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return child.once('exit', () => process.off('exit', kill))
}

/** A child process that prints one line of JSON on standard output once it is ready. */
export class RunningProgram {
  /** Lines of standard error. */
  readonly log: string[] = []
  /** Lines of both streams, as they came. */
  readonly output: string[] = []
  readonly #child: ChildProcess
  readonly #firstLine = Promise.withResolvers<string>()
  readonly #closed: Promise<number | null>

  constructor(child: ChildProcess) {
    const { stdout, stderr } = child
    if (!stdout || !stderr) throw new TypeError('its output is not piped')
    this.#child = child
    this.#closed = once(child, 'close').then(([code]) => code as number | null)
    createInterface(stderr).on('line', (line) => {
      this.log.push(line)
      this.output.push(line)
    })
    createInterface(stdout).on('line', (line) => {
      this.output.push(line)
      this.#firstLine.resolve(line)
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The line of JSON. @throws Error with its last output if it ends before */
  async ready<T>(): Promise<T> {
    const ended = this.#closed.then((code) => {
      const last = this.output.slice(-25).join('\n')
      throw new Error(`the program ended with ${code} before it was ready:\n${last}`)
    })
    ended.catch(() => {})
    return JSON.parse(await Promise.race([this.#firstLine.promise, ended])) as T
  }

  /** The exit code once it has ended; null: a signal ended it. */
  ended(): Promise<number | null> {
    return this.#closed
  }

  /** Sends a signal unless it has ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal)
  }

  /** Sends a signal unless it has ended; resolves with the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.signal(signal)
    return this.#closed
  }
}
