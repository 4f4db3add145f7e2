const LONGEST = 128

/** Where a name comes from: a user of the cluster, a subject of a token, or what a client called itself. */
export type AuthorPrefix = 'k8s' | 'oidc' | 'local' | 'manager'

/**
 * Who did something, as history, messages and the audit show it: `k8s:alice`. The prefix is ours, so nothing that a
 * caller chooses looks like another's name; no invisible characters, at most 128 characters.
 */
export function authorBy(prefix: AuthorPrefix, name: string): string {
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
  return Array.from(`${prefix}:${visible}`).slice(0, LONGEST).join('')
}

/** The user of an admission review, else its field manager; null: neither is known. */
export function reviewAuthor(username: string, fieldManager: string | undefined): string | null {
  if (username !== '') return authorBy('k8s', username)
  return managerAuthor(fieldManager)
}

/** What a client called itself in managedFields; null: nothing. */
export function managerAuthor(fieldManager: string | undefined): string | null {
  return fieldManager ? authorBy('manager', fieldManager) : null
}
