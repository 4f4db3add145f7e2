import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Certificates, Lifetimes } from './certificates.ts'
import { DirectoryCertificates } from './directory.ts'
import { servingNames } from './names.ts'
import type { SecretStore } from './ports.ts'
import { SelfSignedCertificates } from './self-signed.ts'

export interface CertificateSettings {
  readonly mode: 'self-signed' | 'cert-manager' | 'files'
  /** Of the modes that read files. */
  readonly directory: string | null
  readonly lifetimes: Lifetimes
  /** undefined: Dormouse runs outside a cluster. */
  readonly service: { readonly name: string; readonly namespace: string } | undefined
  readonly url: string | null
}

/** @throws TypeError when the settings leave open where the files are, or what a certificate would be for */
export function certificatesOf(
  { mode, directory, lifetimes, service, url }: CertificateSettings,
  { store, clock, log }: { store: SecretStore; clock: Clock; log: Logger },
): Certificates {
  if (mode !== 'self-signed') {
    if (directory === null) throw new TypeError(`the certificates' mode ${mode} needs a directory`)
    return new DirectoryCertificates({ directory, clock, log })
  }
  const names = servingNames({ service, url })
  if (names.length === 0) throw new TypeError('a certificate needs a Service or webhook.url to be for')
  return new SelfSignedCertificates({ store, names, lifetimes, clock, log })
}
