import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PatchOperation } from '../../../src/domain/json-patch.ts'
import type { Namespace } from '../../../src/domain/policy/inheritance.ts'
import { keyOf, type Kind, type Workload } from '../../../src/domain/workload/workload.ts'
import { trim } from '../../../src/kubernetes/trim.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { EXEMPT_USERS } from '../../../src/service/webhook/decide.ts'
import { RateLimit } from '../../../src/http/rate-limit.ts'
import type { ReviewAnswer } from '../../../src/service/webhook/answer.ts'
import { SeenScalings } from '../../../src/service/webhook/seen-scalings.ts'
import { createWebhook } from '../../../src/service/webhook/app.ts'
import { reviewBody } from '../../support/reviews.ts'
import { RULES } from '../../support/rules.ts'

export const OWN_USER = 'system:serviceaccount:dormouse:dormouse'

export const RATE = { perSecond: 20, burst: 40 }

/** A webhook over plain HTTP. The test fills the informer's copies and the cluster. */
export class Reviewing {
  readonly copies = new Map<string, Workload>()
  readonly live = new Map<string, Workload>()
  readonly namespaces = new Map<string, Namespace>()
  readonly told: string[] = []
  readonly scalings = new SeenScalings(() => this.now)
  /** Lines of the log, from level info on. */
  readonly logged: string[] = []
  reads = 0
  /** Whether the informer's watches are connected. */
  synced = true
  /** Called each time a review looks for the informer's copy. */
  onLook: () => void = () => {}
  /** Live reads wait for this. */
  gate: Promise<void> = Promise.resolve()
  /** The access reviews, and the cluster's answers. */
  readonly asked: object[] = []
  allowed: (() => boolean | Promise<boolean>) | undefined
  /** Live reads throw this. */
  failure: Error | undefined
  now = Date.parse('2026-03-02T12:00:00Z')
  /** The rate of requests by annotation. */
  readonly limit = new RateLimit(RATE, () => this.now)
  readonly #server: Server
  #url = ''

  constructor() {
    const webhook = createWebhook({
      scalings: this.scalings,
      workloads: {
        isConnected: () => this.synced,
        get: (key) => {
          this.onLook()
          return this.copies.get(keyOf(key))
        },
      },
      namespaceOf: (name) => this.namespaces.get(name),
      workloadsIn: (name) => [...this.copies.values()].filter(({ namespace }) => namespace === name),
      live: {
        read: async (key, signal) => {
          this.reads += 1
          if (this.failure) throw this.failure
          const seen = this.live.get(keyOf(key))
          await Promise.race([this.gate, aborted(signal)])
          return seen
        },
      },
      rights: {
        authorize: async (user, access) => {
          this.asked.push({ user, access })
          return (await this.allowed?.()) ?? true
        },
      },
      rate: RATE,
      isAuthenticated: false,
      limit: this.limit,
      trim: (kind, object) => trim(kind, object as Parameters<typeof trim>[1]),
      rules: RULES,
      clock: () => this.now,
      logger: createLogger('info', { write: (line) => void this.logged.push(line) }),
      observer: {
        admission: (webhook, decision, reason) => this.told.push(`${webhook} ${decision} ${reason}`),
      },
      exemptUsers: new Set(EXEMPT_USERS),
      excludeNamespaces: new Set(['kube-system']),
      ownUser: () => OWN_USER,
    })
    this.#server = createServer(webhook)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#url = `http://127.0.0.1:${this.port}`
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  /** The informer has a copy of this object. */
  knows(kind: Kind, object: object): void {
    const copy = trim(kind, object as Parameters<typeof trim>[1])
    this.copies.set(keyOf(copy), copy)
  }

  async post(path: string, body: string, method = 'POST'): Promise<Posted> {
    const response = await fetch(this.#url + path, method === 'GET' ? { method } : { method, body })
    return { status: response.status, answer: (await response.json()) as Posted['answer'] }
  }

  async review(path: string, request: object): Promise<Reviewed> {
    const { status, answer } = await this.post(path, reviewBody(request))
    const { response } = answer
    const patch =
      response.patch && (JSON.parse(Buffer.from(response.patch, 'base64').toString()) as PatchOperation[])
    return { http: status, ...response, ...(patch ? { operations: patch } : {}) }
  }
}

/** `error`: where not even the uid could be read. */
interface Posted {
  readonly status: number
  readonly answer: ReviewAnswer & { readonly error?: { readonly code: string; readonly message: string } }
}

type Reviewed = ReviewAnswer['response'] & { http: number; operations?: PatchOperation[] }

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>()
  signal?.addEventListener('abort', () => reject(signal.reason as Error))
  return promise
}
