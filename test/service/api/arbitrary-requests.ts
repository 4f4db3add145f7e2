import fc from 'fast-check'

/** A request as it goes over the wire; `path` with its query. */
export interface ArbitraryRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** Bytes as text (latin1), without line ends: those would begin another header. */
const bytes = (maxLength: number) =>
  fc
    .uint8Array({ maxLength })
    .map((array) => Buffer.from(array.filter((byte) => byte !== 10 && byte !== 13)).toString('latin1'))

const METHOD = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'get'),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,12}$/) },
)

const NAMES = ['shop', 'web', 'pinned', 'unreadable', 'kube-system', 'gone']
const KINDS = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'pods', 'Deployments']
const ACTIONS = ['enable', 'disable', 'override', 'pin', 'snooze', 'wake', 'schedule', 'status', 'plan', '']
const SEGMENT = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES, ...KINDS, ...ACTIONS, '.', '..', '%2e%2e', '%', '%00') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(encoded) },
  { weight: 1, arbitrary: bytes(20) },
)
/** Mostly one of the document, with one segment replaced. */
const PATH = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.constantFrom(...KINDS),
        fc.constantFrom(...NAMES),
        fc.constantFrom(...ACTIONS),
      )
      .map((parts) => `/api/v1/namespaces/${parts.join('/')}`.replace(/\/$/, '')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/api/v1', '/api/v1/workloads', '/api/v1/openapi.json', '*', '//'),
  },
  {
    weight: 3,
    arbitrary: fc.array(SEGMENT, { maxLength: 6 }).map((parts) => `/api/v1/namespaces/${parts.join('/')}`),
  },
  { weight: 1, arbitrary: bytes(60).map((text) => `/${text}`) },
)

const PARAMETERS = [
  'dryRun',
  'wait',
  'for',
  'force',
  'hours',
  'namespace',
  'kind',
  'state',
  'labelSelector',
  'limit',
  'continue',
  '__proto__',
  'constructor',
  'a[b]',
]
const VALUES = [
  'true',
  '1s',
  '90m',
  '48',
  'shop',
  'deployments',
  'awake',
  'app=web',
  'app in (web,',
  '1e2',
  '-1',
]
const QUERY = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...PARAMETERS), bytes(8)),
      fc.oneof(
        fc.constantFrom(...VALUES),
        fc.string({ unit: 'binary', maxLength: 30 }).map(encoded),
        bytes(20),
      ),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'))

const HEADER = fc.oneof(
  fc.tuple(
    fc.constantFrom('Content-Type', 'content-type'),
    fc.oneof(
      fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain', '', ';', 'a/b/c'),
      bytes(30),
    ),
  ),
  fc.tuple(fc.constant('Content-Encoding'), fc.constantFrom('gzip', 'identity', 'br, gzip', 'x')),
  fc.tuple(fc.constant('Transfer-Encoding'), fc.constantFrom('chunked', 'gzip', 'identity', 'Chunked, x')),
  fc.tuple(fc.constant('Content-Length'), fc.constantFrom('0', '1', '5', '-1', '1e3', '99999999999', 'x')),
  fc.tuple(fc.constant('Expect'), fc.constantFrom('100-continue', 'tea')),
  fc.tuple(
    fc.constantFrom('X-Request-Id', 'X-Forwarded-For', 'Accept', 'Upgrade', 'Host', 'Range', 'If-None-Match'),
    bytes(60),
  ),
  fc.tuple(
    fc.constant('Authorization'),
    fc.oneof(fc.constantFrom('Bearer', 'Basic YTpi', 'Bearer a b'), bytes(60)),
  ),
  fc.tuple(fc.stringMatching(/^[\w-]{1,20}$/), bytes(200)),
)

const PROPERTY = fc.constantFrom(
  'schedule',
  'timezone',
  'duration',
  '__proto__',
  'constructor',
  'toString',
  'x',
)
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('8:00-18:00', '8:00-8:00', '90m', 'UTC', 'Europe/Berlin', '', '\u0000', '\ud800'),
)
const BODY: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(new Uint8Array()) },
  {
    weight: 3,
    arbitrary: fc
      .dictionary(PROPERTY, fc.oneof(TEXT, fc.jsonValue()), { maxKeys: 3 })
      .map((value) => Buffer.from(JSON.stringify(value))),
  },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.nat(9000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(16_383, 16_384, 16_385, 40_000).map((length) => Buffer.alloc(length, ' ')),
  },
)

const WILD = fc
  .record({
    method: METHOD,
    path: PATH,
    query: fc.oneof(fc.constant(''), QUERY),
    headers: fc.array(HEADER, { maxLength: 3 }),
    body: BODY,
  })
  .map(({ query, ...rest }) => ({ ...rest, path: query === '' ? rest.path : `${rest.path}?${query}` }))

/** Documented requests about existing workloads, though not always with a valid body. */
const PLAIN = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'DELETE'),
  path: fc
    .tuple(
      fc.constantFrom('web', 'pinned', 'unreadable'),
      fc.constantFrom(...ACTIONS),
      fc.constantFrom('', '', '?dryRun=true', '?for=90m', '?x=1'),
    )
    .map(([name, action, query]) => `/api/v1/namespaces/shop/deployments/${name}/${action}${query}`),
  headers: fc.constant([]),
  body: fc.constantFrom(
    '',
    '{}',
    '{"duration":"90m"}',
    '{"schedule":"8:00-18:00"}',
    '{"schedule":"8:00-8:00"}',
  ),
})

/** Any request that HTTP's framing lets through, some of them right, and some that it does not. */
export const ANY_REQUEST: fc.Arbitrary<ArbitraryRequest> = fc.oneof(
  { weight: 3, arbitrary: WILD },
  { weight: 1, arbitrary: PLAIN.map((request) => ({ ...request, body: Buffer.from(request.body) })) },
)

/** The bytes on the wire. Adds length and type of the body, and `token`, if the headers lack them. */
export function wire({ method, path, headers, body }: ArbitraryRequest, token: string): Buffer {
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const framed = given.has('content-length') || given.has('transfer-encoding')
  const added: [name: string, value: string][] = [
    ['Host', 'a'],
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
    ...(framed ? [] : [['Content-Length', String(body.length)] satisfies [string, string]]),
  ]
  const all = [...headers, ...added.filter(([name]) => !given.has(name.toLowerCase()))]
  const lines = [`${method} ${path} HTTP/1.1`, ...all.map((pair) => pair.join(': ')), 'Connection: close']
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
