import { gzipSync } from 'node:zlib'
import type { CallOptions, Method } from '../support/api-client.ts'

/** A request that must change nothing, and what it is answered. */
export interface Case {
  readonly what: string
  readonly method?: Method
  /** Below the workload; `~` and what follows instead of its whole path. */
  readonly at: string
  readonly options?: CallOptions
  /** Several where HTTP leaves it open. */
  readonly answer: string | readonly string[]
}

const long = (length: number) => 'x'.repeat(length)
const json = { 'content-type': 'application/json' }

export const PATHS: readonly Case[] = [
  { what: 'an unknown path', at: '~/nowhere', answer: '404 NOT_FOUND' },
  { what: 'the root', at: '~/', answer: '404 NOT_FOUND' },
  { what: 'an unknown kind', at: '~/namespaces/shop/cronjobs/web', answer: '404 NOT_FOUND' },
  { what: 'an unknown action', at: '/explode', answer: '404 NOT_FOUND' },
  {
    what: 'an unknown namespace',
    at: '~/namespaces/no-such-namespace/deployments/web',
    answer: '404 NOT_FOUND',
  },
  {
    what: 'an unknown workload',
    at: '~/namespaces/default/deployments/no-such-workload/snooze',
    answer: '404 NOT_FOUND',
  },
  {
    what: 'an excluded namespace',
    at: '~/namespaces/kube-system/deployments/coredns/snooze',
    answer: '403 NAMESPACE_EXCLUDED',
  },
  {
    what: 'a name with capitals',
    at: '~/namespaces/default/deployments/WEB',
    answer: '400 VALIDATION_ERROR',
  },
  {
    what: 'a name that is too long',
    at: `~/namespaces/default/deployments/${long(254)}`,
    answer: '400 VALIDATION_ERROR',
  },
  {
    what: 'a namespace that is too long',
    at: `~/namespaces/${long(64)}/deployments/web`,
    answer: '400 VALIDATION_ERROR',
  },
  {
    what: 'a name that climbs',
    at: '~/namespaces/default/deployments/..%2f..%2fsecrets',
    answer: '400 VALIDATION_ERROR',
  },
  {
    what: 'a name with a NUL',
    at: '~/namespaces/default/deployments/web%00',
    answer: '400 VALIDATION_ERROR',
  },
  {
    what: 'a broken escape',
    at: '~/namespaces/default/deployments/%zz',
    answer: ['400 VALIDATION_ERROR', '404 NOT_FOUND'],
  },
  { what: 'a trailing slash', at: '/snooze/', answer: '404 NOT_FOUND' },
  { what: 'another method on an action', method: 'GET', at: '/snooze', answer: '405 METHOD_NOT_ALLOWED' },
  { what: 'PATCH', method: 'PATCH', at: '', answer: '405 METHOD_NOT_ALLOWED' },
  { what: 'POST of a schedule', at: '/schedule', answer: '405 METHOD_NOT_ALLOWED' },
]

const body = (what: string, at: string, sent: unknown, answer: string = '400 VALIDATION_ERROR'): Case => ({
  what: `a body: ${what}`,
  at,
  ...(at === '/schedule' ? { method: 'PUT' as const } : {}),
  options: { body: sent },
  answer,
})
const raw = (
  what: string,
  sent: string | Buffer,
  answer: string,
  headers: Record<string, string> = json,
): Case => ({
  what: `a body: ${what}`,
  at: '/enable',
  options: { raw: sent, headers },
  answer,
})

