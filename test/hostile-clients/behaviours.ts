import type { Behaviour } from './crowd.ts'
import type { PortName } from './stage.ts'

interface Paths {
  /** Where the body of a POST is read. */
  readonly post: string
  /** Where the answer is long. */
  readonly get: string
  /** How many of them are sent at once. */
  readonly atOnce: number
}

const API = { post: '/api/v1/namespaces/shop/deployments/web/enable', get: '/api/v1/openapi.json', atOnce: 2 }
const PATHS: Readonly<Record<PortName, Paths>> = {
  api: API,
  apiWithoutTls: API,
  webhook: { post: '/webhook/scale', get: '/webhook/scale', atOnce: 16 },
  metrics: { post: '/metrics', get: '/metrics', atOnce: 100 },
}

/** What clients do that would take a place for as long as they like. */
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
  'ask again and again and read no answer': (port) => {
    const { get, atOnce } = PATHS[port]
    const requests = `GET ${get} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(atOnce)
    return { first: requests, drip: requests }
  },
}
