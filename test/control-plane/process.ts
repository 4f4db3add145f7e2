import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import type { Guard } from './guard.ts'

/** One program of the control plane, running. */
export interface RunningProgram {
  readonly name: string
  readonly pid: number
  /** Its standard output and error. */
  readonly logFile: string
  /** Undefined while it runs; then how it ended. */
  ended(): string | undefined
  /** SIGTERM, and SIGKILL after `patience` milliseconds; resolves when it has ended. */
  stop(patience?: number): Promise<void>
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>
}

export async function startProgram(
  name: string,
  path: string,
  args: readonly string[],
  logFile: string,
  guard: Guard,
): Promise<RunningProgram> {
  const log = await open(logFile, 'a')
  // Detached: Ctrl-C at the terminal reaches the tests, which stop the programs in order.
  const child = spawn(path, args, { stdio: ['ignore', log.fd, log.fd], detached: true })
  try {
    await once(child, 'spawn')
  } finally {
    await log.close()
  }
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} has no pid`)
  guard.watch(pid)
  child.unref()
  const gone = exited(child).then(() => guard.forget(pid))
  const end = async (signal: NodeJS.Signals) => {
    // We stay alive while we wait for its end, but not while it runs.
    child.ref()
    if (howItEnded(child) === undefined) child.kill(signal)
    await gone
  }
  return {
    name,
    pid,
    logFile,
    ended: () => howItEnded(child),
    kill: () => end('SIGKILL'),
    async stop(patience = 2000) {
      const killer = setTimeout(() => child.kill('SIGKILL'), patience)
      await end('SIGTERM').finally(() => clearTimeout(killer))
    },
  }
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
  })
}

function howItEnded(child: ChildProcess): string | undefined {
  if (child.exitCode !== null) return `exited with code ${child.exitCode}`
  if (child.signalCode !== null) return `was ended by ${child.signalCode}`
  return undefined
}
