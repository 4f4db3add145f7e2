import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Environment } from './kube-config.ts'

/** Milliseconds to read the pipes after the process has ended: its own child processes may hold them open for ever. */
const LAST_WORDS_MS = 500

export interface PluginRun {
  readonly output: string
  readonly complaint: string
  /** Why it failed, to follow the plugin's name; undefined: it exited with 0. */
  readonly failure: string | undefined
}

/**
 * Runs a program without standard input, since nobody is there to type. After `longestRun` milliseconds, and when this
 * process ends, it is killed with all its child processes. It does not keep this process alive.
 * @throws the Error of `spawn`
 */
export async function runPlugin(
  command: string,
  args: readonly string[],
  env: Environment,
  longestRun: number,
): Promise<PluginRun> {
  // A process group of its own can be killed as a whole.
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => killGroup(child)
  let late = false
  const timer = setTimeout(() => {
    late = true
    kill()
  }, longestRun)
  timer.unref()
  child.unref()
  const pipes = [child.stdout, child.stderr] as Socket[]
  for (const pipe of pipes) pipe.unref()
  // oxlint-disable-next-line no-restricted-properties -- no signal: it does not outlive us
  process.once('exit', kill)
  child.once('exit', () => {
    const last = setTimeout(() => {
      for (const pipe of pipes) pipe.push(null)
    }, LAST_WORDS_MS)
    child.once('close', () => clearTimeout(last))
  })
  try {
    const [output, complaint, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null, string | null]>,
    ])
    return { output, complaint, failure: failureOf(code, signal, late ? longestRun : undefined) }
  } finally {
    clearTimeout(timer)
    process.off('exit', kill)
  }
}

function failureOf(code: number | null, signal: string | null, late: number | undefined): string | undefined {
  if (late !== undefined) return `did not end within ${late / 1000} s and was killed`
  if (signal !== null) return `was killed by ${signal}`
  return code === 0 ? undefined : `ended with ${code}`
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
