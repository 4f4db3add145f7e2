import type { ServerResponse } from 'node:http'
import type { StatusError } from '../store/status.ts'

export interface Answer {
  code: number
  body: string | Uint8Array
  /** The media type; JSON when left out. */
  type?: string
  headers?: Record<string, string>
}

export const ok = (body: string): Answer => ({ code: 200, body })

export function send(
  response: ServerResponse,
  { code, body, type = 'application/json', headers = {} }: Answer,
): void {
  response.writeHead(code, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) })
  // Given a string, Node would encode the headers, which are bytes already, as UTF-8 once more.
  response.end(typeof body === 'string' && response.hasHeader('warning') ? Buffer.from(body) : body)
}

/** Sends an error as a Status. */
export function fail(response: ServerResponse, error: StatusError): void {
  // The rest of a body that was not read to its end would be taken for the next request.
  const headers = error.code === 413 ? { connection: 'close' } : {}
  send(response, { code: error.code, body: JSON.stringify(error), headers })
}

/** Collects warnings for a client, equal ones once; after each, `write` gets the values of the `Warning` header so far. */
export function warningRecorder(write: (headers: string[]) => void): (text: string) => void {
  const warnings = new Set<string>()
  return (text) => write([...warnings.add(text)].map(header))
}

/** The text's UTF-8 bytes, as Go writes them; control characters would break the header. */
function header(text: string): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/["\\]/g, '\\$&')
  return `299 - "${Buffer.from(printable).toString('latin1')}"`
}
