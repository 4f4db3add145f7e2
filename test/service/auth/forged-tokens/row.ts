import type { KeyObject } from 'node:crypto'
import type { Signer } from './jws.ts'

/** The ways to authenticate (docs/authentication.md). */
export type Mode = 'local' | 'oidc' | 'kubernetes'

/** The answer to a row. A message that ends in `…` continues differently from place to place. */
export interface Refused {
  readonly status: number
  readonly message: string
}

/** A request that must be refused, made from an issuer's public data. */
export interface Row<Issuer> {
  /** The request, to follow "The API refuses". */
  readonly what: string
  /** By mode; one that is left out does not know such a token. */
  readonly refused: Readonly<Partial<Record<Mode, Refused>>>
  readonly send: (issuer: Issuer) => Sent | Promise<Sent>
}

/** A token, or the lines of the header after the path. */
export type Sent =
  | string
  | {
      readonly lines: readonly string[]
      readonly query?: string
      /** Tokens that are sent just before, all at once, and that are refused by the same answer. */
      readonly flood?: readonly string[]
    }

/** The public data of an issuer that the service trusts. */
export interface KnownIssuer {
  /** A token that the service accepts, and that may do anything. */
  readonly good: string
  /** Verifies it. */
  readonly publicKey: KeyObject
  /** A server of the stranger, which nobody must ever ask. */
  readonly trap: string
}

/** The issuer itself: its own tokens are refused for other reasons. */
export interface SigningIssuer extends KnownIssuer {
  /** The good token with other claims and header parameters; undefined leaves one out. */
  issue(claims: object, header?: object): string
  /** The same key below other bytes. */
  readonly signer: Signer
  /** Signs by a key that the issuer no longer has; a key pair of one's own has no such. */
  readonly former?: Signer
  /** Signs by a key that is published, and shorter than it must be. */
  readonly weak?: Signer
}

/** The accounts of a cluster. */
export interface ClusterIssuer extends KnownIssuer {
  /** A fresh token of an account that may do anything. */
  tokenFor(audience: string | undefined): Promise<string>
  /** A token of an account without any right. */
  powerless(): Promise<string>
  /** A token of an account that was deleted. */
  deleted(): Promise<string>
}

export function bearer(token: string): string {
  return `Authorization: Bearer ${token}`
}

export function refused(message: string, status = 401): Refused {
  return { status, message }
}

/** The same answer in the modes `local` and `oidc`. */
export function byClaims(message: string, status = 401): Row<never>['refused'] {
  return { local: refused(message, status), oidc: refused(message, status) }
}

/** The same answer in all modes. */
export function everywhere(message: string, status = 401): Row<never>['refused'] {
  return { ...byClaims(message, status), kubernetes: refused(message, status) }
}

/** A token unknown to the cluster is refused without a reason, since a TokenReview gives none. */
export const NOT_OF_THE_CLUSTER = refused(
  'the cluster does not accept the token: get one by kubectl create token <service account> --audience dormouse',
)
