import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Listener } from '../api/server.ts'
import type { Config } from '../config.ts'
import type { Certificates } from '../webhook/certificates.ts'
import type { Enforcement } from './enforcement.ts'

export type Face = 'api' | 'webhook'

export interface Endpoint {
  readonly listener: Listener
  readonly faces: readonly Face[]
}

/** Plain HTTP first where it is asked for; over HTTPS the webhook shares the API's server unless it has a port of its own. */
export function endpointsOf({ api, webhook }: Config, enforcement: Enforcement | undefined): Endpoint[] {
  const { host, insecurePort } = api
  const endpoints: Endpoint[] = []
  if (insecurePort !== null) endpoints.push({ listener: { host, port: insecurePort }, faces: ['api'] })
  if (!enforcement) return endpoints
  const { certificates } = enforcement
  const shared = webhook.port === api.port
  const secure = (port: number, faces: readonly Face[]) =>
    endpoints.push({ listener: httpsListener(host, port, certificates, enforcement.webhook, faces), faces })
  secure(api.port, shared ? ['api', 'webhook'] : ['api'])
  if (!shared) secure(webhook.port, ['webhook'])
  return endpoints
}

/**
 * An HTTPS server that answers admission reviews, the API, or both. A new certificate is
 * swapped in while it runs: connections that stand keep theirs.
 */
function httpsListener(
  host: string,
  port: number,
  certificates: Certificates,
  webhook: Enforcement['webhook'],
  faces: readonly Face[],
): Listener {
  return {
    host,
    port,
    createServer(options: ServerOptions, handle: RequestListener): Server {
      const { cert, key } = certificates.current
      const server = createServer({ ...options, cert, key, minVersion: 'TLSv1.2' }, (request, response) => {
        const [path = ''] = (request.url ?? '').split('?')
        const review = faces.includes('webhook') ? webhook(path) : undefined
        if (review) review(request, response)
        else if (faces.includes('api')) handle(request, response)
        else response.writeHead(404).end()
      })
      const stop = certificates.onChange(({ cert, key }) =>
        server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
      )
      server.once('close', stop)
      return server
    },
  }
}
