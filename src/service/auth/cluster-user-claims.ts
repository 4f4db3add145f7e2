import type { JWTPayload } from 'jose'
import { unauthenticated } from './refusals.ts'
import type { OidcSettings } from './ports.ts'
import { clusterCaller, type ClusterCaller } from './caller.ts'

type AsClusterUser = NonNullable<OidcSettings['asClusterUser']>

/** Prefix of names that only the cluster itself assigns. */
const RESERVED = 'system:'
/** The group of everybody who is signed in; the API server adds it, too. */
const SIGNED_IN = 'system:authenticated'
/** Longer ones the cluster would not name anybody by. */
const LONGEST = 512
const MOST_GROUPS = 1000

/**
 * The user of the cluster named by verified claims, by the rules of the API server's own flags `--oidc-…`: RBAC then
 * decides their rights, and no claim of ours is needed.
 *
 * @throws Refusal UNAUTHENTICATED: a claim is missing, not a name, or reserved for the cluster
 */
export function userByClaims(
  { usernameClaim, groupsClaim, prefix }: AsClusterUser,
  issuer: string,
  claims: JWTPayload,
): ClusterCaller {
  const name = claims[usernameClaim]
  if (!isName(name)) throw refused(`the claim ${usernameClaim} is not a name`)
  // An unverified address could be anybody's.
  if (usernameClaim === 'email' && claims['email_verified'] !== true)
    throw refused('the claim email counts only with email_verified true')
  const username = withPrefix(prefix, usernameClaim, name)
  const groups = groupsOf(groupsClaim === null ? undefined : claims[groupsClaim], groupsClaim ?? '').map(
    (group) => withPrefix(prefix, groupsClaim ?? '', group),
  )
  return clusterCaller({ username, uid: '', groups: [...groups, SIGNED_IN], extra: {} }, issuer)
}

function groupsOf(value: unknown, claim: string): readonly string[] {
  if (value === undefined) return []
  const groups: unknown[] = Array.isArray(value) ? value : [value]
  if (groups.length > MOST_GROUPS) throw refused(`the claim ${claim} has more than ${MOST_GROUPS} groups`)
  if (!groups.every(isName)) throw refused(`the claim ${claim} is not a list of names`)
  return groups
}

function withPrefix(prefix: string, claim: string, name: string): string {
  const whole = prefix + name
  if (whole.startsWith(RESERVED) || name.startsWith(RESERVED))
    throw refused(`the claim ${claim} has a name that begins with ${RESERVED}, which only the cluster gives`)
  return whole
}

/** A name with invisible characters would look like somebody else's in the history. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST) return false
  return value.trim() !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
}

function refused(fault: string): Error {
  return unauthenticated(`${fault}: ask who runs the provider`, fault)
}
