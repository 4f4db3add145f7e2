import type { Instant } from '../process/clock.ts'

/** ISO 8601 in UTC to the second, as messages show times and the API server's `meta/v1` Time has them (RFC 3339). */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

export function isoOrNull(instant: Instant | null | undefined): string | null {
  return instant === undefined || instant === null ? null : iso(instant)
}

/** A number with its noun: `1 replica`, `3 replicas`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Whole seconds until then, rounded up, at least 1. */
export function secondsUntil(instant: Instant, now: Instant): number {
  return Math.max(1, Math.ceil((instant - now) / 1000))
}

const utf8 = new TextEncoder()
const scratch = new Uint8Array(4096)

/** Its bytes in UTF-8, in a browser as well. */
export function bytesOf(text: string): number {
  // A character takes at most three: mostly nothing has to be allocated.
  return text.length * 3 <= scratch.length ? utf8.encodeInto(text, scratch).written : utf8.encode(text).length
}

/** A foreign text, cut to fit into a message. */
export function clip(text: string, longest = 64): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** The message of the Error of this kind that `read` throws; undefined: it throws none. */
export function faultOf(
  read: () => unknown,
  kind: abstract new (...args: never[]) => Error,
): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof kind) return error.message
    throw error
  }
}
