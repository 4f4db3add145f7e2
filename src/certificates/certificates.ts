import type { Instant } from '../clock.ts'
import type { Runnable } from '../runnable.ts'

/** What the HTTPS server serves by: the chain and its key, PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** Keeps a serving certificate; `start` resolves once there is one. */
export interface Certificates extends Runnable {
  /** @throws TypeError before `start` has resolved */
  readonly current: ServingCertificate
  /** Every CA to trust, PEM; undefined: the API server is to find it elsewhere. */
  readonly caBundle: string | undefined
  /** When `current` runs out. @throws TypeError before `start` has resolved */
  readonly expiresAt: Instant
  /** Told of each new serving certificate, the first one included; returns how to stop listening. */
  onChange(listener: (certificate: ServingCertificate) => void): () => void
  /** Told of each new `caBundle`; returns how to stop listening. */
  onCaBundle(listener: (caBundle: string | undefined) => void): () => void
  /** To be told whenever the API server is seen to have this bundle: a new CA serves only after that. */
  published(caBundle: string): void
}

/** When certificates are renewed: lifetimes in milliseconds, `renewAt` as a part of a life. */
export interface Lifetimes {
  readonly leaf: number
  readonly ca: number
  readonly renewAt: number
}
