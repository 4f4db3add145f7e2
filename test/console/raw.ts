import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** The answer to a GET, headers included; fetch would not send another Host. */
export async function rawHttp(url: string, path: string, host = new URL(url).host): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return await text(socket)
}
