import { ALIASES, isVerb, programFor } from './catalogue.ts'
import type { Terminal } from './terminal.ts'

/**
 * The command first: options before it are moved behind it, with their values. In `-n console list` the command is `list`,
 * since `-n` takes what follows.
 */
export async function verbFirst(words: readonly string[], terminal: Terminal): Promise<string[]> {
  if (words[0]?.startsWith('-') !== true || words[0] === '--') return [...words]
  for (const [place, word] of words.entries()) {
    if (Object.hasOwn(ALIASES, word)) return moved(words, place)
    if (isVerb(word) && !(await takesValue(word, words[place - 1] ?? '', terminal)))
      return moved(words, place)
  }
  return [...words]
}

function moved(words: readonly string[], place: number): string[] {
  return [...words.slice(place, place + 1), ...words.slice(0, place), ...words.slice(place + 1)]
}

async function takesValue(verb: string, option: string, terminal: Terminal): Promise<boolean> {
  if (!option.startsWith('-')) return false
  const { commands } = await programFor([verb], '', terminal)
  const options = commands.find((command) => command.name() === verb)?.options ?? []
  return options.some(({ short, long, required }) => required && [short, long].includes(option))
}
