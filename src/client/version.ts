import { readFileSync } from 'node:fs'

/** Set by the bundler, whose files lie elsewhere. */
declare const DORMOUSE_VERSION: string | undefined

/** The version of the package that this is part of. */
export function clientVersion(): string {
  if (typeof DORMOUSE_VERSION === 'string') return DORMOUSE_VERSION
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
