import { systemClock } from '../process/clock.ts'
import { connect, contextsOf, openCluster } from './connect.ts'
import { safeOutput } from './safe-output.ts'
import type { Terminal } from './terminal.ts'
import { oneAtATime } from './turns.ts'

/** The parts of Node's `process` that the client uses. */
interface Process extends Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'platform'> {}

/** The terminal of a process; `program`: the command that started it. Rarely needed parts are loaded on use. */
export function processTerminal(
  { stdin, stdout, stderr, env, platform }: Process,
  program: string,
  stopSignal: AbortSignal,
): Terminal {
  // Windows has its home elsewhere.
  const environment = { ...env, HOME: env['HOME'] ?? env['USERPROFILE'] }
  const outside = {
    clock: systemClock,
    environment,
    stderr: safeOutput(stderr),
    stopSignal,
    inTurn: oneAtATime(),
  }
  return {
    stdout,
    stderr,
    ask: askAt({ stdin, stderr }, stopSignal),
    clock: systemClock,
    environment,
    stopSignal,
    program,
    async openPage(url) {
      const { openPage } = await import('./browser.ts')
      return openPage(url, platform, env)
    },
    contexts: (connection) => contextsOf(connection, outside),
    connect: (connection) => connect(connection, outside),
    openCluster: (connection) => openCluster(connection, outside),
  }
}

/** Asks the person at this terminal; undefined: there is none. */
export function askAt(
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Terminal['ask'] {
  if (!stdin.isTTY || !stderr.isTTY) return undefined
  return async (question) => {
    const { createInterface } = await import('node:readline/promises')
    const lines = createInterface({ input: stdin, output: stderr })
    try {
      return await lines.question(question, { signal })
    } finally {
      lines.close()
    }
  }
}
