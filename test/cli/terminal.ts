import type { Command } from 'commander'
import { createProgram, run, type CliPorts } from '../../src/cli/program.ts'

/** The output of one call at a terminal. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs one command outside a cluster, with ports that write into strings; `now` in milliseconds. */
export async function call(
  register: (program: Command, ports: CliPorts) => void,
  args: readonly string[],
  now = Date.parse('2026-03-02T12:00:00Z'),
): Promise<Outcome> {
  const written = { out: '', err: '' }
  const ports: CliPorts = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    clock: () => now,
    timezone: 'UTC',
    environment: {},
    stopSignal: new AbortController().signal,
    ownNamespace: undefined,
    logDestination: { write: () => {} },
  }
  const program = createProgram('1.2.3', ports)
  register(program, ports)
  const code = await run(program, args, ports)
  return { code, ...written }
}
