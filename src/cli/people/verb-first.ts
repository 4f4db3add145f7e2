import { ALIASES, isVerb, programFor } from './catalogue.ts'
import type { Terminal } from '../../client/terminal.ts'

/** The options of "Where, and as whom" that take a value. */
const WHERE = new Set([
  '-n',
  '--namespace',
  '--context',
  '--contexts',
  '--kubeconfig',
  '--as',
  '--as-group',
  '--server',
  '--certificate-authority',
])

/**
 * The position of the command behind options of "Where, and as whom", as in `-n shop list`: the number of words if
 * there is no command; undefined: other options precede it.
 */
export function placeOfVerb(words: readonly string[]): number | undefined {
  let place = 0
  while (place < words.length) {
    const word = words[place] ?? ''
    if (!word.startsWith('-')) return place
    const [name = '', value] = word.split('=', 2)
    if (word === '--insecure') place += 1
    else if (WHERE.has(name)) place += value === undefined ? 2 : 1
    else if (/^-n./.test(word)) place += 1
    else return undefined
  }
  return words.length
}

/**
 * The command first: options before it are moved behind it, with their values. In `-n console list` the command is
 * `list`, since `-n` takes a value.
 */
export async function verbFirst(words: readonly string[], terminal: Terminal): Promise<string[]> {
  if (words[0]?.startsWith('-') !== true || words[0] === '--') return [...words]
  for (const [place, word] of words.entries()) {
    if (Object.hasOwn(ALIASES, word)) return moved(words, place)
    if (isVerb(word) && !(await takesValue(word, words[place - 1] ?? '', terminal)))
      return moved(words, place)
  }
  // A word that is no command is reported as one.
  const place = placeOfVerb(words)
  return place === undefined || place === words.length ? [...words] : moved(words, place)
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
