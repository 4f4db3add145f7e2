import { isConfigurable, type ConfiguredKind } from '../../domain/kinds.ts'
import type { ConfiguredPolicy } from '../../domain/policy/configured.ts'
import type { Policy } from '../../domain/rules.ts'

/** What the service publishes of its settings in the ConfigMap `dormouse` of `kube-public`. */
export interface KnownService {
  /** Whether we may read such a ConfigMap, and the service has filled it. */
  readonly isKnown: boolean
  readonly version: string | undefined
  readonly policy: Policy
  /** The configured kinds, each with where its count stands. */
  readonly kinds: readonly { readonly resource: ConfiguredKind; readonly specReplicasPath: string }[]
  readonly excludeNamespaces: ReadonlySet<string>
  /** undefined: they are not published. */
  readonly policies: readonly ConfiguredPolicy[] | undefined
  readonly console: string | undefined
}

/** What a service has whose configuration says nothing. */
const DEFAULT_POLICY: Policy = {
  timezone: 'UTC',
  operationTimeout: 10 * 60_000,
  newWorkloadGrace: 15 * 60_000,
  wakeHold: 12 * 3_600_000,
  backoff: { maxOperations: 6, window: 3_600_000, base: 5 * 60_000, max: 3_600_000 },
}
/** Kubernetes creates them, and Dormouse never touches them. */
const ALWAYS_EXCLUDED = ['kube-system', 'kube-public', 'kube-node-lease']

/** Reads the ConfigMap's `data`; undefined: it is not there, or may not be read. What is missing has its default. */
export function knownService(data: Readonly<Record<string, string>> | undefined): KnownService {
  const { version, timezone, console } = data ?? {}
  return {
    isKnown: Object.keys(data ?? {}).length > 0,
    version,
    policy: {
      ...DEFAULT_POLICY,
      ...(parsed(data?.['rules']) as Partial<Policy> | undefined),
      ...(timezone ? { timezone } : {}),
    },
    kinds: textsOf(data?.['kinds']).flatMap((text) => {
      const [resource = '', path = '.spec.replicas'] = text.split('=')
      return isConfigurable(resource) ? [{ resource, specReplicasPath: path }] : []
    }),
    excludeNamespaces: new Set([...ALWAYS_EXCLUDED, ...textsOf(data?.['excludeNamespaces'])]),
    policies:
      data?.['policies'] === undefined ? undefined : ((parsed(data['policies']) ?? []) as ConfiguredPolicy[]),
    console,
  }
}

/** The items of a list in JSON, or of words with commas or white space between. */
function textsOf(text = ''): string[] {
  const list = parsed(text)
  if (Array.isArray(list)) return list.filter((each) => typeof each === 'string')
  return text.split(/[\s,]+/).filter((each) => each !== '')
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
