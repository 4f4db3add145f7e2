import type { ReviewRequest } from './review.ts'

/** Bytes: what the event loop parses itself, in some milliseconds; an ordinary review has 10 to 30 KiB. */
export const SMALL_BODY = 64 * 1024
/** Values of JSON in a body. The densest review of two objects of 1.5 MiB has some 250,000, mostly managedFields. */
const MOST_VALUES = 300_000
/** Labels, and annotations, of one object: Kubernetes bounds the size of annotations alone. */
const MOST_ENTRIES = 4096

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{')

/** Whether a body of JSON has more values than any real review: 8 MiB of `{}` take half a second to parse, and 400 MiB. */
export function isTooDense(body: Uint8Array): boolean {
  let values = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      values++
      if (values > MOST_VALUES) return true
    }
  }
  return false
}

/** Whether the object under review has more labels or annotations than we look at. */
export function hasTooManyEntries({ object }: ReviewRequest): boolean {
  const { labels, annotations } = section(section(object)['metadata'])
  return exceeds(section(labels)) || exceeds(section(annotations))
}

function exceeds(map: Readonly<Record<string, unknown>>): boolean {
  let count = 0
  // Object.keys would make a list of all of them first.
  for (const _ in map) if (++count > MOST_ENTRIES) return true
  return false
}

export function section(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
