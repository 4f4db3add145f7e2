import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { KIND_TEXTS, kindNamed, targetText } from '../../client/kinds.ts'
import { FORMATS } from '../../client/output.ts'
import { programFor, VERBS } from './catalogue.ts'
import type { Connection, Dormouse } from '../../client/ports.ts'
import type { Terminal } from '../../client/terminal.ts'
import { placeOfVerb, verbFirst } from './verb-first.ts'

/** Milliseconds: nobody waits longer for a list of names. */
const PATIENCE = 3000
/** A word that needs no quotes in a shell: it goes into the command line as it is, and names come from other people. */
const WORD = /^[\w@%+=:,./-]+(?:\t.*)?$/
/** Tells kubectl's completion not to offer file names (cobra's ShellCompDirectiveNoFileComp). */
const NO_FILES = ':4'

/**
 * Prints the completions of the last word, one a line, then `:4`, as kubectl expects from `kubectl_complete-dormouse`.
 * If a lookup fails, it prints no names.
 */
export async function complete(words: readonly string[], terminal: Terminal): Promise<void> {
  const silent = { ...terminal, stdout: { write() {} }, stderr: { write() {} } }
  const found = await candidates(words, silent).catch(() => [])
  const last = words.at(-1) ?? ''
  const lines = found.filter((line) => line.startsWith(last) && WORD.test(line))
  terminal.stdout.write([...lines, NO_FILES, ''].join('\n'))
}

async function candidates(typed: readonly string[], terminal: Terminal): Promise<string[]> {
  const words = [...(await verbFirst(typed.slice(0, -1), terminal)), ...typed.slice(-1)]
  const [verb = '', ...rest] = words
  if (words.length < 2 || placeOfVerb(words.slice(0, -1)) === words.length - 1) {
    const program = await programFor([], '', terminal)
    return program.commands.map((command) => `${command.name()}\t${command.description()}`)
  }
  if (!VERBS.some((known) => known === verb)) return []
  const command = (await programFor([verb], '', terminal)).commands.find((each) => each.name() === verb)
  const [last = '', before = ''] = [rest.at(-1), rest.at(-2)]
  if (!command) return []
  const option = optionOf(command, before)
  const isValue = option?.required === true
  command.parseOptions(rest.slice(0, isValue ? -2 : -1))
  const connection: Connection = command.opts()
  if (isValue) return valuesOf(option.long ?? '', option.argChoices, connection, terminal)
  if (last.startsWith('-'))
    return command.options
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => `${long ?? short ?? ''}\t${description}`)
  return argumentsOf(verb, last, connection, terminal)
}

function optionOf(command: Command, word: string) {
  return command.options.find(({ short, long }) => word !== '' && (word === short || word === long))
}

async function valuesOf(
  option: string,
  choices: readonly string[] | undefined,
  connection: Connection,
  terminal: Terminal,
): Promise<string[]> {
  if (choices) return [...choices]
  if (option === '--output') return [...FORMATS]
  if (option === '--for') return ['1h', '2h', '4h', '8h', '24h']
  if (option === '--context' || option === '--contexts') {
    return (await terminal.contexts(connection)).map(({ name }) => name)
  }
  if (option === '--namespace')
    return reading(terminal, connection, async (dormouse) => [...(await dormouse.namespaces())])
  return []
}

async function argumentsOf(
  verb: string,
  last: string,
  connection: Connection,
  terminal: Terminal,
): Promise<string[]> {
  if (verb === 'completion') return ['bash', 'zsh', 'fish']
  if (verb === 'check' || verb === 'explain' || verb === 'savings') return []
  if (verb === 'list') return [...KIND_TEXTS]
  const [before = '', name] = last.split('/')
  const kind = name === undefined ? undefined : kindNamed(before)
  return reading(terminal, connection, async (dormouse) => {
    const found = await dormouse.list({ namespace: connection.namespace ?? dormouse.defaultNamespace, kind })
    return found.map((each) =>
      kind === undefined
        ? targetText({ kind: each.kind, name: each.record.name })
        : `${before}/${each.record.name}`,
    )
  })
}

async function reading(
  terminal: Terminal,
  connection: Connection,
  read: (dormouse: Dormouse) => Promise<string[]>,
): Promise<string[]> {
  const dormouse = await terminal.connect(connection)
  try {
    return await Promise.race([read(dormouse), pause(PATIENCE, [], { ref: false })])
  } finally {
    await dormouse.close()
  }
}
