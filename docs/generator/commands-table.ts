import { programFor } from '../../src/cli/people/catalogue.ts'
import type { Terminal } from '../../src/client/terminal.ts'
import { code, table } from './page.ts'

/** Only the name is read: no command runs. */
const TERMINAL = { program: 'kubectl dormouse' } as Terminal

/** Every command of `kubectl dormouse`, as its help has it. */
export async function commandsTable(): Promise<string> {
  const { commands } = await programFor([], '', TERMINAL)
  return table(
    ['Command', 'Does'],
    commands.map((command) => [code(command.name()), command.description()]),
  )
}
