import { valueAt } from '../json-pointer.ts'
import { isBuiltIn, KIND_NAME, resourceOf, SCALABLE_KINDS, type ConfiguredKind, type Kind } from '../kinds.ts'
import type { Workload, WorkloadKey } from '../workload/workload.ts'
import { targetIn, type Companion, type CompanionRow, type Served } from './companion.ts'

/** The cluster's `kind` of each configured kind; undefined: not known yet. */
export type ConfiguredNames = ReadonlyMap<ConfiguredKind, string | undefined>

export const NO_CONFIGURED_NAMES: ConfiguredNames = new Map()

/** The kinds whose owners are paused beside them. */
export const OWNED_KINDS = ['statefulsets', 'deployments'] as const satisfies readonly Kind[]

/** The workloads beside which it stands, whether they exist or not; `unknown`: the cluster has not reported the kind yet. */
export function workloadsBeside(
  companion: Companion,
  names: ConfiguredNames,
  list: (namespace: string, kind: Kind) => Iterable<Workload>,
): readonly WorkloadKey[] | 'unknown' {
  const { row, served, namespace, object } = companion
  const { link } = row
  if (link.by === 'owner') {
    const text = linkText(companion)
    return OWNED_KINDS.flatMap((kind) =>
      [...list(namespace, kind)].filter((each) => linkTextOf(each, row, served, names) === text),
    )
  }
  if (link.by === 'target') {
    const target = targetOf(companion, names)
    return target === 'unknown' ? target : target ? [target] : []
  }
  const name = valueAt(object, link.field)
  return typeof name === 'string' ? [{ kind: link.kind, namespace, name }] : []
}

/**
 * The workload that it targets, whether that exists or not. `unknown`: it may be of a configured kind, whose name the
 * cluster has not reported yet; undefined: Dormouse does not manage the kind. Like KEDA, it compares the group alone.
 */
export function targetOf(
  companion: Pick<Companion, 'namespace' | 'object'>,
  names: ConfiguredNames = NO_CONFIGURED_NAMES,
): WorkloadKey | 'unknown' | undefined {
  const { namespace } = companion
  const target = targetIn(companion)
  const kinds = [...SCALABLE_KINDS, ...names.keys()].filter(
    (kind) => resourceOf(kind).group === groupIn(target.apiVersion),
  )
  const kind = kinds.find((each) => nameOf(each, names) === target.kind)
  if (kind !== undefined) return { kind, namespace, name: target.name }
  return kinds.some((each) => nameOf(each, names) === undefined) ? 'unknown' : undefined
}

/** A text that is the same for an object and for the workloads beside which it stands. */
export function linkText(
  companion: Pick<Companion, 'row' | 'served' | 'namespace' | 'name' | 'object'>,
): string {
  const { row, served, namespace, name, object } = companion
  if (row.link.by === 'owner') return textOf(resourceOf(row.resource).group, served.kind, namespace, name)
  if (row.link.by === 'field')
    return textOf('', row.link.kind, namespace, String(valueAt(object, row.link.field)))
  const target = targetIn(companion)
  return textOf(groupIn(target.apiVersion), target.kind, namespace, target.name)
}

/** That text of a workload; undefined: nothing of this row can stand beside it, or nothing is known to. */
export function linkTextOf(
  { kind, namespace, name, owner }: WorkloadKey & Pick<Workload, 'owner'>,
  { link, ...row }: CompanionRow,
  served: Served,
  names: ConfiguredNames,
): string | undefined {
  if (link.by === 'field') return link.kind === kind ? textOf('', kind, namespace, name) : undefined
  if (link.by === 'owner') {
    const isOwned =
      owner?.kind === served.kind && groupIn(owner.apiVersion) === resourceOf(row.resource).group
    return isOwned && OWNED_KINDS.some((each) => each === kind)
      ? textOf(resourceOf(row.resource).group, owner.kind, namespace, owner.name)
      : undefined
  }
  if (isBuiltIn(kind) && !SCALABLE_KINDS.includes(kind)) return undefined
  const called = nameOf(kind, names)
  return called && textOf(resourceOf(kind).group, called, namespace, name)
}

/**
 * Whether one of these resources may be the controller of a workload, by the API group alone: its `kind` is known only
 * to those who ask the cluster for its definition.
 */
export function isOwnedByOne(
  { kind, owner }: Pick<Workload, 'kind' | 'owner'>,
  resources: readonly string[],
): boolean {
  if (!owner || !OWNED_KINDS.some((each) => each === kind)) return false
  const group = groupIn(owner.apiVersion)
  return resources.some((resource) => resourceOf(resource as ConfiguredKind).group === group)
}

function textOf(...parts: [group: string, kind: string, namespace: string, name: string]): string {
  return parts.join('/')
}

function groupIn(apiVersion: string): string {
  return apiVersion.split('/')[0] ?? ''
}

function nameOf(kind: Kind, names: ConfiguredNames): string | undefined {
  return isBuiltIn(kind) ? KIND_NAME[kind] : names.get(kind)
}
