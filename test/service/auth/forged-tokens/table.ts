import { CLAIMS } from './claims.ts'
import { FORGERIES } from './forgeries.ts'
import { HEADERS } from './headers.ts'
import { OF_CLUSTER } from './of-cluster.ts'
import { RIGHTS } from './rights.ts'
import type { ClusterIssuer, Row, SigningIssuer } from './row.ts'
import { SHAPES } from './shapes.ts'

/** Refused tokens of an issuer whose claims grant rights: a key pair, or an OpenID provider. */
export const BY_CLAIMS: readonly Row<SigningIssuer>[] = [
  ...HEADERS,
  ...FORGERIES,
  ...SHAPES,
  ...CLAIMS,
  ...RIGHTS,
]

/** Refused tokens of the cluster. */
export const BY_CLUSTER: readonly Row<ClusterIssuer>[] = [...HEADERS, ...FORGERIES, ...OF_CLUSTER]

/** All of them, once, without how they are made. */
export const REFUSED: readonly Pick<Row<never>, 'what' | 'refused'>[] = [...BY_CLAIMS, ...OF_CLUSTER]
