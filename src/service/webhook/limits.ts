import { jsonOf } from './json.ts'
import type { ReviewRequest } from './review.ts'

/** Bytes: such a body is parsed in some milliseconds. An ordinary review has 10 to 30 KiB. */
export const SMALL_BODY = 256 * 1024
/** JSON values in a body. The densest review of two objects of 1.5 MiB has some 250,000, mostly managedFields. */
const MOST_VALUES = 300_000
/** Labels, and annotations, of one object. Kubernetes limits only the size of the annotations. */
export const MOST_ENTRIES = 4096

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{')

/**
 * Whether a JSON body has more values than any real review: parsing 4 MiB of `{}` takes a quarter of a second and 200
 * MiB. A small body has no room for so many, and is not looked through.
 */
export function isTooDense(body: Uint8Array): boolean {
  if (body.length <= SMALL_BODY) return false
  let values = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++values > MOST_VALUES) return true
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
