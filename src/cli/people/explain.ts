import type { Command } from 'commander'
import { registerExplain } from '../explain.ts'
import type { Terminal } from '../../client/terminal.ts'

/** `explain` as the service's own program has it: it needs no cluster. */
export function registerExplainCommand(program: Command, terminal: Terminal): void {
  registerExplain(program, {
    ...terminal,
    logDestination: { write: (text) => terminal.stderr.write(text) },
  })
}
