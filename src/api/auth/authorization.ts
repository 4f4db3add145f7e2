import { clusterRights } from './cluster-rights.ts'
import { HttpRefusal } from '../errors.ts'
import { Refusal } from '../../errors.ts'
import type { Kind } from '../../domain/workload.ts'
import type { Step } from '../context.ts'
import { signature, type ClaimsIdentity, type ClusterIdentity, type Identity } from './identity.ts'
import type { ApiDeps, ResourceAccess } from '../ports.ts'
import type { Turn } from '../turns.ts'

/** What a route does to a workload: `scale` its count, `change` its settings, `read` one, or `list`. */
export type Need = 'read' | 'list' | 'scale' | 'change'

/** What is to be done, and to which workload; without a name to all, without a namespace everywhere. */
export interface Access {
  readonly need: Need
  readonly kind: Kind
  readonly namespace?: string
  readonly name?: string
}

export interface Authorization {
  /** `turn`: when the cluster may be asked, where nobody has asked it yet. */
  readonly may: (identity: Identity, access: Access, turn?: Turn) => Promise<boolean>
  /** Why somebody may not; undefined: they may. */
  readonly lack: (identity: Identity, access: Access) => Promise<Refusal | undefined>
  /** Lets through who may do this in the path's namespace, if it is one that Dormouse touches. */
  readonly demand: (need: Need) => Step
  /** Lets through who may read anything at all. */
  readonly demandAnyRead: Step
}

export function createAuthorization({
  settings,
  reviews,
  clock,
}: Pick<ApiDeps, 'settings' | 'reviews' | 'clock'>): Authorization {
  const inCluster = reviews ? clusterRights(reviews, clock) : async () => false
  const excluded = new Set(settings.excludeNamespaces)
  const may: Authorization['may'] = async (identity, access, turn) =>
    identity.mode === 'kubernetes'
      ? inCluster(identity, resourceAccess(access), turn)
      : hasScope(identity, access.need) && coversNamespace(identity, access.namespace)
  const lack: Authorization['lack'] = async (identity, access) =>
    (await may(identity, access)) ? undefined : forbidden(identity, access)
  return {
    may,
    lack,
    demand: (need) => async (ctx, next) => {
      const { namespace, kind, name } = ctx.state.input.path
      const access = { need, kind, namespace, ...(name !== undefined && { name }) }
      const lacking = await lack(ctx.state.caller, access)
      if (lacking) throw lacking
      if (excluded.has(namespace)) throw namespaceExcluded(namespace)
      await next()
    },
    demandAnyRead: async (ctx, next) => {
      const { caller } = ctx.state
      if (caller.mode !== 'kubernetes' && !hasScope(caller, 'list')) throw insufficientScope(caller, 'list')
      await next()
    },
  }
}

/** The rights of the cluster's own API that the design asks for each operation (section 5). */
function resourceAccess({ need, kind, namespace, name }: Access): ResourceAccess {
  const where = {
    group: 'apps',
    resource: kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  } as const
  if (need === 'read') return { ...where, verb: 'get' }
  if (need === 'list') return { ...where, verb: 'list' }
  if (need === 'change' || kind === 'daemonsets') return { ...where, verb: 'patch' }
  return { ...where, verb: 'update', subresource: 'scale' }
}

function scopeFor(need: Need): string {
  return need === 'read' || need === 'list' ? 'dormouse:read' : 'dormouse:write'
}

function hasScope(identity: ClaimsIdentity, need: Need): boolean {
  return identity.scopes.has(scopeFor(need))
}

function coversNamespace({ namespaces }: ClaimsIdentity, namespace: string | undefined): boolean {
  return namespaces.has('*') || (namespace !== undefined && namespaces.has(namespace))
}

function forbidden(caller: Identity, access: Access): Refusal {
  if (caller.mode === 'kubernetes') return forbiddenByCluster(caller, access)
  if (!hasScope(caller, access.need)) return insufficientScope(caller, access.need)
  const lacks = `the claim dormouse.dev/namespaces of your token does not name ${access.namespace ?? 'all'}`
  return new Refusal('FORBIDDEN', `${signature(caller)} may not: ${lacks}. Ask for a token that does`)
}

function forbiddenByCluster(caller: ClusterIdentity, access: Access): Refusal {
  const { verb, resource, subresource, namespace } = resourceAccess(access)
  const what = `${verb} ${resource}.apps${subresource ? `/${subresource}` : ''}`
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`
  return new Refusal(
    'FORBIDDEN',
    `${signature(caller)} may not ${what}${where}: ask for a Role that allows it`,
  )
}

/** RFC 6750, section 3.1. */
function insufficientScope(caller: ClaimsIdentity, need: Need): Refusal {
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
