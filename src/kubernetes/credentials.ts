import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Logger } from '../process/logger.ts'
import { pluginIssuer, type InTurn, type Issuer } from './exec-plugin.ts'
import type { Cluster, User } from './kube-config-file.ts'
import {
  loadKubeConfig,
  type Environment,
  type KubeConfigSource,
  type LoadedKubeConfig,
} from './kube-config.ts'

/** The TLS options for the API server; empty for plain HTTP. */
export type TlsOptions = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>

/** The credentials at one moment. Equal `tlsId` means equal `tls`, so a connection pool made with it can be kept. */
export interface Authentication {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly tls: TlsOptions
  readonly tlsId: string
}

interface Loading {
  readonly since: number
  /** Milliseconds for which it is reused. */
  readonly lasts: number
  readonly value: Promise<Authentication>
  known?: Authentication
}

interface Options {
  source: KubeConfigSource
  logger: Pick<Logger, 'warn'>
  /** Monotonic milliseconds. */
  now?: () => number
  /** Milliseconds that a call waits for credentials; default 8,000, so that commands can say why they had no answer. */
  patience?: number
  /** When an exec plugin may run; default: at once. */
  inTurn?: InTurn | undefined
  /** Milliseconds after which an exec plugin is killed; default: a minute. */
  longestRun?: number
  /** Milliseconds for which a failure is told again, before the credentials are loaded once more; default 0. */
  failsFor?: number
  /** Ends the waits of its time: nobody has to wait for a plugin that hangs. */
  signal?: AbortSignal
}

/** How long credentials are reused before they are read again: files rotate, and tokens of exec plugins expire. */
const FRESH_MS = 5000

/**
 * Every kind of credentials in a kubeconfig or of the in-cluster account: CA, client certificate, bearer token, token
 * file, exec plugin, basic. They are read again as they rotate; a 401 reloads the configuration.
 */
export class Credentials {
  readonly server: URL
  readonly proxy: string | undefined
  /** The name of the context; in a cluster, `inClusterContext`. */
  readonly context: string
  /** The namespace of the context; in a cluster, our own. */
  readonly namespace: string | undefined
  readonly #source: KubeConfigSource
  readonly #logger: Pick<Logger, 'warn'>
  readonly #now: () => number
  readonly #patience: number
  readonly #inTurn: InTurn | undefined
  readonly #longestRun: number | undefined
  readonly #signal: AbortSignal | undefined
  readonly #failsFor: number
  #config: ReturnType<typeof loadKubeConfig>
  #loadedAt: number
  #issuer: Promise<Issuer | undefined> | undefined
  /** The latest late failure that was logged: callers that share a run of a plugin share its failure. */
  #logged: unknown
  #current: Loading | undefined

  /** Throws Error when no usable configuration is found. */
  constructor({
    source,
    logger,
    now = () => performance.now(),
    patience = 8000,
    inTurn,
    longestRun,
    failsFor = 0,
    signal,
  }: Options) {
    this.#source = source
    this.#logger = logger
    this.#now = now
    this.#patience = patience
    this.#inTurn = inTurn
    this.#longestRun = longestRun
    this.#signal = signal
    this.#failsFor = failsFor
    this.#config = loadKubeConfig(source)
    this.#loadedAt = now()
    this.server = this.#config.server
    this.proxy = this.#config.cluster['proxy-url']
    this.context = this.#config.name
    this.namespace = this.#config.namespace
  }

  /** The credentials that are loaded and fresh; undefined: they have to be read. */
  get known(): Authentication | undefined {
    return this.#fresh?.known
  }

  current(): Promise<Authentication> {
    const fresh = this.#fresh
    if (fresh) return fresh.value
    const value = this.#inTime(this.#read())
    const entry: Loading = { since: this.#now(), lasts: FRESH_MS, value }
    this.#current = entry
    value.then(
      (known) => (entry.known = known),
      () => {
        if (this.#current === entry) this.#current = { since: this.#now(), lasts: this.#failsFor, value }
      },
    )
    return value
  }

  get #fresh(): Loading | undefined {
    const current = this.#current
    return current && this.#now() - current.since < current.lasts ? current : undefined
  }

  /** After a 401: drops all cached credentials, those of exec plugins too, and loads the configuration again. */
  renew(): void {
    if (this.#now() - this.#loadedAt < FRESH_MS) return
    this.#loadedAt = this.#now()
    this.#current = undefined
    this.#issuer = undefined
    try {
      this.#config = loadKubeConfig(this.#source)
    } catch (error) {
      this.#logger.warn({ err: error }, 'the cluster refused our credentials, and loading them again failed')
    }
  }

  /** A slow read continues after the timeout, so a plugin that is slow once still serves a later call. */
  async #inTime(reading: Promise<Authentication>): Promise<Authentication> {
    const seconds = this.#patience / 1000
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Error(`no credentials after ${seconds} s`))
      reading.catch((error: unknown) => this.#failedLate(error))
    }, this.#patience)
    const stop = () => late.reject(this.#signal?.reason)
    this.#signal?.addEventListener('abort', stop)
    return Promise.race([reading, late.promise]).finally(() => {
      clearTimeout(timer)
      this.#signal?.removeEventListener('abort', stop)
    })
  }

  /** Logs a failure that came after all callers gave up. */
  #failedLate(error: unknown): void {
    if (error === this.#logged) return
    this.#logged = error
    this.#logger.warn(
      { err: error },
      'the credentials could not be loaded, and calls had given up waiting for them',
    )
  }

