import { nearestName } from '../../domain/nearest.ts'
import type { Fault } from '../../process/errors.ts'

/** One fault of the configuration. */
export interface ConfigFault extends Fault {
  readonly expected: string
  /** The offending value as text, shortened; undefined: there is none. */
  readonly found: string | undefined
  /** `dormouse.yaml:4:3` (line and column, from 1), the variable's or option's name, or `default`. */
  readonly source: string
}

/** Every fault of the configuration at once. */
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

/** A value as messages show it, at most 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** `unknown key 'prot': did you mean 'port'?`, or without the question when no known name is similar. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  return meant === undefined
    ? `unknown ${what} '${name}': remove it`
    : `unknown ${what} '${name}': did you mean '${meant}'?`
}
