import type { LimitFunction } from 'p-limit'
import { factsOf, resourceOf } from '../../domain/kinds.ts'
import type { Kind } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import { HttpRefusal } from '../../http/errors.ts'
import type { ResourceAccess, Reviews } from '../../kubernetes/ports.ts'
import type { Monotonic } from '../../process/clock.ts'
import { signature, type Caller, type ClaimsCaller, type ClusterCaller } from './caller.ts'
import { clusterRights } from './cluster-rights.ts'

/** A route's effect on a workload: `scale` its count, `change` its settings, `read` one, or `list`. */
export type Need = 'read' | 'list' | 'scale' | 'change'

/** The access that a caller wants, and to which workload; without a name: to all, without a namespace: in all namespaces. */
export interface Access {
  readonly need: Need
  readonly kind: Kind
  readonly namespace?: string
  readonly name?: string
}

/** Whether the token allows changes at all; null: the cluster decides for each workload. */
export function mayChange(caller: Caller): boolean | null {
  return caller.mode === 'kubernetes' ? null : hasScope(caller, 'change')
}

export interface Authorization {
  /** `limit` bounds the questions to the cluster that are in flight. */
  readonly may: (caller: Caller, access: Access, limit?: LimitFunction) => Promise<boolean>
  /** Why the caller may not; undefined: they may. */
  readonly refusalOf: (caller: Caller, access: Access, limit?: LimitFunction) => Promise<Refusal | undefined>
  /** Refuses namespaces that Dormouse never touches. @throws Refusal NAMESPACE_EXCLUDED */
  readonly refuseExcluded: (namespace: string) => void
  /** Why the caller may not read anything at all; undefined: they may ask. */
  readonly refusalOfAnyRead: (caller: Caller) => Refusal | undefined
}

interface Parts {
  readonly excludeNamespaces: readonly string[]
  readonly reviews: Reviews
  readonly monotonic: Monotonic
  /** Whether people scale a configured kind by a scale subresource. */
  readonly hasScale?: (kind: Kind) => boolean
}

export function createAuthorization(parts: Parts): Authorization {
  const { excludeNamespaces, reviews, monotonic } = parts
  const { hasScale = (kind: Kind) => factsOf(kind).hasScale } = parts
  const inCluster = clusterRights(reviews, monotonic)
  const excluded = new Set(excludeNamespaces)
  const may: Authorization['may'] = async (caller, access, limit) =>
    caller.mode === 'kubernetes'
      ? inCluster(caller, resourceAccess(access, hasScale(access.kind)), limit)
      : hasScope(caller, access.need) && coversNamespace(caller, access.namespace)
  const refusalOf: Authorization['refusalOf'] = async (caller, access, limit) =>
    (await may(caller, access, limit)) ? undefined : forbidden(caller, access, hasScale(access.kind))
  const refuseExcluded = (namespace: string) => {
    if (excluded.has(namespace)) throw namespaceExcluded(namespace)
  }
  return {
    may,
    refusalOf,
    refuseExcluded,
    refusalOfAnyRead: (caller) =>
      caller.mode === 'kubernetes' || hasScope(caller, 'list')
        ? undefined
        : insufficientScope(caller, 'list'),
  }
}

/** The right of the Kubernetes API that each operation needs. */
function resourceAccess({ need, kind, namespace, name }: Access, hasScale: boolean): ResourceAccess {
  const where = {
    ...resourceOf(kind),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  } as const
  if (need === 'read') return { ...where, verb: 'get' }
  if (need === 'list') return { ...where, verb: 'list' }
  if (need === 'change' || !hasScale) return { ...where, verb: 'patch' }
  return { ...where, verb: 'update', subresource: 'scale' }
}

function scopeFor(need: Need): string {
  return need === 'read' || need === 'list' ? 'dormouse:read' : 'dormouse:write'
}

function hasScope(caller: ClaimsCaller, need: Need): boolean {
  return caller.scopes.has(scopeFor(need))
}

function coversNamespace({ namespaces }: ClaimsCaller, namespace: string | undefined): boolean {
  return namespaces.has('*') || (namespace !== undefined && namespaces.has(namespace))
}

function forbidden(caller: Caller, access: Access, hasScale: boolean): Refusal {
  if (caller.mode === 'kubernetes') return forbiddenByCluster(caller, resourceAccess(access, hasScale))
  if (!hasScope(caller, access.need)) return insufficientScope(caller, access.need)
  const lacks = `the claim dormouse.dev/namespaces of your token does not name ${access.namespace ?? 'all'}`
  return new Refusal('FORBIDDEN', `${signature(caller)} may not: ${lacks}. Ask for a token that does`)
}

function forbiddenByCluster(caller: ClusterCaller, access: ResourceAccess): Refusal {
  const { verb, group, resource, subresource, namespace } = access
  const what = `${verb} ${resource}.${group}${subresource ? `/${subresource}` : ''}`
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`
  return new Refusal(
    'FORBIDDEN',
    `${signature(caller)} may not ${what}${where}: ask for a Role that allows it`,
  )
}

/** RFC 6750, section 3.1. */
function insufficientScope(caller: ClaimsCaller, need: Need): Refusal {
  const scope = scopeFor(need)
  return new HttpRefusal(
    'FORBIDDEN',
    `${signature(caller)} may not: your token lacks the scope ${scope}. Ask for one that has it`,
    {
      'WWW-Authenticate': `Bearer realm="dormouse", error="insufficient_scope", scope="${scope}"`,
    },
  )
}

function namespaceExcluded(namespace: string): Refusal {
  return new Refusal(
    'NAMESPACE_EXCLUDED',
    `Dormouse never touches the namespace ${namespace}: it is the cluster's own, or Dormouse's, or listed in excludeNamespaces of its configuration`,
  )
}
