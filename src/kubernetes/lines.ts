const NEWLINE = 0x0a

/**
 * The complete lines of a body, however it is cut into chunks: a line is decoded whole, so no character
 * is torn. What stands after the last newline when the body ends is half a line, and is dropped.
 */
export async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // Chunks of a line that has not ended; joined once, so that a huge line costs no repeated copying.
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
