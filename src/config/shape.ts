import type { LogLevel } from '../logger.ts'

/** The service's settings, as section 9 of the design has them: durations in milliseconds, sizes in bytes. */
export interface Config {
  readonly timezone: string
  /** Those of Kubernetes among them, whatever is configured; not Dormouse's own, which `excludedNamespaces` adds. */
  readonly excludeNamespaces: readonly string[]
  readonly exemptUsers: readonly string[]
  readonly operationTimeout: number
  readonly newWorkloadGrace: number
  /** null: until the next edge. */
  readonly wakeHold: number | null
  readonly backoff: {
    readonly maxOperations: number
    readonly window: number
    readonly base: number
    readonly max: number
  }
  readonly api: {
    readonly host: string
    readonly port: number
    /** Plain HTTP; null: none. */
    readonly insecurePort: number | null
    /** Addresses and networks whose X-Forwarded-For is believed. */
    readonly trustedProxies: readonly string[]
    readonly bodyLimit: number
    readonly rate: { readonly perSecond: number; readonly burst: number }
  }
  readonly auth: {
    readonly kubernetes: { readonly enabled: boolean; readonly audiences: readonly string[] }
    readonly oidc: readonly OidcConfig[]
    readonly local: LocalAuthConfig | null
  }
  readonly webhook: {
    /** Without it nothing holds pins and overrides against people; HTTPS stays. */
    readonly enabled: boolean
    /** Its own: whoever reaches the API does not reach the webhook. */
    readonly port: number
    readonly url: string | null
    /** The Service, in Dormouse's namespace, that the API server reaches the webhook by inside a cluster. */
    readonly service: string
    readonly failurePolicy: 'Fail' | 'Ignore'
    readonly certificates: {
      readonly mode: 'self-signed' | 'cert-manager' | 'files'
      readonly directory: string | null
      /** Its name, in Dormouse's namespace; for `self-signed`. */
      readonly secret: string
      readonly leafLifetime: number
      readonly caLifetime: number
      /** The part of its life after which a certificate is renewed. */
      readonly renewAt: number
    }
  }
  readonly controller: {
    readonly enabled: boolean
    readonly concurrency: number
    readonly writesPerSecond: number
    /** null: as fast as any other write. */
    readonly wakesPerSecond: number | null
    /** A minute. */
    readonly writesPerWorkload: number
    readonly lease: {
      /** null: Dormouse's own. */
      readonly namespace: string | null
      readonly name: string
      readonly duration: number
      readonly renew: number
      readonly retry: number
    }
  }
  readonly metrics: { readonly port: number; readonly perWorkload: boolean }
  readonly log: { readonly level: LogLevel }
}

export interface OidcConfig {
  readonly issuer: string
  readonly audience: string
  readonly jwksUri: string
  /** As RFC 7518 and RFC 8037 name them; asymmetric only. */
  readonly algorithms: readonly string[]
}

export interface LocalAuthConfig {
  readonly issuer: string
  readonly audience: string
  readonly publicKeyFile: string
}
