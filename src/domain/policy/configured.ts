import { globMatcher } from '../glob.ts'
import { parseLabelSelector, type LabelMatcher } from './label-selector.ts'
import { SETTING_NAMES, type SettingName, type SettingValue } from '../inheritable.ts'
import type { Found, Source } from './settings.ts'

/** The kinds that inherit from a policy that names none: "the workloads of a namespace" in common speech. */
export const INHERITING_KINDS: readonly string[] = ['deployments', 'statefulsets']

/** The settings of a policy; null or absent: nothing. */
export type PolicySettings = { readonly [Name in SettingName]?: SettingValue<Name> | null }

/** An entry of `policies` in the configuration. A null or absent field does not narrow it. */
export interface ConfiguredPolicy extends PolicySettings {
  readonly name: string
  /** `names`: globs, of which one has to match; with a `selector`, that has to match as well. */
  readonly namespaces: Narrowed<'names'>
  readonly workloads?: Narrowed<'kinds'> | null
}
type Narrowed<List extends string> = { readonly [L in List]?: readonly string[] | null } & {
  readonly selector?: string | null
}

/** A policy whose globs and selectors are compiled. */
export interface CompiledPolicy {
  readonly source: Source
  readonly settings: Readonly<Partial<Record<SettingName, Found>>>
  readonly kinds: ReadonlySet<string>
  readonly reachesNamespace: (name: string, labels: Labels) => boolean
  /** undefined: all workloads of these kinds. */
  readonly reachesWorkload: LabelMatcher | undefined
}
type Labels = Readonly<Record<string, string>> | undefined

/** @throws InvalidLabelSelector */
export function compilePolicy(policy: ConfiguredPolicy): CompiledPolicy {
  const { namespaces, workloads } = policy
  const source: Source = `policy/${policy.name}`
  const names = namespaces.names ? globMatcher(namespaces.names) : () => true
  const labelled = selector(namespaces.selector) ?? (() => true)
  return {
    source,
    settings: settingsOf(policy, source),
    kinds: new Set(workloads?.kinds ?? INHERITING_KINDS),
    reachesNamespace: (name, labels) => names(name) && labelled(labels),
    reachesWorkload: selector(workloads?.selector),
  }
}

function settingsOf(policy: ConfiguredPolicy, source: Source): CompiledPolicy['settings'] {
  const settings: Partial<Record<SettingName, Found>> = {}
  for (const name of SETTING_NAMES) {
    const value = policy[name]
    if (value !== undefined && value !== null) settings[name] = { text: String(value), source }
  }
  return settings
}

function selector(text: string | null | undefined): LabelMatcher | undefined {
  return text === undefined || text === null ? undefined : parseLabelSelector(text)
}