  async #read(): Promise<Authentication> {
    const { cluster, user } = this.#config
    const issued: RequestOptions = {}
    this.#issuer ??= issuerOf(this.#config, this.#source.environment ?? {}, this.#longestRun, this.#inTurn)
    await (
      await this.#issuer
    )?.(issued)
    const authorization = await authorizationOf(user, issued)
    const headers = { ...(authorization !== undefined && { authorization }), ...impersonation(user) }
    const tls = this.server.protocol === 'https:' ? await tlsOf(cluster, user, issued) : {}
    return { headers, tls, tlsId: identify(tls) }
  }
}

async function authorizationOf(user: User, { headers = {} }: RequestOptions): Promise<string | undefined> {
  const token = await tokenOf(user)
  if (token) return bearer(token)
  if (user.username)
    return `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`
  const { Authorization: issued } = headers as OutgoingHttpHeaders
  return typeof issued === 'string' ? issued.trim() : undefined
}

/** A token file that can be read wins over a token (Kubernetes docs, "kubeconfig (v1)"). */
async function tokenOf({ token, tokenFile }: User): Promise<string | undefined> {
  if (!tokenFile) return token
  try {
    return (await readFile(tokenFile, 'utf8')).trim() || token
  } catch (error) {
    if (token) return token
    throw error
  }
}

/** Kubernetes docs, "User impersonation". */
function impersonation(user: User): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  if (user.as) headers['impersonate-user'] = user.as
  if (user['as-uid']) headers['impersonate-uid'] = user['as-uid']
  if (user['as-groups']) headers['impersonate-group'] = [...user['as-groups']]
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = [...values]
  return headers
}

/** A token may end in a newline, which is not allowed in a header. */
function bearer(token: string): string {
  return `Bearer ${token.trim()}`
}

async function tlsOf(cluster: Cluster, user: User, issued: RequestOptions): Promise<TlsOptions> {
  const [ca, cert, key] = await Promise.all([
    textOf(cluster['certificate-authority'], cluster['certificate-authority-data']),
    textOf(user['client-certificate'], user['client-certificate-data']),
    textOf(user['client-key'], user['client-key-data']),
  ])
  const options: TlsOptions = {
    ca,
    cert: issued.cert ?? cert,
    key: issued.key ?? key,
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] === true ? false : undefined,
    servername: cluster['tls-server-name'],
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** The base64 data in the kubeconfig itself, else the content of the file. */
async function textOf(file: string | undefined, data: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString()
  return file ? readFile(file, 'utf8') : undefined
}

function identify(tls: TlsOptions): string {
  return createHash('sha256').update(JSON.stringify(tls)).digest('base64')
}

/** A user with one of these needs no issuer: like kubectl, we run nothing. */
const OWN = ['token', 'tokenFile', 'username', 'client-certificate', 'client-certificate-data'] as const

/**
 * The issuer of a user's credentials: an exec plugin, or one of client-node's auth providers; undefined: none.
 * client-node is loaded only here, for an auth provider: its models take 85 MB.
 */
async function issuerOf(
  { cluster, user }: LoadedKubeConfig,
  environment: Environment,
  longestRun: number | undefined,
  inTurn: InTurn | undefined,
): Promise<Issuer | undefined> {
  if (OWN.some((field) => user[field])) return undefined
  if (user.exec) return pluginIssuer(user.exec, cluster, environment, longestRun, inTurn)
  const { 'auth-provider': authProvider } = user
  if (!authProvider) return undefined
  const { KubeConfig } = await import('@kubernetes/client-node')
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromClusterAndUser(
    { name: 'cluster', server: 'https://unused', skipTLSVerify: false },
    { name: 'user', authProvider },
  )
  return (options) => kubeConfig.applyToHTTPSOptions(options)
}
