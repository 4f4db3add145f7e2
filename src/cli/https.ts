import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Listener } from '../api/server.ts'
import type { Certificates } from '../webhook/certificates.ts'

type Webhook = (path: string) => RequestListener | undefined

/**
 * An HTTPS server that answers admission reviews, the API, or both. A new certificate is
 * swapped in while it runs: connections that stand keep theirs.
 */
export function httpsListener(
  host: string,
  port: number,
  certificates: Certificates,
  webhook: Webhook,
  faces: readonly ('api' | 'webhook')[],
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
