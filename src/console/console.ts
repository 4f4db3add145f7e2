import { randomBytes, timingSafeEqual, createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { ConsoleAnswer, ConsolePages, ConsoleRequest } from '../service/api/ports.ts'
import { pageSources } from './sources.ts'

/** Signs in the person who has the secret, once. */
export interface OneTimeSignIn {
  readonly secret: string
  readonly token: () => string
  /** How to sign in without the link; default: paste a token. */
  readonly otherwise?: string
  /** Whether pasted tokens are accepted, too; default: true. */
  readonly takesTokens?: boolean
  /** Called at the sign-in, and each time that the link is used again. */
  readonly onShown?: (how: 'used' | 'used again') => void
}

const ROOT = '/console'
const SECRET = 'X-Dormouse-Secret'

/** Only this server's own files; no inline script, no text that becomes markup, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
} as const

/** A secret that nobody guesses. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The address that opens the console and signs in. In a fragment, so that neither a server nor a proxy ever sees it. */
export function signInUrl(server: string, secret: string): string {
  return `${server}${ROOT}#secret=${secret}`
}

/** The web page, and on loopback the sign-in by a secret. Reads its files at the first request. */
export class Console implements ConsolePages {
  readonly #signIn: OneTimeSignIn | undefined
  readonly #signOutUrl: string | null
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined
  #used = false

  /**
   * `signIn`: it serves one person on loopback, and only under that address. `signOutUrl`: the sign-out of an
   * authenticating proxy.
   */
  constructor(signIn?: OneTimeSignIn, signOutUrl: string | null = null) {
    this.#signIn = signIn
    this.#signOutUrl = signOutUrl
  }

  /** undefined: not a path of the console. */
  async answer(request: ConsoleRequest): Promise<ConsoleAnswer | undefined> {
    const { method, path } = request
    const reads = method === 'GET' || method === 'HEAD'
    // The server's name alone leads to the page.
    const isNameAlone = path === '/' && reads
    if (!isNameAlone && path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined
    // A name that an attacker makes point to 127.0.0.1 would be an origin of theirs.
    if (this.#signIn && !isOwnHost(request))
      return refusal(421, 'MISDIRECTED', 'open the console at the address that was printed')
    if (isNameAlone) return { status: 302, headers: { ...HEADERS, Location: ROOT }, body: undefined }
    if (path === `${ROOT}/sign-in`) return this.#exchange(request)
    if (!reads) return wrongMethod(method, 'GET', 'HEAD')
    const files = await (this.#files ??= pageFiles(this.#told))
    const name = path === ROOT || path === `${ROOT}/` ? 'index.html' : path.slice(ROOT.length + 1)
    const file = files.get(name)
    if (!file) return refusal(404, 'NOT_FOUND', `there is no such file: the console is at ${ROOT}`)
    const isSmall = /\bgzip\b/.test(request.header('Accept-Encoding'))
    const etag = isSmall ? file.etag.replace(/"$/, '-gzip"') : file.etag
    const headers = { ...HEADERS, 'Content-Type': file.type, ETag: etag, Vary: 'Accept-Encoding' }
    if (request.header('If-None-Match') === etag) return { status: 304, headers, body: undefined }
    if (!isSmall) return { status: 200, headers, body: file.body }
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: file.gzip }
  }

  get #told(): Record<string, string | undefined> {
    return {
      'sign-out': this.#signOutUrl ?? undefined,
      'sign-in': this.#signIn?.otherwise,
      tokens: this.#signIn?.takesTokens === false ? 'none' : undefined,
    }
  }

  #exchange(request: ConsoleRequest): ConsoleAnswer {
    if (!this.#signIn) return refusal(404, 'NOT_FOUND', 'there is no sign-in by a link here: paste a token')
    if (request.method !== 'POST') return wrongMethod(request.method, 'POST')
    const origin = request.header('Origin')
    if (origin !== '' && origin !== `http://${request.header('Host')}`)
      return refusal(403, 'FORBIDDEN', 'another site may not sign in here')
    const { otherwise = 'paste a token' } = this.#signIn
    if (!isEqual(request.header(SECRET), this.#signIn.secret))
      return refusal(
        403,
        'FORBIDDEN',
        `this link is not of this server: use the one that it printed last, or ${otherwise}`,
      )
    this.#signIn.onShown?.(this.#used ? 'used again' : 'used')
    if (this.#used)
      return refusal(403, 'FORBIDDEN', `this link has been used: it signs in once. Else ${otherwise}`)
    this.#used = true
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ token: this.#signIn.token() }) }
  }
}

const JSON_HEADERS = {
  ...HEADERS,
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
} as const

function refusal(status: number, code: string, message: string): ConsoleAnswer {
  return {
    status,
    headers: JSON_HEADERS,
    body: JSON.stringify({ success: false, error: { code, message, details: {} } }),
  }
}

function wrongMethod(method: string, ...allowed: readonly string[]): ConsoleAnswer {
  const answer = refusal(405, 'METHOD_NOT_ALLOWED', `${method} does nothing here: use ${allowed[0]}`)
  return { ...answer, headers: { ...JSON_HEADERS, Allow: allowed.join(', ') } }
}

/** Whether `Host` is exactly where we listen. */
export function isOwnHost({
  header,
  localAddress,
  localPort,
}: Pick<ConsoleRequest, 'header' | 'localAddress' | 'localPort'>): boolean {
  const address = localAddress.replace(/^::ffff:/, '')
  const names = [address.includes(':') ? `[${address}]` : address, 'localhost']
  return names.some(
    (name) => header('Host') === `${name}:${localPort}` || (localPort === 80 && header('Host') === name),
  )
}

/** Compares secrets in constant time. */
export function isEqual(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
  readonly gzip: Buffer
  readonly etag: string
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The files by name, `index.html` among them, into which the values of `told` go, such as the sign-out URL. */
export async function pageFiles(
  told: Readonly<Record<string, string | undefined>> = {},
): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  for (const [name, text] of await pageSources()) {
    const body = Buffer.from(name === 'index.html' ? telling(text, told) : text)
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    files.set(name, {
      type: TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain',
      body,
      gzip: gzipSync(body),
      etag,
    })
  }
  return files
}

function telling(page: string, told: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(told).flatMap(([name, value]) => {
    if (value === undefined) return []
    const content = value.replaceAll(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    return [`\n<meta name="${name}" content="${content}" />`]
  })
  return page.replace('</title>', () => `</title>${lines.join('')}`)
}
