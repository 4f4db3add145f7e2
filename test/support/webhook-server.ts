import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { KubeObject } from '../../src/sandbox/store/object.ts'
import { selfSigned, type Certificate } from './certificate.ts'

export const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

export interface Review {
  uid: string
  kind: { group: string; version: string; kind: string }
  resource: { group: string; version: string; resource: string }
  subResource?: string
  requestKind: object
  requestResource: object
  name?: string
  namespace?: string
  operation: string
  userInfo: { username: string; groups: string[] }
  object: KubeObject | null
  oldObject: KubeObject | null
  dryRun: boolean
  options: Record<string, unknown>
}

const allow = () => ({ allowed: true })

/** The fields of `response` beside the uid; a string is sent as it is, a number is the status code. */
type Reply = Record<string, unknown> | string | number | undefined

/** An HTTPS server that answers reviews by `reply` and records them. */
export class WebhookServer {
  reviews: Review[] = []
  urls: string[] = []
  connections = 0
  reply: (review: Review) => Reply | Promise<Reply> = allow
  #server: Server | undefined
  #own: Certificate | undefined
  #certificate: Certificate | undefined

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { request: review } = JSON.parse(Buffer.concat(chunks).toString())
    this.reviews.push(review)
    this.urls.push(request.url ?? '')
    const reply = await this.reply(review)
    if (typeof reply === 'number') {
      response.writeHead(reply).end('no')
      return
    }
    const answer = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: review.uid, ...(typeof reply === 'object' ? reply : {}) },
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof reply === 'string' ? reply : JSON.stringify(answer))
  }

  /** Starts it without reviews and allowing everything; with its own certificate when none is given. */
  async start(certificate?: Certificate): Promise<void> {
    this.#own ??= await selfSigned()
    this.#certificate = certificate ?? this.#own
    Object.assign(this, { reviews: [], urls: [], connections: 0, reply: allow })
    this.#server = createServer(this.#certificate, (request, response) => {
      void this.#answer(request, response)
    })
    this.#server.on('secureConnection', () => (this.connections += 1))
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    if (!this.#server?.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  get url(): string {
    const address = this.#server?.address()
    return `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 1}/review`
  }

  /** A webhook of a configuration: for creations and updates of Deployments, and for their scales. */
  webhook(changes: object = {}): object {
    return {
      name: 'scale.dormouse.dev',
      clientConfig: { url: this.url, caBundle: bundle(this.#certificate?.cert ?? '') },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          resources: ['deployments', 'deployments/scale'],
        },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 3,
      ...changes,
    }
  }
}

const bundle = (pem: string) => Buffer.from(pem).toString('base64')
