import { hash } from 'node:crypto'
import { authorBy } from '../../domain/workload/author.ts'
import type { ClusterUser } from '../../kubernetes/ports.ts'

interface Named {
  readonly issuer: string
  readonly subject: string
}

/** A user of the cluster, whose rights the cluster decides. */
export interface ClusterCaller extends Named {
  readonly mode: 'kubernetes'
  readonly user: ClusterUser
  /** Equal for equal users, whichever token they show. */
  readonly fingerprint: string
}

/** A subject of an OpenID provider or a key pair, whose rights are in the token's claims. */
export interface ClaimsCaller extends Named {
  readonly mode: 'oidc' | 'local'
  readonly scopes: ReadonlySet<string>
  /** `*`: all. */
  readonly namespaces: ReadonlySet<string>
}

/** The author of a request. */
export type Caller = ClusterCaller | ClaimsCaller

const PREFIX = { kubernetes: 'k8s', oidc: 'oidc', local: 'local' } as const

/** A user of the cluster; `issuer`: who authenticated them, the cluster itself or an OpenID provider. */
export function clusterCaller(user: ClusterUser, issuer: string): ClusterCaller {
  const { username, uid, groups, extra } = user
  const extras = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))
  const fingerprint = hash('sha256', JSON.stringify([username, uid, [...groups].sort(), extras]), 'base64url')
  return { mode: 'kubernetes', issuer, subject: username, user, fingerprint }
}

/** The caller as history, messages and the audit show them: `k8s:alice`; at most 128 characters, all of them visible. */
export function signature({ mode, subject }: Caller): string {
  return authorBy(PREFIX[mode], subject)
}

/** The name that the caller was authenticated by: `alice`; shown as the signature is, without its prefix. */
export function nameOfCaller(caller: Caller): string {
  return signature(caller).slice(PREFIX[caller.mode].length + 1)
}

/** The key by which limits count this caller's requests: different subjects have different keys. */
export function subjectKey({ mode, issuer, subject }: Caller): string {
  return JSON.stringify([mode, issuer, subject])
}
