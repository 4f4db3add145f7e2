import { authorBy } from '../../domain/author.ts'
import type { ClusterUser } from '../ports.ts'

interface Known {
  readonly issuer: string
  readonly subject: string
}

/** Somebody whom the cluster knows: it is the cluster that says what they may. */
export interface ClusterIdentity extends Known {
  readonly mode: 'kubernetes'
  readonly user: ClusterUser
  /** Equal for equal users, whatever token they came with. */
  readonly fingerprint: string
}

/** Somebody whose token says what they may. */
export interface ClaimsIdentity extends Known {
  readonly mode: 'oidc' | 'local'
  readonly scopes: ReadonlySet<string>
  /** `*`: all. */
  readonly namespaces: ReadonlySet<string>
}

/** Who makes a request. */
export type Identity = ClusterIdentity | ClaimsIdentity

const PREFIX = { kubernetes: 'k8s', oidc: 'oidc', local: 'local' } as const

/** As history, messages and the audit show it: `k8s:alice`; no invisible characters, at most 128 characters. */
export function signature({ mode, subject }: Identity): string {
  return authorBy(PREFIX[mode], subject)
}

/** The key of this subject in limits: no two subjects share one. */
export function subjectKey({ mode, issuer, subject }: Identity): string {
  return JSON.stringify([mode, issuer, subject])
}
