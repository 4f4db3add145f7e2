import fc from 'fast-check'

/** A request as it goes over the wire; `path` with its query. */
export interface ArbitraryRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

const { constant, constantFrom, tuple } = fc

/** One of these, each as often as its number says. */
function often<T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** Bytes as text (latin1), without line ends: those would begin another header. */
const bytes = (maxLength: number) =>
  fc
    .uint8Array({ maxLength })
    .map((array) => Buffer.from(array.filter((byte) => byte !== 10 && byte !== 13)).toString('latin1'))
const encoded = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).map((text) => encodeURIComponent(text.toWellFormed()))

const METHOD = often(
  [8, constantFrom('GET', 'POST', 'PUT', 'DELETE')],
  [2, constantFrom('HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'get')],
  [1, fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,12}$/)],
)

const NAMES = ['shop', 'web', 'pinned', 'unreadable', 'kube-system', 'gone']
const KINDS = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'pods', 'Deployments']
const ACTIONS = ['enable', 'disable', 'override', 'pin', 'snooze', 'wake', 'schedule', 'status', 'plan', '']
const ODD_SEGMENTS = ['.', '..', '%2e%2e', '%', '%00']
const NAMESPACES = '/api/v1/namespaces'
const SEGMENT = often(
  [3, constantFrom(...NAMES, ...KINDS, ...ACTIONS, ...ODD_SEGMENTS)],
  [1, encoded(20)],
  [1, bytes(20)],
)
const DOCUMENTED = [constantFrom(...NAMES), constantFrom(...KINDS), constantFrom(...NAMES)] as const
/** Mostly one of the document. */
const PATH = often(
  [
    6,
    tuple(...DOCUMENTED, constantFrom(...ACTIONS)).map((parts) =>
      `${NAMESPACES}/${parts.join('/')}`.replace(/\/$/, ''),
    ),
  ],
  [1, constantFrom('/api/v1', '/api/v1/workloads', '/api/v1/openapi.json', '*', '//')],
  [3, fc.array(SEGMENT, { maxLength: 6 }).map((parts) => `${NAMESPACES}/${parts.join('/')}`)],
  [1, bytes(60).map((text) => `/${text}`)],
)

const PARAMETERS =
  'dryRun wait for force hours namespace kind state labelSelector limit continue __proto__ constructor a[b]'
const VALUES = 'true 1s 90m 48 shop deployments awake app=web 1e2 -1'
const QUERY = fc
  .array(
    tuple(
      fc.oneof(constantFrom(...PARAMETERS.split(' ')), bytes(8)),
      fc.oneof(constantFrom(...VALUES.split(' '), 'app in (web,'), encoded(30), bytes(20)),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'))

const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', '', ';', 'a/b/c']
const FREE_HEADERS = 'X-Request-Id X-Forwarded-For Accept Upgrade Host Range If-None-Match'
const one = (name: string, ...values: string[]) => tuple(constant(name), constantFrom(...values))
const HEADER = fc.oneof(
  tuple(constantFrom('Content-Type', 'content-type'), fc.oneof(constantFrom(...TYPES), bytes(30))),
  one('Content-Encoding', 'gzip', 'identity', 'br, gzip', 'x'),
  one('Transfer-Encoding', 'chunked', 'gzip', 'identity', 'Chunked, x'),
  one('Content-Length', '0', '1', '5', '-1', '1e3', '99999999999', 'x'),
  one('Expect', '100-continue', 'tea'),
  tuple(constantFrom(...FREE_HEADERS.split(' ')), bytes(60)),
  tuple(constant('Authorization'), fc.oneof(constantFrom('Bearer', 'Basic YTpi', 'Bearer a b'), bytes(60))),
  tuple(fc.stringMatching(/^[\w-]{1,20}$/), bytes(200)),
)

const PROPERTY = constantFrom(...'schedule timezone duration __proto__ constructor toString x'.split(' '))
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  constantFrom('8:00-18:00', '8:00-8:00', '90m', 'UTC', 'Europe/Berlin', '', '\u0000', '\ud800'),
)
const BODY = often<Uint8Array>(
  [2, constant(new Uint8Array())],
  [
    3,
    fc
      .dictionary(PROPERTY, fc.oneof(TEXT, fc.jsonValue()), { maxKeys: 3 })
      .map((value) => Buffer.from(JSON.stringify(value))),
  ],
  [1, fc.json().map((text) => Buffer.from(text))],
  [1, fc.nat(9000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth)))],
  [1, fc.uint8Array({ maxLength: 200 })],
  [1, constantFrom(16_383, 16_384, 16_385, 40_000).map((length) => Buffer.alloc(length, ' '))],
)

const WILD = fc
  .record({
    method: METHOD,
    path: PATH,
    query: fc.oneof(constant(''), QUERY),
    headers: fc.array(HEADER, { maxLength: 3 }),
    body: BODY,
  })
  .map(({ query, ...rest }) => ({ ...rest, path: query === '' ? rest.path : `${rest.path}?${query}` }))

const BODIES = ['', '{}', '{"duration":"90m"}', '{"schedule":"8:00-18:00"}', '{"schedule":"8:00-8:00"}']
/** Documented requests about existing workloads, though not always with a valid body. */
const PLAIN = fc.record({
  method: constantFrom('GET', 'POST', 'POST', 'PUT', 'DELETE'),
  path: tuple(
    constantFrom('web', 'pinned', 'unreadable'),
    constantFrom(...ACTIONS),
    constantFrom('', '', '?dryRun=true', '?for=90m', '?x=1'),
  ).map(([name, action, query]) => `${NAMESPACES}/shop/deployments/${name}/${action}${query}`),
  headers: constant([]),
  body: constantFrom(...BODIES).map((text) => Buffer.from(text)),
})

/** Any request that HTTP's framing lets through, some of them right, and some that it does not. */
export const ANY_REQUEST = often<ArbitraryRequest>([3, WILD], [1, PLAIN])

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
