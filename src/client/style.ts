import { shellWord } from '../words/text.ts'
import type { Connection, Dormouse } from './ports.ts'
import type { Terminal } from './terminal.ts'
import { paintFor } from './text/colour.ts'
import type { Style } from './text/why.ts'

/** How this call's texts are written. */
export function styleFor(
  terminal: Terminal,
  options: Connection,
  { defaultNamespace }: Pick<Dormouse, 'defaultNamespace'>,
): Style {
  return {
    times: { now: terminal.clock(), zone: terminal.timezone },
    advice: { program: terminal.program, options: samePlace(options), defaultNamespace },
    paint: paintFor(terminal),
    width: widthOf(terminal),
  }
}

/** Characters of a line; undefined: nobody reads it on a terminal. */
export function widthOf({ stdout }: Pick<Terminal, 'stdout'>): number | undefined {
  return stdout.isTTY ? stdout.columns : undefined
}

/** Prints once, on standard error, what may be missing from the data; `names`: only names are shown. */
export function printNotes(
  { stderr }: Pick<Terminal, 'stderr'>,
  { notes, unknowns }: Pick<Dormouse, 'notes' | 'unknowns'>,
  names = false,
): void {
  for (const note of names ? notes : [...notes, ...unknowns]) stderr.write(`note: ${note}\n`)
}

/** The options that lead a pasted command to the same place: ` --context dev`, or nothing. */
export function samePlace(options: Connection): string {
  const { context, kubeconfig, server, certificateAuthority, insecure, as, asGroup = [] } = options
  const given = [
    ['context', context],
    ['kubeconfig', kubeconfig],
    ['server', server],
    ['certificate-authority', certificateAuthority],
    ['as', as],
    ...asGroup.map((group) => ['as-group', group] as const),
  ] as const
  const typed = given.map(([name, value]) => (value === undefined ? '' : ` --${name} ${shellWord(value)}`))
  return `${typed.join('')}${insecure ? ' --insecure' : ''}`
}
