import { X509Certificate } from 'node:crypto'
import type { Api } from '../service/api/app.ts'
import type { CertificateSource } from '../service/certificates/source.ts'
import type { Config } from '../service/config/config.ts'
import { HttpServer, type Listener } from '../http/server.ts'
import { UsageError } from '../process/errors.ts'
import type { Runnable } from '../process/runnable.ts'
import { overTls } from './process/tls.ts'
import type { Wiring } from './wiring.ts'
import { readText } from '../process/named-file.ts'
import type { Webhook } from './webhook.ts'

/** A handler of a port's requests. */
type Answers = 'api' | 'webhook'

interface Endpoint extends Listener {
  readonly answers: Answers
}

interface Served {
  readonly api: Api
  /** undefined: no HTTPS, so no webhook either. */
  readonly certificates: CertificateSource | undefined
  readonly webhook: Webhook | undefined
  /** CAs in PEM; a caller must show a certificate of one of them; undefined: no certificate is needed. */
  readonly clientCA: string | undefined
}

/** The text of the file that `webhook.clientCA` names. @throws UsageError if it is unusable */
export async function clientCAOf({ webhook: { clientCA } }: Config): Promise<string | undefined> {
  if (clientCA === null) return undefined
  const text = await readText('webhook.clientCA', clientCA)
  if (!hasCertificate(text)) throw new UsageError(`webhook.clientCA ${clientCA}: has no certificate in PEM`)
  return text
}

function hasCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}

/** The servers of the API and the webhook, which start and stop as one. */
export interface Servers {
  readonly server: Runnable
  /** The address that it listens at, once started; undefined: it is not served. */
  url(of: Answers): string | undefined
}

export function serversOf({ config, clock, logger }: Wiring, served: Served): Servers {
  const endpoints = endpointsOf(config, served)
  const server = new HttpServer(endpoints, { clock, logger, drain: () => served.api.drain() })
  return {
    server,
    url: (of) => server.urls[endpoints.findIndex(({ answers }) => answers === of)],
  }
}

/** Plain HTTP first, if configured; then the API over HTTPS; the webhook has a port of its own. */
function endpointsOf(
  { api: { host, port, insecurePort }, webhook: { port: webhookPort } }: Config,
  { api, certificates, webhook, clientCA }: Served,
): Endpoint[] {
  const calls = { host, handle: api.callback, answers: 'api' } as const
  const endpoints: Endpoint[] = insecurePort === null ? [] : [{ ...calls, port: insecurePort }]
  if (!certificates) return endpoints
  endpoints.push(overTls({ ...calls, port }, certificates))
  if (!webhook) return endpoints
  const reviews = { host, port: webhookPort, handle: webhook.callback, answers: 'webhook' } as const
  return [...endpoints, overTls(reviews, certificates, clientCA)]
}
