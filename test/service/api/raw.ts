import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes as they are; resolves with all that comes back until the server closes. */
export async function raw({ url }: { readonly url: string }, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  // Unread bytes of a refused request reset the connection once it is closed.
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (received += chunk.toString()))
  socket.end(bytes)
  await once(socket, 'close')
  return received
}

export interface RawAnswer {
  readonly status: number
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * The answers in a server's bytes, without 100 Continue; each body has its Content-Length, but the answer to HEAD has
 * none.
 */
export function answersIn(received: string, method: string): RawAnswer[] {
  const bytes = Buffer.from(received)
  const answers: RawAnswer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const [first = '', ...lines] = bytes.toString('utf8', at, end).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? []
    if (end === -1 || status === undefined) throw new Error(`no answer: ${bytes.toString('utf8', at)}`)
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    // Bytes that are no request are answered with a body, whatever preceded them.
    const isBare = method === 'HEAD' && answers.length === 0 && end + 4 === bytes.length
    const length = isBare ? 0 : Number(headers.get('content-length') ?? 0)
    at = end + 4 + length
    if (at > bytes.length) throw new Error(`an answer ends early: ${received}`)
    if (status >= '200')
      answers.push({ status: Number(status), headers, body: bytes.toString('utf8', end + 4, at) })
  }
  return answers
}
