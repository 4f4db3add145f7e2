import { bearer, refused, type Row, type SigningIssuer } from './row.ts'

const NO_RIGHTS = { scope: undefined, 'dormouse.dev/namespaces': undefined }

/** Good tokens without rights that claim to be somebody who has them. */
export const RIGHTS: readonly Row<SigningIssuer>[] = [
  {
    what: 'groups that imitate system:masters',
    refused: lacksScope('mallory'),
    send: ({ issue }) =>
      issue({ ...NO_RIGHTS, sub: 'mallory', groups: ['system:masters'], roles: ['cluster-admin'] }),
  },
  {
    what: 'a subject that imitates an administrator of the cluster',
    refused: lacksScope('system:admin'),
    send: ({ issue }) =>
      issue({ ...NO_RIGHTS, sub: 'system:admin', groups: ['system:masters'], 'kubernetes.io': {} }),
  },
  {
    what: 'a token that may only read',
    refused: lacksScope('mallory'),
    send: ({ issue }) => issue({ sub: 'mallory', scope: 'dormouse:read' }),
  },
  {
    what: 'a scope in other letters',
    refused: lacksScope('mallory'),
    send: ({ issue }) => issue({ sub: 'mallory', scope: 'DORMOUSE:WRITE dormouse:* dormouse:writes' }),
  },
  {
    what: 'headers that impersonate system:masters',
    refused: lacksScope('mallory'),
    send: ({ issue }) => ({
      lines: [bearer(issue({ ...NO_RIGHTS, sub: 'mallory' })), ...IMPERSONATION],
    }),
  },
  {
    what: 'a namespace that begins as the workload’s',
    refused: Object.fromEntries(
      (['local', 'oidc'] as const).map((mode) => [
        mode,
        refused(
          `${mode}:mallory may not: the claim dormouse.dev/namespaces of your token does not name …`,
          403,
        ),
      ]),
    ),
    send: ({ issue }) =>
      issue({ sub: 'mallory', 'dormouse.dev/namespaces': ['e2e', 'e2e-*', '**', '', 'E2E'] }),
  },
]

/** Headers that an API server, or a proxy in front of one, would believe. */
export const IMPERSONATION = [
  'Impersonate-User: system:admin',
  'Impersonate-Group: system:masters',
  'X-Remote-User: system:admin',
  'X-Remote-Group: system:masters',
]

function lacksScope(subject: string): Row<never>['refused'] {
  const message = (mode: string) =>
    `${mode}:${subject} may not: your token lacks the scope dormouse:write. Ask for one that has it`
  return { local: refused(message('local'), 403), oidc: refused(message('oidc'), 403) }
}
