import { isRecord } from '../../domain/json-schema.ts'
import { isConfigurable, type ConfiguredKind } from '../../domain/kinds.ts'
import type { ConfiguredPolicy } from '../../domain/policy/configured.ts'
import type { Prices } from '../../domain/records/saved.ts'
import { DEFAULT_POLICY, KUBERNETES_NAMESPACES, type Policy } from '../../domain/workload/settings-rules.ts'

/** The settings that the service publishes in the ConfigMap `dormouse` of `kube-public`. */
export interface KnownService {
  /** Whether we may read such a ConfigMap, and the service has filled it. */
  readonly isKnown: boolean
  readonly version: string | undefined
  readonly policy: Policy
  /** The configured kinds, each with the path of its count. */
  readonly kinds: readonly { readonly resource: ConfiguredKind; readonly specReplicasPath: string }[]
  readonly excludeNamespaces: ReadonlySet<string>
  /** undefined: they are not published. */
  readonly policies: readonly ConfiguredPolicy[] | undefined
  /** The dates of each calendar with their hours; a text: why it cannot be used. undefined: not published. */
  readonly calendars: Readonly<Record<string, Readonly<Record<string, string>> | string>> | undefined
  /** The prices of what was saved; undefined: the service has none, or they are not known here. */
  readonly prices: Prices | undefined
  /** The label that names teams. */
  readonly teamLabel: string | undefined
  /** Why `policies`, `calendars` or `prices` are not published, in the service's words. */
  readonly unpublished: Readonly<Record<string, string>>
  readonly console: string | undefined
}

/**
 * Reads the ConfigMap's `data`; undefined: it does not exist, or may not be read. A missing or malformed value gets its
 * default, and unknown keys are ignored: the service may be older or newer.
 */
export function knownService(data: Readonly<Record<string, string>> | undefined): KnownService {
  const { version, timezone, console } = data ?? {}
  const prices = pricesIn(data?.['prices'])
  const misread = data?.['prices'] !== undefined && !prices ? { prices: 'this program is older' } : {}
  return {
    isKnown: Object.keys(data ?? {}).length > 0,
    version,
    policy: { ...DEFAULT_POLICY, ...rulesIn(data?.['rules']), ...(timezone ? { timezone } : {}) },
    kinds: textsOf(data?.['kinds']).flatMap((text) => {
      const [resource = '', path = '.spec.replicas'] = text.split('=')
      return isConfigurable(resource) ? [{ resource, specReplicasPath: path }] : []
    }),
    excludeNamespaces: new Set([...KUBERNETES_NAMESPACES, ...textsOf(data?.['excludeNamespaces'])]),
    policies: policiesIn(data?.['policies']),
    calendars: calendarsIn(data?.['calendars']),
    prices,
    teamLabel: data?.['teamLabel'],
    unpublished: { ...textsIn(parsed(data?.['unpublished'])), ...misread },
    console,
  }
}

type Section = Readonly<Record<string, unknown>>

/** The rules whose values have the type of their defaults. */
function rulesIn(text: string | undefined): Partial<Policy> {
  return sameTypes(sectionIn(parsed(text)), { ...DEFAULT_POLICY })
}

function sameTypes(section: Section, model: Section): Section {
  return Object.fromEntries(
    Object.entries(model).flatMap(([key, known]) => {
      const value = section[key]
      if (isRecord(known)) return [[key, { ...known, ...sameTypes(sectionIn(value), known) }]]
      // Only the hold may be null.
      const isSame = typeof value === typeof known || (key === 'wakeHold' && value === null)
      return isSame ? [[key, value]] : []
    }),
  )
}

/** undefined also if a policy narrows by an unknown field: it would match more here than there. */
function policiesIn(text: string | undefined): readonly ConfiguredPolicy[] | undefined {
  const list = parsed(text)
  return Array.isArray(list) && list.every(isPolicy) ? list : undefined
}

const NARROWED = { namespaces: ['names', 'selector'], workloads: ['kinds', 'selector'] } as const

function isPolicy(value: unknown): value is ConfiguredPolicy {
  if (!isRecord(value) || typeof value['name'] !== 'string' || !isRecord(value['namespaces'])) return false
  return Object.entries(NARROWED).every(([key, [list, selector]]) => {
    const { [list]: items, [selector]: text, ...others } = sectionIn(value[key])
    const isList = (items ?? null) === null || (Array.isArray(items) && items.every(isText))
    return isList && ((text ?? null) === null || isText(text)) && Object.keys(others).length === 0
  })
}

function calendarsIn(text: string | undefined): KnownService['calendars'] {
  const found = parsed(text)
  const isDated = (dates: unknown) => isText(dates) || (isRecord(dates) && Object.values(dates).every(isText))
  return isRecord(found) && Object.values(found).every(isDated)
    ? (found as KnownService['calendars'])
    : undefined
}

/** undefined also with a key that is not known here: it would change the amounts. */
function pricesIn(text: string | undefined): Prices | undefined {
  const { currency, cpu, memory, ...others } = sectionIn(parsed(text))
  if (!isText(currency) || typeof cpu !== 'number' || typeof memory !== 'number') return undefined
  return Object.keys(others).length === 0 ? { currency, cpu, memory } : undefined
}

function textsIn(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sectionIn(value)).filter((entry): entry is [string, string] => isText(entry[1])),
  )
}

function textsOf(text: string | undefined): string[] {
  const list = parsed(text)
  return Array.isArray(list) ? list.filter(isText) : []
}

function sectionIn(value: unknown): Section {
  return isRecord(value) ? value : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
