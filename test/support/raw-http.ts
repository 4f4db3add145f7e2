import { once } from 'node:events'
import { connect } from 'node:net'

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends bytes (characters up to U+00FF) as they are, without TLS; resolves with all that came back once the server has closed. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  return received
}

/** A request that no HTTP client has tidied up: `rawRequest(url, 'POST /api/v1/…', ['Authorization: …', 'Authorization: …'])`. */
export async function rawRequest(
  url: string,
  request: string,
  lines: readonly string[] = [],
): Promise<RawAnswer> {
  const head = [`${request} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Connection: close', ...lines]
  return rawAnswer(await sendRaw(url, `${head.join('\r\n')}\r\n\r\n`))
}

function rawAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: text.slice(end + 4),
  }
}
