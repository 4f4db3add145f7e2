const LONGEST = 128

/**
 * Where a name comes from: a user of the cluster, one that a review names which anybody may have sent, the subject of a
 * token, or the name that a client gave itself.
 */
export type AuthorPrefix = 'k8s' | 'review' | 'oidc' | 'local' | 'manager'

/**
 * Who did something, as history, messages and the audit show it: `k8s:alice`. We set the prefix, so that no caller can
 * choose a name that looks like somebody else's. Without invisible characters, at most 128 characters.
 */
export function authorBy(prefix: AuthorPrefix, name: string): string {
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
  return Array.from(`${prefix}:${visible}`).slice(0, LONGEST).join('')
}

/** The user of an admission review, or else its field manager; null: neither is known. */
export function reviewAuthor(username: string, fieldManager: string | undefined): string | null {
  if (username !== '') return authorBy('k8s', username)
  return managerAuthor(fieldManager)
}

/** The name that a client gave itself in managedFields; null: none. */
export function managerAuthor(fieldManager: string | undefined): string | null {
  return fieldManager ? authorBy('manager', fieldManager) : null
}
