import type { WatchEvent } from './api-object.ts'
import { unanswered } from './failures.ts'

const NEWLINE = 0x0a

/**
 * The events of a watch, of which each is a line of JSON; `what` names the watch in errors.
 * @throws ClusterRefusal when the body is cut, SyntaxError at a line that is not JSON, and the signal's reason
 */
export async function* watchEvents<Watched>(
  what: string,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<Watched>> {
  try {
    for await (const line of lines(body)) yield parsed<Watched>(line)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof SyntaxError ? error : unanswered(what, error)
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
  // The chunks of a line that has not ended: joined once, since joining at each chunk would copy a huge line again
  // and again.
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
