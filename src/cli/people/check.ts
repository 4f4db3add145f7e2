import type { Command } from 'commander'
import { registerCheck } from '../check.ts'
import type { Terminal } from '../../client/terminal.ts'

/** `check` as the service's own program has it; outside a cluster there is no namespace of our own. */
export function registerCheckCommand(program: Command, terminal: Terminal): void {
  registerCheck(program, {
    ...terminal,
    timezone: terminal.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ownNamespace: undefined,
    logDestination: { write: (text) => terminal.stderr.write(text) },
  })
}
