import { createHash } from 'node:crypto'
import type { RequestOptions } from 'node:https'
import type { Logger } from '../logger.ts'
import { loadKubeConfig, type KubeConfigSource } from './kube-config.ts'

/** The options of TLS with the API server; empty for plain HTTP. */
export type TlsOptions = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>

/**
 * The credentials at one moment. An equal `tlsId` means equal `tls`: a pool of connections made with it can be kept.
 */
export interface Authentication {
  readonly headers: Readonly<Record<string, string>>
  readonly tls: TlsOptions
  readonly tlsId: string
}

interface Options {
  source: KubeConfigSource
  logger: Logger
  /** Monotonic milliseconds. */
  now?: () => number
}

/** How long credentials are reused before they are read again: files rotate, and tokens of exec plugins expire. */
const FRESH_MS = 5000

/**
 * Every kind of credentials in a kubeconfig or of the in-cluster account: CA, client certificate, bearer
 * token, token file, exec plugin, basic. They are read again as they rotate; a 401 reloads the configuration.
 */
export class Credentials {
  readonly server: URL
  readonly proxy: string | undefined
  /** The name of the context; in a cluster, client-node's `inClusterContext`. */
  readonly context: string
  /** The namespace of the context; in a cluster, our own. */
  readonly namespace: string | undefined
  readonly #source: KubeConfigSource
  readonly #logger: Logger
  readonly #now: () => number
  #config: ReturnType<typeof loadKubeConfig>
  #loadedAt: number
  #current: { readonly since: number; readonly value: Promise<Authentication> } | undefined

  /** Throws Error when no usable configuration is found. */
  constructor({ source, logger, now = () => performance.now() }: Options) {
    this.#source = source
    this.#logger = logger
    this.#now = now
    this.#config = loadKubeConfig(source)
    this.#loadedAt = now()
    this.server = new URL(this.#config.cluster.server)
    this.proxy = this.#config.cluster.proxyUrl
    this.context = this.#config.context.name
    this.namespace = this.#config.context.namespace
  }

  current(): Promise<Authentication> {
    const now = this.#now()
    if (this.#current && now - this.#current.since < FRESH_MS) return this.#current.value
    const value = this.#read()
    const entry = { since: now, value }
    this.#current = entry
    value.catch(() => {
      if (this.#current === entry) this.#current = undefined
    })
    return value
  }

  /** After a 401: drops all cached credentials, those of exec plugins too, and loads the configuration again. */
  renew(): void {
    if (this.#now() - this.#loadedAt < FRESH_MS) return
    this.#loadedAt = this.#now()
    this.#current = undefined
    try {
      this.#config = loadKubeConfig(this.#source)
    } catch (error) {
      this.#logger.warn({ err: error }, 'the cluster refused our credentials, and loading them again failed')
    }
  }

  async #read(): Promise<Authentication> {
    const options: RequestOptions = {}
    await this.#config.kubeConfig.applyToHTTPSOptions(options)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      // A token file may end in a newline, which is not allowed in a header.
      if (typeof value === 'string') headers[name.toLowerCase()] = value.trim()
    }
    if (options.auth) headers.authorization ??= `Basic ${Buffer.from(options.auth).toString('base64')}`
    const tls = this.server.protocol === 'https:' ? tlsOf(options) : {}
    return { headers, tls, tlsId: identify(tls) }
  }
}

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): TlsOptions {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    ...(servername !== undefined && { servername }),
  }
}

function identify(tls: TlsOptions): string {
  return createHash('sha256').update(JSON.stringify(tls)).digest('base64')
}
