import type { ObjectList, Read } from './api-object.ts'

const ITEMS = Buffer.from('"items":[')
/** How the first object of a list begins, up to its first key. */
const BEGINNING = /^\{"\w+":/
const LONGEST_BEGINNING = 40

/**
 * One page of a collection. Its objects are parsed one at a time while its bytes arrive: a page as one tree would be
 * megabytes of garbage that have become old by the time they are dropped. However the page is written, it reads as
 * `JSON.parse` reads it.
 * @throws what the body throws, and SyntaxError at what is not JSON; the objects, too
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

/** undefined: the text up to the objects is not the list's own beginning, or its metadata comes later. */
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
 * The objects of an array in JSON that begins with `bytes`. They are cut where another seems to begin. What is cut off
 * is an object exactly if it parses; if not, the cut was inside of one, and the next is tried.
 */
async function* objects<Listed>(
  bytes: Buffer,
  chunks: AsyncIterator<Buffer>,
  read: Read<Listed>,
): AsyncGenerator<Listed> {
  let rest = bytes
  let separator = separatorOf(rest)
  /** Up to here no separator ends an object. */
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
      // The last object, and all of them where they were not recognised.
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

/** What stands between an object's last brace and the next object's first value; undefined: not known yet. */
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
