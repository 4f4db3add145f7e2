import type { Agent as HttpAgent, ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Credentials } from '../../kubernetes/credentials.ts'
import { CredentialsError } from '../../kubernetes/failures.ts'
import type { HttpText } from '../../kubernetes/exchange.ts'
import type { HttpRequest, HttpStream } from '../../kubernetes/http.ts'
import { unlessAborted } from '../../process/unless-aborted.ts'
import type { Proxies } from '../proxies.ts'

// An import would read all their exports, and with those of node:http load Node's own WebSocket: 15 ms.
const { Agent: PlainAgent, request: plain } = process.getBuiltinModule('node:http')
const { Agent, request: secure } = process.getBuiltinModule('node:https')

/** Milliseconds for a connection to be established. */
const CONNECT_TIMEOUT = 5000
/** For calls; streams, each of which keeps its own, are not counted. */
const SOCKETS = 10

/** The place of a server, and how a caller shows who they are; without `renew` a 401 is the answer. */
type Access = Pick<Credentials, 'server' | 'current'> & Partial<Pick<Credentials, 'renew'>>

/**
 * HTTP to one server by Node's own means: a command makes three calls, and loading undici takes longer than all of
 * them. It goes through the proxies of the environment; `HttpTransport` through that of a kubeconfig.
 */
export class NodeTransport {
  readonly #credentials: Access
  readonly #basePath: string
  readonly #calls: HttpAgent
  readonly #streams: HttpAgent
  readonly #open = new Set<IncomingMessage>()

  constructor(credentials: Access, proxies?: Proxies) {
    this.#credentials = credentials
    const AgentOfServer = credentials.server.protocol === 'https:' ? Agent : PlainAgent
    const options = { keepAlive: true, ...(proxies && { proxyEnv: { ...proxies } }) }
    this.#calls = new AgentOfServer({ ...options, maxSockets: SOCKETS })
    this.#streams = new AgentOfServer(options)
    this.#basePath = credentials.server.pathname.replace(/\/+$/, '')
  }

  /** `timeout`: milliseconds until the whole answer must be there, else a DOMException TimeoutError is thrown. */
  async send(request: HttpRequest, timeout: number): Promise<HttpText> {
    const signal = AbortSignal.any([
      AbortSignal.timeout(timeout),
      ...(request.signal ? [request.signal] : []),
    ])
    try {
      const answer = await this.#authenticated({ ...request, signal })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw error
    }
  }

  /** `silence`: milliseconds without a byte after which the stream is given up (UND_ERR_BODY_TIMEOUT). */
  async open(request: HttpRequest, silence: number): Promise<HttpStream> {
    return this.#authenticated(request, silence)
  }

  async close(): Promise<void> {
    for (const answer of this.#open) answer.destroy()
    this.#calls.destroy()
    this.#streams.destroy()
  }

  /** After a 401, loads the credentials again and repeats the call once. */
  async #authenticated(request: HttpRequest, silence?: number): Promise<HttpStream> {
    const first = await this.#dispatched(request, silence)
    if (first.status !== 401 || !this.#credentials.renew) return first
    await first.text()
    this.#credentials.renew()
    return this.#dispatched(request, silence)
  }

  async #dispatched(
    { method, path, headers, body, signal }: HttpRequest,
    silence?: number,
  ): Promise<HttpStream> {
    const { server } = this.#credentials
    const current = this.#credentials.current().catch((cause: unknown) => {
      throw new CredentialsError('no credentials', { cause })
    })
    // A plugin that hangs takes no longer than the call that waits for it.
    const known = await (signal ? unlessAborted(signal, current) : current)
    signal?.throwIfAborted()
    const sent: Record<string, string | string[] | number> = { ...headers, ...known.headers }
    if (body !== undefined) sent['content-length'] = Buffer.byteLength(body)
    const options: RequestOptions = {
      method,
      headers: sent,
      agent: silence === undefined ? this.#calls : this.#streams,
      ...(server.protocol === 'https:' && known.tls),
    }
    const url = new URL(server.origin + this.#basePath + path)
    const answer = await this.#answered(url, options, body, signal, silence)
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: answer,
      text: () => textOf(answer),
    }
  }

  /**
   * Ends the answer itself where `signal` does: by Node's own option a socket whose answer is whole, but not read, fails
   * while nobody hears it.
   */
  #answered(
    url: URL,
    options: RequestOptions,
    body: string | undefined,
    signal: AbortSignal | undefined,
    silence: number | undefined,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const call = url.protocol === 'https:' ? secure(url, options) : plain(url, options)
    let ended: (reason: Error) => void = (reason) => void call.destroy(reason)
    const abort = () => ended(signal?.reason)
    signal?.addEventListener('abort', abort)
    if (silence !== undefined) call.setTimeout(silence, () => ended(silent()))
    const late = setTimeout(() => {
      // Until others have been answered it is connected to nobody.
      if (isQueued(call, options.agent as HttpAgent)) late.refresh()
      else call.destroy(new Error('no connection'))
    }, CONNECT_TIMEOUT)
    call.once('socket', (socket) => {
      const connected = () => clearTimeout(late)
      if (!socket.connecting) return connected()
      late.refresh()
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
    })
    call.on('error', (error) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', abort)
      reject(error)
    })
    call.once('response', (answer) => {
      this.#open.add(answer)
      ended = (reason) => void answer.destroy(reason)
      // Nobody reads this answer any longer, so its error has no reader either.
      answer.on('error', () => {})
      answer.once('close', () => {
        this.#open.delete(answer)
        signal?.removeEventListener('abort', abort)
      })
      resolve(answer)
    })
    call.end(body)
    return promise
  }
}

/** Whether the call waits for a socket, because all are in use. */
function isQueued(call: ClientRequest, { requests }: HttpAgent): boolean {
  return Object.values(requests).some((waiting) =>
    (waiting as readonly unknown[] | undefined)?.includes(call),
  )
}

async function textOf(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** In undici's form. */
function silent(): Error {
  return Object.assign(new Error('nothing came for too long'), { code: 'UND_ERR_BODY_TIMEOUT' })
}
