import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Console, isEqual, isOwnHost, newSecret, signInUrl } from '../console.ts'
import { HTTP_STATUS, Refusal, UsageError } from '../../process/errors.ts'
import { errorBody } from '../../http/errors.ts'
import { LIMITS, ServerConnections } from '../../http/server-connections.ts'
import { refusalOf } from './call.ts'
import type { PageApi } from './page-api.ts'

const API = '/api/v1'
/** A browser opens six; others of the machine may connect, too. */
const MOST_CONNECTIONS = 64
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

interface Options {
  readonly api: PageApi
  /** The command that gets a new link. */
  readonly command: string
  /** Called at the sign-in by the link, and each time that the link is used again. */
  readonly onLinkShown?: (how: 'used' | 'used again') => void
}

/** The console's page for one person, on loopback, and as much of the v1 API as it calls, by that person's own rights. */
export class ConsoleServer {
  readonly #options: Options
  readonly #secret = newSecret()
  readonly #token = newSecret()
  readonly #pages: Console
  readonly #stopping = new AbortController()
  readonly #connections = new ServerConnections(MOST_CONNECTIONS)
  readonly #server = this.#connections.watch(
    createServer(
      { ...LIMITS, requestTimeout: 0 },
      this.#connections.guard((request, response) => void this.#serve(request, response)),
    ),
  )

  constructor(options: Options) {
    this.#options = options
    this.#pages = new Console({
      secret: this.#secret,
      token: () => this.#token,
      otherwise: `end ${options.command} and start it again for a new one`,
      takesTokens: false,
      ...(options.onLinkShown && { onShown: options.onLinkShown }),
    })
  }

  /** Resolves with the address that signs in, once. @throws UsageError where the port is taken */
  async start(port: number): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    try {
      await once(this.#server, 'listening')
    } catch (error) {
      throw new UsageError(`--port ${port}: ${(error as NodeJS.ErrnoException).code}: choose another`, {
        cause: error,
      })
    }
    const { port: found } = this.#server.address() as AddressInfo
    return signInUrl(`http://127.0.0.1:${found}`, this.#secret)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    try {
      await this.#answer(request, response)
    } catch (error) {
      if (!response.headersSent) refuse(response, refusalOf(error))
      else response.destroy()
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { localAddress = '', localPort = 0 } = request.socket
    const header = (name: string) => String(request.headers[name.toLowerCase()] ?? '')
    const method = request.method ?? ''
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const page = await this.#pages.answer({ method, path, header, localAddress, localPort })
    if (page) {
      response.writeHead(page.status, page.headers)
      return void response.end(method === 'HEAD' ? undefined : page.body)
    }
    // A name that an attacker makes point to 127.0.0.1 would be an origin of theirs.
    if (!isOwnHost({ header, localAddress, localPort }))
      return refuse(
        response,
        new Refusal('FORBIDDEN', 'open the console at the address that was printed'),
        421,
      )
    if (path !== API && !path.startsWith(`${API}/`))
      return refuse(response, new Refusal('NOT_FOUND', 'there is nothing here: the console is at /console'))
    if (!isEqual(header('Authorization'), `Bearer ${this.#token}`)) return this.#refuseStranger(response)
    const body = await bodyOf(request)
    const signal = AbortSignal.any([goneOf(response), this.#stopping.signal])
    const call = { method, path: path.slice(API.length), query: new URLSearchParams(query), body, signal }
    const { api } = this.#options
    const events = api.events(call)
    if (events) return stream(response, events, signal)
    const { message, data } = await api.answer(call)
    send(response, 200, { success: true, message, data, timestamp: new Date().toISOString() })
  }

  #refuseStranger(response: ServerResponse): void {
    const { command } = this.#options
    const message = `sign in by the link that ${command} printed; end it and start it again for a new one`
    response.setHeader('WWW-Authenticate', 'Bearer realm="dormouse"')
    refuse(response, new Refusal('UNAUTHENTICATED', message))
  }
}

async function stream(
  response: ServerResponse,
  events: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' })
  response.flushHeaders()
  for await (const text of events) if (!response.write(text)) await once(response, 'drain', { signal })
  response.end()
}

const LONGEST_BODY = 16 * 1024

/** The body as JSON; undefined: nothing. @throws Refusal */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > LONGEST_BODY) throw new Refusal('VALIDATION_ERROR', 'the body is too long')
    chunks.push(chunk)
  }
  if (length === 0) return undefined
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new Refusal('VALIDATION_ERROR', 'the body is no JSON')
  }
}

function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function refuse(
  response: ServerResponse,
  refusal: Refusal,
  status: number = HTTP_STATUS[refusal.code],
): void {
  send(response, status, errorBody(refusal, Date.now()))
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
