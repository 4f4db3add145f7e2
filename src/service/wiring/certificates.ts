import { createCertificates } from '../certificates/create.ts'
import { OneSecret } from '../../kubernetes/secret.ts'
import type { Wiring } from './wiring.ts'

export type Certificates = ReturnType<typeof createCertificates>

/** The certificates that the API and the webhook serve HTTPS by. */
export function servingCertificates(wiring: Wiring): Certificates {
  const { config, cluster, namespace, service, clock, logger, metrics } = wiring
  const settings = config.webhook.certificates
  const store = new OneSecret({ client: cluster.client, namespace, name: settings.secret, logger })
  const url = config.webhook.url ?? (service ? null : 'https://127.0.0.1')
  const certificates = createCertificates({ ...settings, service, url }, { store, clock, logger })
  const { source, authority } = certificates
  source.onChange(() => metrics.webhook.certificateExpires(source.expiresAt))
  // Without a webhook only clients of the API trust the CA, and nothing reports when they do: count it as published.
  if (!config.webhook.enabled)
    source.onCaBundle((bundle) => void (bundle !== undefined && authority?.published(bundle)))
  return certificates
}