export const BODIES: readonly Case[] = [
  raw('not JSON', '{', '400 INVALID_JSON'),
  raw('JavaScript', "{schedule: '8:00-18:00'}", '400 INVALID_JSON'),
  raw(
    'bytes that are no UTF-8',
    Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    '400 VALIDATION_ERROR',
  ),
  raw('a property twice', '{"schedule":"8:00-18:00","schedule":"0:00-24:00"}', '400 VALIDATION_ERROR'),
  raw('__proto__', '{"__proto__":{"schedule":"8:00-18:00"}}', '400 VALIDATION_ERROR'),
  raw('an array', '[]', '400 VALIDATION_ERROR'),
  raw('null', 'null', '400 VALIDATION_ERROR'),
  raw('a number', '7', '400 VALIDATION_ERROR'),
  raw('nested beyond measure', `${'['.repeat(8000)}${']'.repeat(8000)}`, '400 VALIDATION_ERROR'),
  raw('larger than 16 KiB', JSON.stringify({ schedule: long(17 * 1024) }), '413 PAYLOAD_TOO_LARGE'),
  raw('YAML', 'schedule: 8:00-18:00', '415 UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'application/yaml' }),
  raw('a form', 'schedule=8:00-18:00', '415 UNSUPPORTED_MEDIA_TYPE', {
    'content-type': 'application/x-www-form-urlencoded',
  }),
  raw('without a type', '{}', '415 UNSUPPORTED_MEDIA_TYPE', { 'content-type': '' }),
  raw('compressed', gzipSync('{}'), '415 UNSUPPORTED_MEDIA_TYPE', { ...json, 'content-encoding': 'gzip' }),
  body('an unknown property', '/enable', { schedule: '8:00-18:00', timeZone: 'UTC' }),
  body('a property where none is known', '/pin', { force: true }),
  body('a schedule that is no text', '/schedule', { schedule: 8 }),
  body('a schedule that is null', '/schedule', { schedule: null }),
  body('a schedule with hour 25', '/schedule', { schedule: '8:00-25:00' }),
  body('a schedule without length', '/schedule', { schedule: '8:00-8:00' }),
  body('a schedule with an unknown day', '/schedule', { schedule: '8:00-18:00,Mon-Fry' }),
  body('a schedule that is too long', '/schedule', { schedule: `8:00-18:00;${long(512)}` }),
  body('a schedule of 33 windows', '/schedule', { schedule: Array(33).fill('8:00-9:00').join(';') }),
  body('a schedule with a line break', '/schedule', { schedule: '8:00-18:00\nenabled: false' }),
  body('a zone that there is not', '/schedule', { timezone: 'Europe/Atlantis' }),
  body('a zone that is a path', '/schedule', { timezone: '../../etc/localtime' }),
  body('a zone that is null', '/enable', { timezone: null }),
  body('a duration of nothing', '/override', { duration: '0m' }),
  body('a duration of more than a year', '/override', { duration: '8761h' }),
  body('a duration in seconds', '/override', { duration: '90s' }),
  body('a negative duration', '/override', { duration: '-1h' }),
  body('a duration that is a number', '/override', { duration: 60 }),
]

const query = (at: string, method: Method = 'POST'): Case => ({
  what: `the query ${at}`,
  at,
  method,
  answer: '400 VALIDATION_ERROR',
})

export const QUERIES: readonly Case[] = [
  query('/snooze?for=0m'),
  query('/snooze?for=soon'),
  query('/snooze?for=1h&for=2h'),
  query('/wake?for='),
  query('/wake?wait=6m'),
  query('/wake?wait=0s'),
  query('/snooze?dryRun=yes'),
  query('/snooze?force'),
  query('/pin?for=1h'),
  query('/pin?__proto__=1'),
  query('/snooze?constructor=1'),
  query('/plan?hours=0', 'GET'),
  query('/plan?hours=745', 'GET'),
  query('/plan?hours=1e2', 'GET'),
  query('~/workloads?limit=0', 'GET'),
  query('~/workloads?limit=501', 'GET'),
  query('~/workloads?continue=garbage', 'GET'),
  query('~/workloads?state=tired', 'GET'),
  query('~/workloads?kind=pods', 'GET'),
  query('~/workloads?labelSelector=a%3D%3D%3Db', 'GET'),
  query('~/workloads?namespace=..', 'GET'),
]

/** Reads need no body and no POST. */
export function isRead({ at, method }: Pick<Case, 'at' | 'method'>): boolean {
  return method === undefined && at.startsWith('~') && !at.endsWith('/snooze')
}
