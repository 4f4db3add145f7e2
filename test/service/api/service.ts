import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { Writable } from 'node:stream'
import { SignJWT, type JWTPayload } from 'jose'
import { createApi } from '../../../src/service/api/app.ts'
import type { ApiDeps, ApiSettings } from '../../../src/service/api/ports.ts'
import { HttpServer } from '../../../src/http/server.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { expectDocumented } from './documented.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { RULES } from '../../support/rules.ts'
import { Evaluations } from '../../../src/service/evaluating/evaluations.ts'

/** A Tuesday. */
export const NOON = Date.parse('2026-03-03T12:00:00Z')
export const ISSUER = 'https://dormouse.test'
export const AUDIENCE = 'dormouse'

const keys = generateKeyPairSync('ed25519')
export const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString()

const cluster = { enabled: true, audiences: [AUDIENCE] }
const local = { issuer: ISSUER, audience: AUDIENCE, publicKey }
/** Settings of authentication. */
export const AUTH = {
  local: { kubernetes: { ...cluster, enabled: false }, oidc: [], local },
  cluster: { kubernetes: cluster, oidc: [], local: null },
  both: { kubernetes: cluster, oidc: [], local },
}

interface Token {
  readonly claims?: Record<string, unknown>
  readonly key?: KeyObject | Uint8Array
  readonly header?: Record<string, unknown>
}

/** A local token that may do anything for an hour from NOON, but for what is given; undefined leaves a claim out. */
export async function token({
  claims = {},
  key = keys.privateKey,
  header = {},
}: Token = {}): Promise<string> {
  const seconds = NOON / 1000
  const all = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'alice',
    iat: seconds,
    exp: seconds + 3600,
    scope: 'dormouse:read dormouse:write',
    'dormouse.dev/namespaces': ['*'],
    ...claims,
  }
  return await new SignJWT(JSON.parse(JSON.stringify(all)) as JWTPayload)
    .setProtectedHeader({ alg: 'EdDSA', ...header })
    .sign(key)
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    success: boolean
    message: string
    data: Record<string, unknown> & Record<string, unknown>[]
    continue: string | null
    error: { code: string; message: string; details: Record<string, unknown> }
    timestamp: string
  }
  /** The error's code; undefined: a success. */
  readonly code: string | undefined
}

export interface Call {
  readonly body?: unknown
  readonly text?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** The API over a fake cluster, served on loopback. Every JSON answer is checked against the document. */
export class Service {
  readonly cluster = new FakeCluster({ clock: () => this.now })
  readonly observed: { route: string; method: string; code: number }[] = []
  /** Told of each answer, as metrics are. */
  onObserved: () => void = () => undefined
  readonly server: HttpServer
  now = NOON
  #log = ''
  #token = ''

  constructor(settings: Partial<ApiSettings> = {}, given: Partial<ApiDeps> = {}) {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#log += chunk.toString()
        done()
      },
    })
    const evaluations = new Evaluations({
      workloads: this.cluster,
      rules: given.rules ?? RULES,
      clock: () => this.now,
      due: (keys) => this.cluster.inputsChanged(keys),
    })
    this.cluster.onChange((before, after) => evaluations.changed(before, after))
    const deps: ApiDeps = {
      workloads: this.cluster,
      writer: this.cluster,
      reviews: this.cluster,
      rules: RULES,
      clock: () => this.now,
      monotonic: () => this.now,
      logger: createLogger('info', sink),
      observer: {
        answered: (route, method, code) => {
          this.observed.push({ route, method, code })
          this.onObserved()
        },
      },
      settings: {
        excludeNamespaces: ['kube-system'],
        bodyLimit: 16 * 1024,
        rate: { perSecond: 100_000, burst: 100_000 },
        auth: AUTH.local,
        trustedProxies: [],
        waiters: 250,
        ...settings,
      },
      ...given,
    }
    const { callback, drain } = createApi(deps)
    this.server = new HttpServer([{ host: '127.0.0.1', port: 0, handle: callback }], { ...deps, drain })
  }

  static async start(settings?: Partial<ApiSettings>, given?: Partial<ApiDeps>): Promise<Service> {
    const service = new Service(settings, given)
    await service.server.start()
    service.#token = await token()
    return service
  }

  async stop(): Promise<void> {
    await this.server.stop()
  }

  get log(): Record<string, unknown>[] {
    return this.#log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  /** `GET shop/deployments/web`: a path without a slash in front stands below the namespaces. */
  async call(request: string, call: Call = {}): Promise<Answer> {
    const [method = '', path = ''] = request.split(' ')
    const bearer = call.token === undefined ? this.#token : call.token
    const response = await fetch(
      this.server.url + (path.startsWith('/') ? path : `/api/v1/namespaces/${path}`),
      {
        method,
        headers: {
          ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
          ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        ...(call.text !== undefined && { body: call.text }),
        ...(call.signal && { signal: call.signal }),
      },
    )
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as Answer['body']
    if (text !== '') expectDocumented(method, new URL(response.url).pathname, response.status, body)
    return { status: response.status, headers: response.headers, body, code: body.error?.code }
  }
}
