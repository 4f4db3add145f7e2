import type { Protocol } from './ports.ts'

const TLS_HANDSHAKE = 0x16
const TLS_MAJOR = 3
/** RFC 9113, section 3.4. */
const H2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const REQUEST_LINE = /^[A-Z][A-Z_-]{0,23} \S+ HTTP\/1\.[01]\r?$/
/** A line that may become a request's. */
const BEGINNING = /^[A-Z][A-Z_-]{0,23}(?: [ -~\x80-\xff]*\r?)?$/

/** The protocol of a connection that begins with these bytes; undefined: more of them decide. */
export function protocolOf(bytes: Buffer): Protocol | undefined {
  if (bytes.length === 0) return undefined
  if (bytes[0] === TLS_HANDSHAKE) {
    if (bytes.length === 1) return undefined
    return bytes[1] === TLS_MAJOR ? 'tls' : 'raw'
  }
  if (bytes.subarray(0, H2_PREFACE.length).equals(H2_PREFACE)) return 'h2'
  if (H2_PREFACE.subarray(0, bytes.length).equals(bytes)) return undefined
  const end = bytes.indexOf('\n')
  const line = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
  if (end === -1) return BEGINNING.test(line) ? undefined : 'raw'
  return REQUEST_LINE.test(line) ? 'http1' : 'raw'
}

/** The head of an HTTP/1 request, without the empty line; undefined: its end is not among these bytes. */
export function headOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  return end ? text.slice(0, end.index) : undefined
}

export function userAgentOf(head: string): string | undefined {
  return /^user-agent:[ \t]*(.*?)[ \t]*\r?$/im.exec(head)?.[1]
}
