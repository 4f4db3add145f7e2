import type { Read, WatchEvent } from './api-object.ts'

const NEWLINE = 0x0a

/** The beginning of an event as the API server writes it. */
const BEGINNING = /^\{"type":"(ADDED|MODIFIED|DELETED)","object":/

/**
 * The events of a watch, each a line of JSON; `read` reads their objects.
 * @throws errors of the body, and SyntaxError for a line that is not JSON
 */
export async function* watchEvents<Watched>(
  body: AsyncIterable<Buffer>,
  read?: Read<Watched>,
): AsyncGenerator<WatchEvent<Watched>> {
  for await (const line of lines(body)) yield (read && eventOf(line, read)) ?? parsed<Watched>(line)
}

/** undefined: the line is not in the API server's own format. */
function eventOf<Watched>(line: string, read: Read<Watched>): WatchEvent<Watched> | undefined {
  const [beginning, type] = BEGINNING.exec(line) ?? []
  if (beginning === undefined || type === undefined || !line.endsWith('}}')) return undefined
  try {
    return { type: type as 'ADDED' | 'MODIFIED' | 'DELETED', object: read(line.slice(beginning.length, -1)) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function parsed<Watched>(line: string): WatchEvent<Watched> {
  return JSON.parse(line)
}

/**
 * The complete lines of a body, however it is cut into chunks. A line is decoded whole, so no character is
 * torn; half a line at the body's end is dropped.
 */
export async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // The chunks of an unfinished line: joined once, since joining at each chunk would copy a huge line again and again.
  let pending: Buffer[] = []
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      pending.push(chunk.subarray(start, end))
      const line = (pending.length === 1 ? chunk.subarray(start, end) : Buffer.concat(pending)).toString(
        'utf8',
      )
      pending = []
      start = end + 1
      if (line !== '') yield line
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
  }
}
