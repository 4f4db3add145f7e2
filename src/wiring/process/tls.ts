import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Listener } from '../../http/server.ts'
import type { CertificateSource } from '../../service/certificates/source.ts'

/**
 * The listener over HTTPS. A new certificate is swapped in while it runs: established connections keep theirs. `clientCA`:
 * callers must show a certificate of it.
 */
export function overTls<L extends Listener>(
  listener: L,
  certificates: CertificateSource,
  clientCA?: string,
): L {
  const all = { minVersion: 'TLSv1.2', ...(clientCA !== undefined && { ca: clientCA }) } as const
  const asks = clientCA === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  return {
    ...listener,
    createServer(options: ServerOptions, handle: RequestListener): Server {
      const { cert, key } = certificates.current
      const server = createServer({ ...options, ...all, ...asks, cert, key }, handle)
      const stop = certificates.onChange(({ cert, key }) => server.setSecureContext({ ...all, cert, key }))
      server.once('close', stop)
      return server
    },
  }
}
