import { jsonOf } from './json.ts'
import type { ReviewRequest } from './review.ts'

/** Bytes: such a body is parsed in some milliseconds. An ordinary review has 10 to 30 KiB. */
export const SMALL_BODY = 256 * 1024
/** JSON values in a body. The densest review of two objects of 1.5 MiB has some 250,000, mostly managedFields. */
const MOST_VALUES = 300_000
/** Labels, and annotations, of one object. Kubernetes limits only the size of the annotations. */
export const MOST_ENTRIES = 4096

/** Values within values. No Kubernetes object has a hundred; what compares objects goes down one call a level. */
const DEEPEST = 1000

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, BRACKET_END, BRACE_END] = Buffer.from('"\\,[{]}')

/**
 * Whether a JSON body has more values than any real review, or deeper ones: parsing 4 MiB of `{}` takes a quarter of a
 * second and 200 MiB.
 */
export function isTooDense(body: Uint8Array): boolean {
  let values = 0
  let depth = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      values++
      if (byte !== COMMA) depth++
      if (values > MOST_VALUES || depth > DEEPEST) return true
    } else if (byte === BRACKET_END || byte === BRACE_END) depth--
  }
  return false
}

/** Whether the object under review has more labels or annotations than we check. */
export function hasTooManyEntries({ object }: ReviewRequest): boolean {
  const { labels, annotations } = jsonOf(jsonOf(object).metadata)
  return exceeds(labels) || exceeds(annotations)
}

function exceeds(map: unknown): boolean {
  if (typeof map !== 'object' || map === null) return false
  let count = 0
  // Object.keys would first make a list of all keys.
  for (const _ in map) if (++count > MOST_ENTRIES) return true
  return false
}
