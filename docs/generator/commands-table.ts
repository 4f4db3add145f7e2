import { describedVerbs } from '../../src/client/catalogue.ts'
import { code, table } from './page.ts'

/** Every command of `kubectl dormouse`, as its help has it. */
export function commandsTable(): string {
  return table(
    ['Command', 'Does'],
    describedVerbs().map(([name, description]) => [code(name), description]),
  )
}
