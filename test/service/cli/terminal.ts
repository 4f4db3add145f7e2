import type { Command } from 'commander'
import { createProgram, run, type CliPorts } from '../../../src/service/cli/program.ts'

/** The ports of commands that print and end. */
export type TerminalPorts = Pick<CliPorts, 'stdout' | 'stderr' | 'clock' | 'environment' | 'logDestination'>

/** The output of one call at a terminal. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs one command with ports that write into strings; `now` in milliseconds. */
export async function call(
  register: (program: Command, ports: TerminalPorts) => void,
  args: readonly string[],
  now = Date.parse('2026-03-02T12:00:00Z'),
): Promise<Outcome> {
  const written = { out: '', err: '' }
  const ports: TerminalPorts = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    clock: () => now,
    environment: {},
    logDestination: { write: () => {} },
  }
  const program = createProgram('1.2.3', ports)
  register(program, ports)
  const code = await run(program, args, ports)
  return { code, ...written }
}
