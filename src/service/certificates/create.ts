import type { Clock } from '../process/clock.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { DirectoryCertificates } from './directory.ts'
import type { Names } from './issue.ts'
import type { SecretStore } from '../../kubernetes/ports.ts'
import type { Lifetimes } from './rotation.ts'
import { SelfSignedCertificates } from './self-signed.ts'
import type { CertificateSource } from './source.ts'

/** The webhook's address as the API server calls it. */
interface Place {
  /** undefined: Dormouse runs outside a cluster. */
  readonly service: { readonly name: string; readonly namespace: string } | undefined
  /** null: the API server calls the Service. */
  readonly url: string | null
}

type CertificateSettings = Place & Lifetimes & Pick<Config['webhook']['certificates'], 'mode' | 'directory'>

interface Certificates {
  readonly source: CertificateSource
  /** Keeps `source` up to date; `start` resolves once there is a certificate. */
  readonly keeper: Runnable
  /** undefined: the CA is not ours. */
  readonly authority?: Pick<SelfSignedCertificates, 'published'>
}

/** @throws TypeError when the settings lack the directory, or a name for the certificate */
export function createCertificates(
  settings: CertificateSettings,
  { store, clock, logger }: { store: SecretStore; clock: Clock; logger: Logger },
): Certificates {
  const { mode, directory } = settings
  if (mode !== 'self-signed') {
    if (directory === null) throw new TypeError(`the certificates' mode ${mode} needs a directory`)
    const files = new DirectoryCertificates({ directory, clock, logger })
    return { source: files.source, keeper: files }
  }
  const names = servingNames(settings)
  if (names.length === 0) throw new TypeError('a certificate needs a name: set a Service or webhook.url')
  const selfSigned = new SelfSignedCertificates({ store, names, lifetimes: settings, clock, logger })
  return { source: selfSigned.source, keeper: selfSigned, authority: selfSigned }
}

/** The names that the API server calls the webhook by, `<service>.<namespace>.svc` first. */
export function servingNames({ service, url }: Place): Names {
  const names: string[] = []
  if (service) {
    const base = `${service.name}.${service.namespace}`
    names.push(`${base}.svc`, `${base}.svc.cluster.local`, base)
  }
  // A URL has an IPv6 address in brackets.
  if (url !== null) names.push(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}
