import { resourceOf } from '../../domain/kinds.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { quoted, type MatchCondition } from './match-conditions.ts'

/** The workloads whose scaling needs our answer: by name, by namespace, or all. Sorted. */
export type HeldScope =
  | { readonly type: 'workloads'; readonly names: readonly string[] }
  | { readonly type: 'namespaces'; readonly names: readonly string[] }
  | { readonly type: 'all' }

/** A selector's requirement on the labels of a namespace. */
export interface Requirement {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

/**
 * Divides scalings between two webhooks, so that each is reviewed exactly once; undefined: that webhook does not exist.
 */
export interface Twins {
  readonly held: Share | undefined
  readonly others: Share | undefined
}

interface Share {
  readonly matchConditions: readonly MatchCondition[]
  readonly namespaces: readonly Requirement[]
}

/** The most names of workloads in one condition, or of namespaces in one selector. */
const MOST = 500
/** Characters of a list of workloads: CEL parses no expression of more than 100,000, and these are written quoted. */
const LONGEST_LIST = 60_000
const NAME_LABEL = 'kubernetes.io/metadata.name'
const HELD = 'is-held'
const UNHELD = 'is-not-held'
const NOTHING: HeldScope = { type: 'workloads', names: [] }

/** `deployments/shop/web`: a workload's name in the match conditions of scale reviews. */
export function scaledName({ kind, namespace, name }: WorkloadKey): string {
  return `${resourceOf(kind).resource}/${namespace}/${name}`
}

/**
 * The smallest scope that covers these workloads (by `scaledName`) within the limits: they, their namespaces, or all.
 */
export function scopeOf(workloads: Iterable<string>): HeldScope {
  const names = [...new Set(workloads)].toSorted()
  const length = names.reduce((sum, name) => sum + quoted(name).length + 2, 0)
  if (names.length <= MOST && length <= LONGEST_LIST) return { type: 'workloads', names }
  return scopeOfNamespaces(names.map(namespaceIn))
}

function scopeOfNamespaces(namespaces: readonly string[]): HeldScope {
  const names = [...new Set(namespaces)].toSorted()
  return names.length <= MOST ? { type: 'namespaces', names } : { type: 'all' }
}

/** The smallest scope that covers both. */
export function joined(a: HeldScope, b: HeldScope): HeldScope {
  if (a.type === 'all' || b.type === 'all') return { type: 'all' }
  if (a.type === 'workloads' && b.type === 'workloads') return scopeOf([...a.names, ...b.names])
  return scopeOfNamespaces([...namespacesOf(a), ...namespacesOf(b)])
}

function namespacesOf({ type, names }: Exclude<HeldScope, { type: 'all' }>): readonly string[] {
  return type === 'namespaces' ? names : names.map(namespaceIn)
}

function namespaceIn(name: string): string {
  return name.split('/')[1] ?? ''
}

/** Divides the scalings between the two webhooks. */
export function twinsOf(scope: HeldScope): Twins {
  const all: Share = { matchConditions: [], namespaces: [] }
  if (scope.type === 'all') return { held: all, others: undefined }
  // The API server refuses In and NotIn without values.
  if (scope.names.length === 0) return { held: undefined, others: all }
  if (scope.type === 'namespaces') {
    const within = (operator: string): Share => ({
      ...all,
      namespaces: [{ key: NAME_LABEL, operator, values: scope.names }],
    })
    return { held: within('In'), others: within('NotIn') }
  }
  const isListed =
    `request.resource.resource + '/' + request.namespace + '/' + request.name in ` +
    `[${scope.names.map(quoted).join(', ')}]`
  return {
    held: { ...all, matchConditions: [{ name: HELD, expression: isListed }] },
    others: { ...all, matchConditions: [{ name: UNHELD, expression: `!(${isListed})` }] },
  }
}

/** The scope that the webhook of held workloads was written with; without that webhook: an empty one. */
export function writtenScope(webhook: Readonly<Record<string, unknown>> | undefined): HeldScope {
  if (!webhook) return NOTHING
  const conditions = (webhook['matchConditions'] ?? []) as readonly MatchCondition[]
  const listed = conditions.find(({ name }) => name === HELD)?.expression.split(' in ')[1]
  if (listed !== undefined) return scopeOf(Array.from(listed.matchAll(/'([^']+)'/g), ([, name = '']) => name))
  const { matchExpressions = [] } = (webhook['namespaceSelector'] ?? {}) as {
    readonly matchExpressions?: readonly Requirement[]
  }
  const within = matchExpressions.find(({ key, operator }) => key === NAME_LABEL && operator === 'In')
  return within ? scopeOfNamespaces(within.values) : { type: 'all' }
}
