import type { Terminal } from '../terminal.ts'

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const
export type Colour = keyof typeof CODES

export type Paint = (colour: Colour | undefined, text: string) => string

/** Colours only on a terminal, and unless NO_COLOR is set (no-color.org). */
export function paintFor({ stdout, environment }: Pick<Terminal, 'stdout' | 'environment'>): Paint {
  const { NO_COLOR = '', TERM } = environment
  if (stdout.isTTY !== true || NO_COLOR !== '' || TERM === 'dumb') return (_, text) => text
  return (colour, text) => (colour === undefined ? text : `\u001B[${CODES[colour]}m${text}\u001B[0m`)
}
