import type { Behaviour } from './crowd.ts'
import type { PortName } from './stage.ts'

/** A path at which the body of a POST is read, and one whose answer is long. */
const API = { post: '/api/v1/namespaces/shop/deployments/web/enable', get: '/api/v1/openapi.json' }
const PATHS: Readonly<Record<PortName, { readonly post: string; readonly get: string }>> = {
  api: API,
  apiWithoutTls: API,
  webhook: { post: '/webhook/scale', get: '/webhook/scale' },
  metrics: { post: '/metrics', get: '/metrics' },
}

function requestOf(port: PortName): string {
  return `GET ${PATHS[port].get} HTTP/1.1\r\nHost: a\r\n\r\n`
}

/** Behaviours of clients that would keep a place as long as they like. */
export const BEHAVIOURS: Readonly<Record<string, (port: PortName, token: string) => Behaviour>> = {
  'say nothing': () => ({ silent: true }),
  'send their headers a byte at a time': () => ({ first: 'GET / HTTP/1.1\r\nHost: a\r\nX: ', drip: 'x' }),
  'send their bodies a byte at a time': (port, token) => ({
    first: [
      `POST ${PATHS[port].post} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 10000',
      '',
      '{',
    ].join('\r\n'),
    drip: ' ',
  }),
  'ask for much and read no answer': (port) => ({ first: requestOf(port).repeat(2) }),
  'ask for more than they may at once and read no answer': (port) => ({ first: requestOf(port).repeat(300) }),
}
