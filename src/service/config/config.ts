import { kindsOf, ownersOf } from '../../domain/sleeping/presets.ts'
import { KUBERNETES_NAMESPACES } from '../../domain/workload/settings-rules.ts'
import { calendarFaults, crossFaults } from './checks.ts'
import { readDocument } from './document.ts'
import { settingsOf, type Setting } from './environment.ts'
import { InvalidConfig } from './faults.ts'
import { CONFIG_SCHEMA } from './schema.ts'
import { merged, preset, sourcesOf } from './settings.ts'
import type { Config, WrittenConfig } from './schema.ts'
import { invalidValues } from './validation.ts'

export { InvalidConfig } from './faults.ts'
export type { Setting } from './environment.ts'
export type { Config } from './schema.ts'

export interface ConfigInput {
  /** YAML; undefined: no file, all defaults. */
  readonly text?: string | undefined
  /** The file's name in messages. */
  readonly file?: string
  /** All variables; those named DORMOUSE_… override the file. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Options of the command line, which override both. */
  readonly options?: readonly Setting[]
  /** A command's own defaults; file, variables and options override them. */
  readonly presets?: readonly Setting[]
}

/**
 * The settings of the file, the variables and the options together, with defaults; frozen.
 * @throws InvalidConfig with every fault at once (bad YAML syntax hides the faults behind it)
 */
export function loadConfig({
  text = '',
  file = 'configuration',
  environment,
  options = [],
  presets = [],
}: ConfigInput): Config {
  const document = readDocument(text, file)
  const { settings, faults } = settingsOf(environment, CONFIG_SCHEMA)
  const all = [...settings, ...options]
  const sourceOf = sourcesOf(document, all)
  const value = merged(document.value, all, CONFIG_SCHEMA)
  preset(value, presets)
  const invalid = invalidValues(value, sourceOf)
  const config = value as WrittenConfig
  if (invalid.length === 0) {
    excludeKubernetes(config)
    faults.push(...calendarFaults(config, sourceOf))
  }
  faults.push(...invalid, ...crossFaults(config, invalid, sourceOf))
  if (faults.length > 0) throw new InvalidConfig(faults)
  const { kinds, owners } = config
  return frozen({ ...config, kinds: kindsOf(kinds), owners: [...owners, ...ownersOf(kinds)] })
}

/** Every namespace that Dormouse never touches: the configured ones, and its own when it runs in a cluster. */
export function excludedNamespaces({ excludeNamespaces }: Config, own: string | undefined): string[] {
  return [...new Set([...excludeNamespaces, ...(own === undefined ? [] : [own])])]
}

/** Nobody wants them asleep, or behind the webhook. */
function excludeKubernetes(config: WrittenConfig): void {
  const all: { excludeNamespaces: readonly string[] } = config
  all.excludeNamespaces = [...new Set([...KUBERNETES_NAMESPACES, ...config.excludeNamespaces])]
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) frozen(child)
  return Object.freeze(value)
}
