import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { acceptFor, digestOf, type AppPort } from './app.ts'

/** The address that a connection goes to. */
export interface Target {
  readonly address: string
  readonly port: number
  /** HTTP's Host, where a proxy needs it. */
  readonly host?: string
}

/** How a connection ended. */
export interface Outcome {
  /**
   * `app`: the app's answer. `waker`: a 503 of a waker. `refused`: nobody listened. `broken`: it ended without an answer,
   * or with another one.
   */
  readonly end: 'app' | 'waker' | 'refused' | 'broken'
  readonly detail: string
}

/** Speaks one protocol, and resolves with the app's answer or another's; throws where a connection ends without one. */
interface Caller {
  readonly port: AppPort
  readonly call: (to: Target, signal: AbortSignal) => Promise<Outcome>
}

const POSTED = 64 * 1024
const STARTUP = Buffer.from('\0\x03\0\0user\0dev\0database\0shop\0\0', 'latin1')

export const CALLERS = {
  http: { port: 'http', call: (to, signal) => get(to, signal) },
  posted: { port: 'http', call: post },
  websocket: { port: 'http', call: websocket },
  h2c: { port: 'h2c', call: h2c },
  postgres: { port: 'postgres', call: postgres },
  greeting: { port: 'greeting', call: greeted },
} as const satisfies Record<string, Caller>
export type CallerName = keyof typeof CALLERS

/** Milliseconds that a caller waits: longer than a wake takes. */
const PATIENCE = 60_000

/** Calls once, on a connection of its own. Never throws. */
export async function call(name: CallerName, to: Target): Promise<Outcome> {
  const signal = AbortSignal.timeout(PATIENCE)
  return CALLERS[name].call(to, signal).catch((error: NodeJS.ErrnoException) => ({
    end: error.code === 'ECONNREFUSED' ? 'refused' : 'broken',
    detail: signal.aborted ? `no answer within ${PATIENCE / 1000} s` : (error.code ?? error.message),
  }))
}

/** A GET with these headers. */
export async function get(
  to: Target,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Outcome> {
  const request = httpRequest({ ...at(to, headers), signal })
  request.end()
  return http(request, (body) => body.startsWith('pod '))
}

async function post(to: Target, signal: AbortSignal): Promise<Outcome> {
  const body = randomBytes(POSTED)
  const request = httpRequest({ ...at(to), method: 'POST', signal })
  request.end(body)
  return http(request, (answer) => answer === digestOf(body))
}

async function http(
  request: ReturnType<typeof httpRequest>,
  isRight: (body: string) => boolean,
): Promise<Outcome> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = await text(response)
  if (response.statusCode === 200 && isRight(body)) return { end: 'app', detail: body }
  const end = response.statusCode === 503 && response.headers['retry-after'] ? 'waker' : 'broken'
  return { end, detail: `${response.statusCode} ${body.slice(0, 80)}` }
}

async function websocket(to: Target, signal: AbortSignal): Promise<Outcome> {
  const key = randomBytes(16).toString('base64')
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': key }
  const request = httpRequest({ ...at(to, headers), signal })
  request.end()
  const [response, socket] = (await Promise.race([once(request, 'upgrade'), once(request, 'response')])) as [
    IncomingMessage,
    Socket | undefined,
  ]
  if (!socket) {
    const end = response.statusCode === 503 ? 'waker' : 'broken'
    return { end, detail: `${response.statusCode} ${(await text(response)).slice(0, 80)}` }
  }
  if (response.headers['sec-websocket-accept'] !== acceptFor(key)) throw new Error('another answer')
  const frame = Buffer.from([0x81, 0x85, 1, 2, 3, 4, 0x69, 0x67, 0x6f, 0x68, 0x6e])
  socket.write(frame)
  const back = await read(socket, frame.length, signal)
  socket.destroy()
  return back.equals(frame) ? { end: 'app', detail: 'echo' } : { end: 'broken', detail: 'another echo' }
}

/** With prior knowledge, as gRPC's clients inside a cluster call. */
async function h2c({ address, port }: Target, signal: AbortSignal): Promise<Outcome> {
  const session = connectHttp2(`http://${address}:${port}`)
  try {
    const failed = once(session, 'close', { signal }).then(() => {
      throw new Error('it ended without an answer')
    })
    failed.catch(() => {})
    const stream = session.request({ ':path': '/' })
    const answered = Promise.all([once(stream, 'response', { signal }), text(stream)])
    const [[headers], body] = await Promise.race([answered, failed])
    const status = (headers as Record<string, unknown>)[':status']
    const right = status === 200 && body.startsWith('pod ')
    return { end: right ? 'app' : 'broken', detail: `${String(status)} ${body.slice(0, 80)}` }
  } finally {
    session.destroy()
  }
}

/** As libpq begins: it asks for TLS, and goes on without. */
async function postgres(to: Target, signal: AbortSignal): Promise<Outcome> {
  const socket = connect(to.port, to.address)
  try {
    await once(socket, 'connect', { signal })
    socket.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]))
    const tls = await read(socket, 1, signal)
    if (tls.toString() !== 'N') return { end: 'broken', detail: `answered ${tls.toString('hex')}` }
    const length = Buffer.alloc(4)
    length.writeInt32BE(STARTUP.length + 4)
    socket.write(Buffer.concat([length, STARTUP]))
    const answer = await read(socket, 15, signal)
    const right = answer[0] === 0x52 && answer[9] === 0x5a
    return { end: right ? 'app' : 'broken', detail: answer.toString('hex') }
  } finally {
    socket.destroy()
  }
}

/** A client that waits until the server speaks, as MySQL's does. */
async function greeted(to: Target, signal: AbortSignal): Promise<Outcome> {
  const socket = connect(to.port, to.address)
  try {
    await once(socket, 'connect', { signal })
    const greeting = (await read(socket, 4, signal)).toString()
    return { end: greeting === 'pod ' ? 'app' : 'broken', detail: greeting }
  } finally {
    socket.destroy()
  }
}

/** The first bytes that come. @throws Error where the connection ends before */
async function read(socket: Socket, length: number, signal: AbortSignal): Promise<Buffer> {
  let held = Buffer.alloc(0)
  const ended = Promise.race([once(socket, 'end', { signal }), once(socket, 'close', { signal })])
  ended.catch(() => {})
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      if (held.length < length) return
      socket.off('data', take)
      resolve(held.subarray(0, length))
    }
    socket.on('data', take)
    ended.then(() => reject(new Error(`it ended after ${held.length} bytes`)), reject)
  })
}

function at({ address, port, host }: Target, headers: Record<string, string> = {}) {
  return { host: address, port, agent: false as const, headers: { ...(host && { host }), ...headers } }
}
