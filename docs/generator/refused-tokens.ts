import type { Refused } from '../../test/service/auth/forged-tokens/row.ts'
import { REFUSED } from '../../test/service/auth/forged-tokens/table.ts'
import { code, table } from './page.ts'

/** The tokens that the API refuses and its answers, from the table of its tests. */
export function refusedTokens(): string {
  return table(['Sent', 'Mode', 'Status', 'Message'], REFUSED.flatMap(rowsOf))
}

/** One row for each different answer. */
function rowsOf({ what, refused }: (typeof REFUSED)[number]): string[][] {
  const modes = new Map<string, { readonly answer: Refused; readonly modes: string[] }>()
  for (const [mode, answer] of Object.entries(refused)) {
    const key = JSON.stringify(answer)
    const same = modes.get(key) ?? { answer, modes: [] }
    modes.set(key, same)
    same.modes.push(mode)
  }
  return Array.from(modes.values(), ({ answer, modes }) => [
    what,
    modes.join(', '),
    String(answer.status),
    code(answer.message),
  ])
}
