import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Listener } from '../api/server.ts'
import type { Config } from '../config.ts'
import type { CertificateSource } from '../certificates/source.ts'
import type { Enforcement } from './enforcement.ts'

export interface Endpoint {
  readonly listener: Listener
  readonly face: 'api' | 'webhook'
}

/** Plain HTTP first where it is asked for, then the API over HTTPS; the webhook has a port of its own. */
export function endpointsOf({ api, webhook }: Config, enforcement: Enforcement | undefined): Endpoint[] {
  const { host, insecurePort } = api
  const endpoints: Endpoint[] = []
  if (insecurePort !== null) endpoints.push({ listener: { host, port: insecurePort }, face: 'api' })
  if (!enforcement) return endpoints
  const { certificates, webhook: reviewer } = enforcement
  endpoints.push({ listener: httpsListener(host, api.port, certificates), face: 'api' })
  if (!webhook.enabled) return endpoints
  const review: RequestListener = (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const handle = reviewer(path)
    if (handle) handle(request, response)
    else response.writeHead(404).end()
  }
  endpoints.push({ listener: httpsListener(host, webhook.port, certificates, review), face: 'webhook' })
  return endpoints
}

/**
 * An HTTPS server of what `handle` answers; without it, of the API. A new certificate is
 * swapped in while it runs: connections that stand keep theirs.
 */
function httpsListener(
  host: string,
  port: number,
  certificates: CertificateSource,
  handle?: RequestListener,
): Listener {
  return {
    host,
    port,
    createServer(options: ServerOptions, api: RequestListener): Server {
      const { cert, key } = certificates.current
      const server = createServer({ ...options, cert, key, minVersion: 'TLSv1.2' }, handle ?? api)
      const stop = certificates.onChange(({ cert, key }) =>
        server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
      )
      server.once('close', stop)
      return server
    },
  }
}
