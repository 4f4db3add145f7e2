import type { Config } from '../config/config.ts'

export interface AuthSettings extends Omit<Config['auth'], 'local' | 'oidc'> {
  readonly oidc: readonly OidcSettings[]
  readonly local: LocalSettings | null
}

type ConfiguredOidc = Config['auth']['oidc'][number]
export type OidcSettings = Omit<ConfiguredOidc, 'asClusterUser'> &
  Partial<Pick<ConfiguredOidc, 'asClusterUser'>>

export interface LocalSettings {
  readonly issuer: string
  readonly audience: string
  /** PEM (SPKI) text of an Ed25519, P-256, P-384 or RSA key. */
  readonly publicKey: string
  /** The advice to a refused caller; default: get a new token. */
  readonly advice?: string
}
