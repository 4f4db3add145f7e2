import { DirectoryCertificates } from '../service/certificates/directory.ts'
import type { Names } from '../service/certificates/issue.ts'
import { SelfSignedCertificates } from '../service/certificates/self-signed.ts'
import type { CertificateSource } from '../service/certificates/source.ts'
import { OneSecret } from '../kubernetes/secret.ts'
import type { Runnable } from '../process/runnable.ts'
import type { Wiring } from './wiring.ts'

export interface Certificates {
  readonly source: CertificateSource
  /** Keeps `source` up to date; `start` resolves once there is a certificate. */
  readonly keeper: Runnable
  /** undefined: the CA is not ours. */
  readonly authority?: Pick<SelfSignedCertificates, 'published'>
}

/** The certificates that the API and the webhook serve HTTPS by. */
export function servingCertificates(wiring: Wiring): Certificates {
  const certificates = certificatesOf(wiring)
  const { source, authority } = certificates
  source.onChange(() => wiring.metrics.webhook.certificateExpires(source.expiresAt))
  // Without a webhook only clients of the API trust the CA, and nothing reports when they do: count it as published.
  if (!wiring.config.webhook.enabled)
    source.onCaBundle((bundle) => void (bundle !== undefined && authority?.published(bundle)))
  return certificates
}

/** @throws TypeError when the settings lack the directory */
function certificatesOf({ config, cluster, namespace, service, clock, logger }: Wiring): Certificates {
  const { mode, directory, secret, ...lifetimes } = config.webhook.certificates
  if (mode !== 'self-signed') {
    if (directory === null) throw new TypeError(`the certificates' mode ${mode} needs a directory`)
    const files = new DirectoryCertificates({ directory, clock, logger })
    return { source: files.source, keeper: files }
  }
  const store = new OneSecret({ client: cluster.client, namespace, name: secret, logger })
  const names = servingNames(service, config.webhook.url ?? (service ? null : 'https://127.0.0.1'))
  const selfSigned = new SelfSignedCertificates({ store, names, lifetimes, clock, logger })
  return { source: selfSigned.source, keeper: selfSigned, authority: selfSigned }
}

/** The names that the API server calls the webhook by, `<service>.<namespace>.svc` first; `url` null: by the Service. */
export function servingNames(service: Wiring['service'], url: string | null): Names {
  const names: string[] = []
  if (service) {
    const base = `${service.name}.${service.namespace}`
    names.push(`${base}.svc`, `${base}.svc.cluster.local`, base)
  }
  // A URL has an IPv6 address in brackets.
  if (url !== null) names.push(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}
