import type { Fault } from '../errors.ts'

/** One fault of the configuration. */
export interface ConfigFault extends Fault {
  readonly expected: string
  /** The offending value as text, shortened; undefined: there is none. */
  readonly found: string | undefined
  /** `dormouse.yaml:4:3` (line and column, from 1), the variable's or option's name, or `default`. */
  readonly source: string
}

/** Everything that is wrong with the configuration, at once. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    const title = faults.length === 1 ? '1 fault' : `${faults.length} faults`
    const lines = faults.map(({ source, pointer, message }) => `  ${source}: ${pointer || '/'}: ${message}`)
    super([`${title} in the configuration:`, ...lines].join('\n'))
    this.faults = faults
  }
}

export function fault(pointer: string, source: string, expected: string, found?: string): ConfigFault {
  const message = found === undefined ? expected : `expected ${expected}, found ${found}`
  return { pointer, source, expected, found, message }
}

/** A value as a message shows it, at most 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** `unknown key 'prot': did you mean 'port'?`: the nearest of the known names, if one is near. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance)[0]
  // Of a short name half the letters are no likeness: `foo` is not meant to be `log`.
  const few = Math.min(Math.max(2, Math.floor(name.length / 4)), Math.floor(name.length / 2))
  return near && near.distance <= few
    ? `unknown ${what} '${name}': did you mean '${near.candidate}'?`
    : `unknown ${what} '${name}': remove it`
}

function plain(name: string): string {
  return name.slice(0, 100).replaceAll(/[-_]/g, '').toLowerCase()
}

/** Levenshtein's: how many letters to add, drop or change. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [row[j], previous[j + 1], previous[j]]
      row.push(Math.min(left + 1, above + 1, diagonal + (a[i] === b[j] ? 0 : 1)))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
