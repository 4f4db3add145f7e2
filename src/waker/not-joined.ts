import type { Socket } from 'node:net'
import type { RefusalReason } from './ports.ts'
import { protocolOf } from './sniff.ts'
import type { WaitingClient } from './waiting-client.ts'

/** How long the client of a refused request has to read the answer, in milliseconds. */
export const LAST_WORDS = 1000
const TEXT = {
  'no-port': 'nobody is reached at this port',
  full: 'too many connections wait for workloads that wake: try again',
  'service-full': 'too many connections wait for this workload to wake: try again',
  silent: 'the request took too long to arrive: send it faster',
  automatic: 'it is asleep, and probes and scrapers do not wake it',
  held: 'it is asleep, and traffic may not wake it now',
  off: 'it is not awake, and traffic does not wake it',
  late: 'it is waking, and no pod was ready in time: try again',
} as const satisfies Record<RefusalReason, string>

/** A connection is not joined to a pod. */
export class NotJoined extends Error {
  readonly reason: RefusalReason
  /** Seconds. */
  readonly retryAfter: number

  constructor(reason: RefusalReason, retryAfter = 5) {
    super(TEXT[reason])
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

/** Answers a client that speaks HTTP/1; the others find their connection closed. */
export function refuse(client: WaitingClient, { message, retryAfter }: NotJoined): void {
  const { socket } = client
  const bytes = client.release()
  if (protocolOf(bytes) !== 'http1') return void socket.destroy()
  answer(socket, '503 Service Unavailable', [`Retry-After: ${retryAfter}`], `${message}\n`)
}

/** A target without samples, or a backend: an empty answer, so that no alert is raised and nobody is led elsewhere. */
export function answerWatcher(client: WaitingClient): void {
  const { socket } = client
  client.release()
  answer(socket, '200 OK', [], '')
}

function answer(socket: Socket, status: string, lines: readonly string[], body: string): void {
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...lines,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Unread bytes would make the system reset the connection, and the client lose the answer.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS).unref()
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(timer))
}
