import type { KindSettings } from '../../domain/sleeping/configured.ts'
import { FORMAT, readPublished, type Published } from '../../domain/records/published.ts'
import { DEFAULT_POLICY, KUBERNETES_NAMESPACES, type Policy } from '../../domain/workload/settings-rules.ts'

/** The settings that the service publishes in the ConfigMap `dormouse` of `kube-public`. */
export interface KnownService extends Omit<
  Published,
  'timezone' | 'rules' | 'wakeOrderTimeout' | 'kinds' | 'excludeNamespaces' | 'unpublished'
> {
  /** Whether we may read such a ConfigMap, and the service has filled it. */
  readonly isKnown: boolean
  /** Why nothing can be computed from what it publishes: it is newer than this program. undefined: it can. */
  readonly newer: string | undefined
  /** Why no policies are known, where there are none. */
  readonly whyUnknown: string
  readonly policy: Policy
  /** How long a move waits for each lower number of its order, in milliseconds. */
  readonly wakeOrderTimeout: number
  readonly kinds: readonly KindSettings[]
  readonly excludeNamespaces: ReadonlySet<string>
  /** Why `policies`, `calendars` or `prices` are not published, in the service's words. */
  readonly unpublished: Unpublished
}

/** By key: why it is not published, or cannot be read. */
export type Unpublished = NonNullable<Published['unpublished']>

/** There is nothing that could be read. */
export type Absence = 'forbidden' | 'missing'

/** The service's default, in milliseconds. */
const WAKE_ORDER_TIMEOUT = 120_000
/** Keys by which no workload's state or hours are computed: only what was saved depends on them, a name, or what is listed. */
const HARMLESS: ReadonlySet<string> = new Set(['owners', 'prices', 'teamLabel', 'cluster'])

/**
 * Reads the ConfigMap's `data`. A key that is missing gets its default; one that cannot be read makes all unknown that may
 * depend on it, and so does a format above `known`.
 */
export function knownService(
  found: Readonly<Record<string, string>> | Absence,
  known = FORMAT,
): KnownService {
  const data = typeof found === 'string' ? {} : found
  const { settings, unread } = readPublished(data, known)
  const {
    timezone,
    rules,
    wakeOrderTimeout = WAKE_ORDER_TIMEOUT,
    kinds = [],
    excludeNamespaces = [],
    unpublished = {},
    ...told
  } = settings
  const { version } = told
  const isUnread = unread.difference(HARMLESS).size > 0
  const unpriced = unread.has('format') || unread.has('prices') ? { prices: newerText(version) } : {}
  return {
    ...told,
    isKnown: Object.keys(data).length > 0,
    newer: isUnread ? newerText(version) : undefined,
    whyUnknown: whyUnknown(found),
    policy: { ...DEFAULT_POLICY, ...rules, ...(timezone === undefined ? {} : { timezone }) },
    wakeOrderTimeout,
    kinds,
    excludeNamespaces: new Set([...KUBERNETES_NAMESPACES, ...excludeNamespaces]),
    unpublished: { ...unpublished, ...unpriced },
  }
}

/** Why policies are not known; an empty ConfigMap was not filled yet. */
function whyUnknown(found: Readonly<Record<string, string>> | Absence): string {
  if (found === 'forbidden') return "you may not read the service's settings"
  const isEmpty = found === 'missing' || Object.keys(found).length === 0
  return `the service's ${isEmpty ? 'settings' : 'policies'} are not published`
}

/** The service writes what this program cannot read. */
export function newerText(version: string | undefined): string {
  return `the service is newer${version === undefined ? '' : ` (${version})`}: update this program`
}
