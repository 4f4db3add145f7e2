import { always, jws, partsOf } from './jws.ts'
import { IMPERSONATION } from './rights.ts'
import { bearer, NOT_OF_THE_CLUSTER, refused, type ClusterIssuer, type Row } from './row.ts'

const kubernetes = NOT_OF_THE_CLUSTER

/** Tokens of a cluster for other audiences, and imitations of them. */
export const OF_CLUSTER: readonly Row<ClusterIssuer>[] = [
  {
    what: "a token of the cluster for the API server's own audience",
    refused: { kubernetes },
    send: ({ tokenFor }) => tokenFor(undefined),
  },
  {
    what: 'a token of the cluster for an audience that begins as ours',
    refused: { kubernetes },
    send: ({ tokenFor }) => tokenFor('dormouse-admin'),
  },
  {
    what: 'a token of an account that was deleted',
    refused: { kubernetes },
    send: ({ deleted }) => deleted(),
  },
  {
    what: 'a token of the cluster that has expired',
    refused: { kubernetes: refused('the token has expired: get a new token') },
    send: ({ good }) => changed(good, { exp: Math.floor(Date.now() / 1000) - 31 }),
  },
  {
    what: 'a token of the cluster with groups that imitate system:masters',
    refused: { kubernetes },
    send: ({ good }) => changed(good, { sub: 'system:admin', groups: ['system:masters'] }),
  },
  {
    what: 'a token of another issuer',
    refused: { kubernetes: refused('the token is of an issuer that is not trusted here: …') },
    send: ({ good }) => changed(good, { iss: 'https://login.example.org', 'kubernetes.io': undefined }),
  },
  {
    what: 'headers that impersonate system:masters',
    refused: { kubernetes: refused('k8s:system:serviceaccount:…', 403) },
    send: async ({ powerless }) => ({ lines: [bearer(await powerless()), ...IMPERSONATION] }),
  },
]

/** Other claims below the same signature. */
function changed(good: string, change: object): string {
  const { header, claims, signature } = partsOf(good)
  return jws(header, { ...claims, ...change }, always(signature))
}
