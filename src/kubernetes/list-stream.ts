import type { ObjectList, Read } from './api-object.ts'

const ITEMS = Buffer.from('"items":[')
/** The beginning of a list's first object, up to its first key. */
const BEGINNING = /^\{"\w+":/
const LONGEST_BEGINNING = 40

/**
 * One page of a collection. Its objects are parsed one at a time while its bytes arrive: parsing the page as one tree
 * would make megabytes of garbage that reach the old generation before they are dropped. However the page is formatted,
 * the result is that of `JSON.parse`.
 * @throws errors of the body, and SyntaxError for invalid JSON; iterating the objects throws the same
 */
export async function listedObjects<Listed>(
  body: AsyncIterable<Buffer>,
  read: Read<Listed> = (text) => JSON.parse(text),
): Promise<ObjectList<Listed>> {
  const chunks = body[Symbol.asyncIterator]()
  let bytes: Buffer = Buffer.alloc(0)
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return whole(bytes)
    bytes = Buffer.concat([bytes, value])
    const begins = bytes.indexOf(ITEMS) + ITEMS.length
    const metadata = begins < ITEMS.length ? undefined : metadataOf(bytes.toString('utf8', 0, begins))
    if (metadata) return { metadata, items: objects(bytes.subarray(begins), chunks, read) }
  }
}

/** undefined: the text before the objects is not the list's own beginning, or its metadata comes later. */
function metadataOf(beginning: string): ObjectList<never>['metadata'] | undefined {
  try {
    return (JSON.parse(`${beginning}]}`) as Partial<ObjectList<never>>).metadata
  } catch {
    return undefined
  }
}

function whole<Listed>(bytes: Buffer): ObjectList<Listed> {
  const { metadata, items } = JSON.parse(bytes.toString()) as {
    metadata: ObjectList<Listed>['metadata']
    items: Listed[] | null
  }
  return { metadata, items: each(items ?? []) }
}

async function* each<Listed>(items: readonly Listed[]): AsyncGenerator<Listed> {
  yield* items
}

/**
 * The objects of a JSON array that begins with `bytes`, cut where another object seems to begin. A piece that parses is
 * an object; otherwise the cut was inside an object, and the next possible cut is tried.
 */
async function* objects<Listed>(
  bytes: Buffer,
  chunks: AsyncIterator<Buffer>,
  read: Read<Listed>,
): AsyncGenerator<Listed> {
  let rest = bytes
  let separator = separatorOf(rest)
  /** No separator before this position ends an object. */
  let searched = 0
  for (;;) {
    let start = 0
    for (let at = find(rest, separator, searched); at !== -1; at = find(rest, separator, at + 1)) {
      const object = whereWhole(read, rest.toString('utf8', start, at + 1))
      if (object === undefined) continue
      yield object
      start = at + 2
    }
    const { done, value } = await chunks.next()
    if (done === true) {
      // The last object; or all objects, if no separators were recognised.
      yield* (JSON.parse(`{"items":[${rest.toString('utf8', start)}`) as { items: Listed[] }).items
      return
    }
    searched = Math.max(0, rest.length - start - (separator?.length ?? 0))
    rest = Buffer.concat([rest.subarray(start), value])
    separator ??= separatorOf(rest)
  }
}

function find(bytes: Buffer, separator: Buffer | undefined, from: number): number {
  return separator ? bytes.indexOf(separator, from) : -1
}

/** The bytes between an object's last brace and the next object's first value; undefined: not known yet. */
function separatorOf(bytes: Buffer): Buffer | undefined {
  const [beginning] = BEGINNING.exec(bytes.toString('latin1', 0, LONGEST_BEGINNING)) ?? []
  return beginning === undefined ? undefined : Buffer.from(`},${beginning}`)
}

/** undefined: the text is not one whole object. */
function whereWhole<Listed>(read: Read<Listed>, text: string): Listed | undefined {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
