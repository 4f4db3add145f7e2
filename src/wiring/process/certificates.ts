import { DirectoryCertificates } from '../../service/certificates/directory.ts'
import type { Names } from '../../service/certificates/issue.ts'
import { SelfSignedCertificates } from '../../service/certificates/self-signed.ts'
import type { CertificateSource } from '../../service/certificates/source.ts'
import { OneSecret } from '../../kubernetes/secret.ts'
import type { Runnable } from '../../process/runnable.ts'
import type { Process } from './process.ts'

export interface Certificates {
  readonly source: CertificateSource
  /** Keeps `source` up to date; `start` resolves once there is a certificate. */
  readonly keeper: Runnable
  /** undefined: the CA is not ours. */
  readonly authority?: Pick<SelfSignedCertificates, 'published'>
}

/** The certificates that a process serves HTTPS by. @throws TypeError when the settings lack the directory */
export function certificatesOf({
  config,
  cluster,
  namespace,
  service,
  clock,
  logger,
}: Process): Certificates {
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
export function servingNames(service: Process['service'], url: string | null): Names {
  const names: string[] = []
  if (service) {
    const base = `${service.name}.${service.namespace}`
    names.push(`${base}.svc`, `${base}.svc.cluster.local`, base)
  }
  // A URL has an IPv6 address in brackets.
  if (url !== null) names.push(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}
