import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, createServer, request as ask, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { issueCa, issueLeaf } from '../../src/service/certificates/issue.ts'
import { targetOf } from './cluster.ts'

/** The traffic since `forget`. */
export interface Traffic {
  /** By verb and resource: `patch deployments`, `list pods`. */
  readonly requests: Readonly<Record<string, number>>
  /** By resource. */
  readonly bookmarks: Readonly<Record<string, number>>
  /** On the wire in both directions, encrypted. */
  readonly bytes: number
}

const HOUR = 3_600_000

/** A proxy between Dormouse and the API server that counts, and changes nothing. */
export class CountingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #agent: Agent
  readonly #watching = new Set<IncomingMessage>()
  #requests: Record<string, number> = {}
  #bookmarks: Record<string, number> = {}
  #bytes = 0
  #forgotten = 0
  #mostSockets = 0
  kubeconfig = ''

  private constructor(upstream: { url: string; ca: string }, tls: { cert: string; key: string }) {
    this.#agent = new Agent({ ca: upstream.ca, keepAlive: true })
    this.#server = createServer(tls, (incoming, response) => {
      const { method = 'GET', url = '/', headers } = incoming
      const { verb, resource } = verbOf(method, url)
      const named = `${verb} ${resource}`
      this.#requests[named] = (this.#requests[named] ?? 0) + 1
      const options = { method, headers, agent: this.#agent }
      const onward = ask(new URL(url, upstream.url), options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        // A watch is connected before its first event.
        response.flushHeaders()
        if (verb === 'watch') this.#watch(answer, resource)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      incoming.pipe(onward)
    })
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      this.#mostSockets = Math.max(this.#mostSockets, this.#sockets.size)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        this.#bytes += bytesOf(socket)
      })
    })
  }

  /** `kubeconfig`: the one to use without the proxy; the proxy's own is written beside it. */
  static async start(kubeconfig: string): Promise<CountingProxy> {
    const { url, ca = '' } = await targetOf(kubeconfig)
    const own = await issueCa(Date.now(), 24 * HOUR)
    const leaf = await issueLeaf(own, ['127.0.0.1'], Date.now(), 24 * HOUR)
    const proxy = new CountingProxy({ url, ca }, leaf)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    const { port } = proxy.#server.address() as AddressInfo
    const text = (await readFile(kubeconfig, 'utf8'))
      .replaceAll(url, `https://127.0.0.1:${port}`)
      .replace(/("certificate-authority-data": )"[^"]*"/, `$1"${Buffer.from(own.cert).toString('base64')}"`)
    proxy.kubeconfig = `${kubeconfig}-counted`
    await writeFile(proxy.kubeconfig, text, { mode: 0o600 })
    return proxy
  }

  /** Connections now, and at the most since `forget`; how many of them carry a watch now. */
  get connections(): { now: number; most: number; watches: number } {
    return { now: this.#sockets.size, most: this.#mostSockets, watches: this.#watching.size }
  }

  get traffic(): Traffic {
    return { requests: this.#requests, bookmarks: this.#bookmarks, bytes: this.#total() - this.#forgotten }
  }

  forget(): void {
    this.#requests = {}
    this.#bookmarks = {}
    this.#forgotten = this.#total()
    this.#mostSockets = this.#sockets.size
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#agent.destroy()
    await once(this.#server.close(), 'close')
  }

  #total(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + bytesOf(socket), this.#bytes)
  }

  #watch(answer: IncomingMessage, resource: string): void {
    this.#watching.add(answer)
    answer.once('close', () => this.#watching.delete(answer))
    answer.on('data', (chunk: Buffer) => {
      if (chunk.includes('"type":"BOOKMARK"'))
        this.#bookmarks[resource] = (this.#bookmarks[resource] ?? 0) + 1
    })
  }
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten
}

/** As RBAC names them. `/apis/<group>/<version>[/namespaces/<namespace>]/<resource>[/<name>…]`, `/api/v1/…`. */
export function verbOf(method: string, url: string): { verb: string; resource: string } {
  const { pathname, searchParams } = new URL(url, 'https://cluster')
  const parts = pathname.split('/').slice(pathname.startsWith('/api/') ? 3 : 4)
  const [first = '', , third, ...rest] = parts
  const isNamespaced = first === 'namespaces' && third !== undefined
  const resource = isNamespaced ? third : first
  const isNamed = isNamespaced ? rest.length > 0 : parts.length > 1
  const verbs: Readonly<Record<string, string>> = {
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  }
  if (method !== 'GET') return { verb: verbs[method] ?? method.toLowerCase(), resource }
  if (searchParams.has('watch')) return { verb: 'watch', resource }
  return { verb: isNamed ? 'get' : 'list', resource }
}
