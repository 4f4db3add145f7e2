import type { Instant } from '../../process/clock.ts'

const LONGEST = 128

/**
 * The origin of a name: a user of the cluster, a user named in an unauthenticated review, the subject of a token, or a
 * name that a client gave itself.
 */
export type AuthorPrefix = 'k8s' | 'review' | 'oidc' | 'local' | 'manager'

/**
 * An author as history, messages and the audit show it: `k8s:alice`. We set the prefix, so that no caller can choose a
 * name that looks like somebody else's. Without invisible characters, at most 128 characters.
 */
export function authorBy(prefix: AuthorPrefix, name: string): string {
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
  return Array.from(`${prefix}:${visible}`).slice(0, LONGEST).join('')
}

/** Traffic to a Service's port, as an author: `service/web:http`; `port`: '' where it has no name. At most 128 characters. */
export function trafficAuthor(service: string, port: string): string {
  return `service/${service}${port === '' ? '' : `:${port}`}`.slice(0, LONGEST)
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

/** Prefixes that tell nothing that people ask for: an unproven name keeps its `review:` or `manager:`. */
const PREFIXES = /(?<![\w/:.-])(?:k8s|oidc|local):(?=[^\s:])/g

/** A text for people, with the names in it as they know them: `pinned awake by alice`. */
export function withoutPrefixes(text: string): string {
  return text.replaceAll(PREFIXES, '')
}

/** As our texts hold instants; not within a name. */
const INSTANT = /(?<![\w@])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** The same, with each instant in it as `written` on the reader's clocks. */
export function textForPeople(text: string, written: (at: Instant) => string): string {
  return withoutPrefixes(text).replaceAll(INSTANT, (time) => written(Date.parse(time)))
}
