import { always, jws, partsOf } from './jws.ts'
import { IMPERSONATION } from './rights.ts'
import { bearer, NOT_OF_THE_CLUSTER, refused, type ClusterIssuer, type Row } from './row.ts'

const EXPIRED = refused('the token has expired: get a new token')
const NOT_TRUSTED = refused('the token is of an issuer that is not trusted here: …')

/** Tokens of a cluster for other audiences, and imitations of them. */
export const OF_CLUSTER: readonly Row<ClusterIssuer>[] = [
  row("a token of the cluster for the API server's own audience", ({ tokenFor }) => tokenFor(undefined)),
  row('a token of the cluster for an audience that begins as ours', ({ tokenFor }) =>
    tokenFor('dormouse-admin'),
  ),
  row('a token of an account that was deleted', ({ deleted }) => deleted()),
  row(
    'a token of the cluster that has expired',
    ({ good }) => changed(good, { exp: Math.floor(Date.now() / 1000) - 31 }),
    EXPIRED,
  ),
  row('a token of the cluster with groups that imitate system:masters', ({ good }) =>
    changed(good, { sub: 'system:admin', groups: ['system:masters'] }),
  ),
  row(
    'a token of another issuer',
    ({ good }) => changed(good, { iss: 'https://login.example.org', 'kubernetes.io': undefined }),
    NOT_TRUSTED,
  ),
  row(
    'headers that impersonate system:masters',
    async ({ powerless }) => ({ lines: [bearer(await powerless()), ...IMPERSONATION] }),
    refused('k8s:system:serviceaccount:…', 403),
  ),
]

function row(
  what: string,
  send: Row<ClusterIssuer>['send'],
  kubernetes = NOT_OF_THE_CLUSTER,
): Row<ClusterIssuer> {
  return { what, refused: { kubernetes }, send }
}

/** Other claims below the same signature. */
function changed(good: string, change: object): string {
  const { header, claims, signature } = partsOf(good)
  return jws(header, { ...claims, ...change }, always(signature))
}
