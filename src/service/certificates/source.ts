import type { Instant } from '../../process/clock.ts'
import type { Logger } from '../../process/logger.ts'
import type { KeyPair } from './issue.ts'
import { readCertificate } from './x509.ts'

/** The certificate that our HTTPS servers serve, and the CAs that their clients are to trust. */
export class CertificateSource {
  readonly #logger: Logger
  readonly #onChange = new Set<(certificate: KeyPair) => void>()
  readonly #onCaBundle = new Set<(caBundle: string | undefined) => void>()
  #current: KeyPair | undefined
  #caBundle: string | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** @throws TypeError before the first `set` */
  get current(): KeyPair {
    if (!this.#current) throw new TypeError('there is no serving certificate before start() has resolved')
    return this.#current
  }

  /** When `current` expires. @throws TypeError before the first `set` */
  get expiresAt(): Instant {
    return readCertificate(this.current.cert).notAfter
  }

  /** Every CA to trust, PEM; undefined: the API server has to know the CA already. */
  get caBundle(): string | undefined {
    return this.#caBundle
  }

  /** Calls back with each new serving certificate, the first one included; returns how to stop that. */
  onChange(listener: (certificate: KeyPair) => void): () => void {
    this.#onChange.add(listener)
    return () => this.#onChange.delete(listener)
  }

  /** Calls back with each new `caBundle`, before a certificate that needs it; returns how to stop that. */
  onCaBundle(listener: (caBundle: string | undefined) => void): () => void {
    this.#onCaBundle.add(listener)
    return () => this.#onCaBundle.delete(listener)
  }

  /** Serves `certificate` and trusts `caBundle` from now on. */
  set(certificate: KeyPair, caBundle: string | undefined): void {
    const isNewBundle = caBundle !== this.#caBundle
    const isNew = certificate.cert !== this.#current?.cert || certificate.key !== this.#current.key
    this.#current = certificate
    this.#caBundle = caBundle
    if (isNewBundle) this.#call(this.#onCaBundle, caBundle)
    if (!isNew) return
    this.#logger.info({ until: new Date(this.expiresAt).toISOString() }, 'serving a new certificate')
    this.#call(this.#onChange, certificate)
  }

  #call<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
    for (const listener of listeners) {
      try {
        listener(value)
      } catch (err) {
        this.#logger.error({ err }, 'a listener of the certificates failed')
      }
    }
  }
}
