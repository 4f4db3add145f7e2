import 'reflect-metadata'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { KubeObject } from '../../src/sandbox/store/object.ts'
import type { Client } from './cluster.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
export const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

interface Certificate {
  cert: string
  key: string
}

/** Self-signed, good for the IP address given. */
export async function aCertificate(address = '127.0.0.1'): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=webhook',
    keys,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') }
}

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

/** What `response` holds beside the uid; a string is sent as it is, a number is the status code. */
type Reply = Record<string, unknown> | string | number | undefined

/** An HTTPS server of the test's own, which answers reviews as told and remembers them. */
export class WebhookServer {
  readonly reviews: Review[] = []
  readonly urls: string[] = []
  connections = 0
  reply: (review: Review) => Reply | Promise<Reply> = () => ({ allowed: true })
  readonly #server: Server
  readonly #certificate: Certificate

  constructor(certificate: Certificate) {
    this.#certificate = certificate
    this.#server = createServer(certificate, (request, response) => {
      void this.#answer(request, response)
    })
    this.#server.on('secureConnection', () => (this.connections += 1))
  }

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

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  get url(): string {
    const address = this.#server.address()
    return `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 1}/review`
  }

  /** A webhook as a configuration lists it: all updates and creations of workloads, and of their scales. */
  webhook(changes: object = {}): object {
    return {
      name: 'scale.dormouse.dev',
      clientConfig: { url: this.url, caBundle: bundle(this.#certificate.cert) },
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

export const bundle = (pem: string) => Buffer.from(pem).toString('base64')

export const patchReply = (patch: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
})

export async function register(client: Client, webhooks: object[], name = 'dormouse'): Promise<void> {
  const { status, body } = await client.post(CONFIGURATIONS, { metadata: { name }, webhooks })
  if (status !== 201) throw new Error(body.message)
}
