import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Api } from '../api/app.ts'
import { ApiServer, type Listener } from '../api/server.ts'
import type { CertificateSource } from '../certificates/source.ts'
import type { Config } from '../config.ts'
import type { Runnable } from '../runnable.ts'
import type { Foundation } from './foundation.ts'
import type { Webhook } from './webhook.ts'

/** What answers at a port. */
type Answers = 'api' | 'webhook'

interface Endpoint {
  readonly listener: Listener
  readonly answers: Answers
}

interface Served {
  readonly api: Api
  /** undefined: no HTTPS, so no webhook either. */
  readonly certificates: CertificateSource | undefined
  readonly webhook: Webhook | undefined
}

/** The servers of the API and the webhook, which start and stop as one. */
export interface Servers {
  readonly server: Runnable
  /** Where it is reached from this machine, once started; undefined: it is not served. */
  url(of: Answers): string | undefined
}

export function serversOf({ config, clock, logger }: Foundation, { api, ...rest }: Served): Servers {
  const endpoints = endpointsOf(config, rest)
  const listeners = endpoints.map(({ listener }) => listener)
  const server = new ApiServer(api, listeners, { clock, logger })
  return {
    server,
    url: (of) => {
      const url = server.urls[endpoints.findIndex(({ answers }) => answers === of)]
      return url === undefined ? undefined : overLoopback(url)
    },
  }
}

/** Plain HTTP first, where it is configured; then the API over HTTPS; the webhook has a port of its own. */
function endpointsOf(
  { api: { host, port, insecurePort }, webhook: { port: webhookPort } }: Config,
  { certificates, webhook }: Omit<Served, 'api'>,
): Endpoint[] {
  const endpoints: Endpoint[] = []
  if (insecurePort !== null) endpoints.push({ listener: { host, port: insecurePort }, answers: 'api' })
  if (!certificates) return endpoints
  endpoints.push({ listener: overTls({ host, port }, certificates), answers: 'api' })
  if (!webhook) return endpoints
  const handle: RequestListener = (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const review = webhook.handler(path)
    if (review) review(request, response)
    else response.writeHead(404).end()
  }
  endpoints.push({ listener: overTls({ host, port: webhookPort, handle }, certificates), answers: 'webhook' })
  return endpoints
}

/** The same over HTTPS. A new certificate is swapped in while it runs: established connections keep theirs. */
function overTls(listener: Listener, certificates: CertificateSource): Listener {
  return {
    ...listener,
    createServer(options: ServerOptions, handle: RequestListener): Server {
      const { cert, key } = certificates.current
      const server = createServer({ ...options, cert, key, minVersion: 'TLSv1.2' }, handle)
      const stop = certificates.onChange(({ cert, key }) =>
        server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
      )
      server.once('close', stop)
      return server
    },
  }
}

/** A server that listens on every address is reached over loopback from here. */
function overLoopback(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
}
