import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from '../../support/certificate.ts'

/** An RSA key to publish. */
export interface Published {
  readonly kid: string
  readonly key: KeyObject
}

/** An OpenID provider's keys on loopback: by http, and by https under a certificate of its own. */
export class OpenIdProvider {
  /** How often it was asked, by path. */
  readonly asked: Record<string, number> = {}
  /** In PEM; clients that fetch by https have to trust it. */
  certificate = ''
  /** The answer of `/keys`. */
  answer: RequestListener = (_, response) => response.end('{"keys":[]}')
  #http: Server | undefined
  #https: Server | undefined

  async start(): Promise<void> {
    const { cert, key } = await selfSigned()
    this.certificate = cert
    const listener: RequestListener = (request, response) => this.#serve(request, response)
    this.#http = createServer(listener)
    this.#https = createTlsServer({ cert, key }, listener)
    for (const server of [this.#http, this.#https]) await once(server.listen(0, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    for (const server of [this.#http, this.#https]) {
      if (!server) continue
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }

  /** `/keys`; `/down` answers 503, `/redirecting` sends on to `/elsewhere` by http, where the same keys are. */
  url(path: string, scheme: 'http' | 'https' = 'http'): string {
    const address = (scheme === 'http' ? this.#http : this.#https)?.address() as AddressInfo
    return `${scheme}://127.0.0.1:${address.port}${path}`
  }

  publish(...keys: readonly Published[]): void {
    const jwks = keys.map(({ kid, key }) => ({
      ...key.export({ format: 'jwk' }),
      kid,
      alg: 'RS256',
      use: 'sig',
    }))
    this.answer = (_, response) => response.end(JSON.stringify({ keys: jwks }))
  }

  get fetches(): number {
    return this.asked['/keys'] ?? 0
  }

  #serve(...[request, response]: Parameters<RequestListener>): void {
    const path = request.url ?? ''
    this.asked[path] = (this.asked[path] ?? 0) + 1
    if (path === '/keys' || path === '/elsewhere') return this.answer(request, response)
    if (path === '/down') return void response.writeHead(503).end()
    if (path === '/redirecting') response.writeHead(302, { Location: this.url('/elsewhere') }).end()
    else response.writeHead(404).end()
  }
}

export function rsaKeys(modulusLength = 2048) {
  return generateKeyPairSync('rsa', { modulusLength })
}
