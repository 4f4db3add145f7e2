import { bearer, refused, type Mode, type Row, type SigningIssuer } from './row.ts'

const NO_RIGHTS = { scope: undefined, 'dormouse.dev/namespaces': undefined }
const MASTERS = { ...NO_RIGHTS, groups: ['system:masters'] }
const LACKS = 'your token lacks the scope dormouse:write. Ask for one that has it'
const NOT_NAMED = 'the claim dormouse.dev/namespaces of your token does not name …'

/** Good tokens without rights that claim to be somebody who has them. */
export const RIGHTS: readonly Row<SigningIssuer>[] = [
  row('groups that imitate system:masters', { ...MASTERS, roles: ['cluster-admin'] }),
  row('a subject that imitates an administrator of the cluster', {
    ...MASTERS,
    sub: 'system:admin',
    'kubernetes.io': {},
  }),
  row('a token that may only read', { scope: 'dormouse:read' }),
  row('a scope in other letters', { scope: 'DORMOUSE:WRITE dormouse:* dormouse:writes' }),
  {
    ...row('headers that impersonate system:masters', {}),
    send: ({ issue }) => ({
      lines: [bearer(issue({ ...NO_RIGHTS, sub: 'mallory' })), ...IMPERSONATION],
    }),
  },
  row(
    'a namespace that begins as the workload’s',
    { 'dormouse.dev/namespaces': ['e2e', 'e2e-*', '**', '', 'E2E'] },
    NOT_NAMED,
  ),
]

/** Headers that an API server, or a proxy in front of one, would believe. */
export const IMPERSONATION = [
  'Impersonate-User: system:admin',
  'Impersonate-Group: system:masters',
  'X-Remote-User: system:admin',
  'X-Remote-Group: system:masters',
]

function row(
  what: string,
  given: { readonly sub?: string; readonly [claim: string]: unknown },
  why = LACKS,
): Row<SigningIssuer> {
  const claims = { sub: 'mallory', ...given }
  const told = (mode: Mode) => refused(`${mode}:${claims.sub} may not: ${why}`, 403)
  return { what, refused: { local: told('local'), oidc: told('oidc') }, send: ({ issue }) => issue(claims) }
}
