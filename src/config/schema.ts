import { A_TIMEZONE } from '../domain/schedule/syntax.ts'
import { SIGNATURE_ALGORITHMS } from '../issuer-rules.ts'

/**
 * One key of the configuration. JSON Schema, and three keywords of ours: `expects` says in words what is
 * allowed, for messages; `duration` ([least, most] in milliseconds) and `size` ([least, most] in bytes)
 * read a text and replace it by the number; `check` names a rule of `checks.ts`.
 */
export type KeySchema = {
  readonly type: string | readonly string[]
  readonly expects: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly required?: readonly string[]
  readonly items?: KeySchema
  readonly [keyword: string]: unknown
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const YEAR = 8760 * HOUR

function closed(properties: Record<string, KeySchema>): KeySchema {
  return { type: 'object', expects: 'a section of keys', properties, additionalProperties: false }
}

/** May be left out: its keys have defaults. */
function section(properties: Record<string, KeySchema>): KeySchema {
  return { ...closed(properties), default: {} }
}

function entry(properties: Record<string, KeySchema>, optional: readonly string[] = []): KeySchema {
  const names = Object.keys(properties)
  const required = names.filter((name) => !optional.includes(name))
  return { ...closed(properties), expects: `a section with ${names.join(', ')}`, required }
}

function orNull(schema: KeySchema): KeySchema {
  const type = [schema.type, 'null'].flat()
  return { ...schema, type, expects: `${schema.expects}, or null`, default: null }
}

function duration(value: string | undefined, least: number, most: number, bounds: string): KeySchema {
  const expects = `a duration such as 90s, 5m or 1h30m, ${bounds}`
  return { type: 'string', expects, duration: [least, most], ...(value && { default: value }) }
}

function text(expects: string, rest: Record<string, unknown> = {}): KeySchema {
  return { type: 'string', expects, minLength: 1, maxLength: 512, ...rest }
}

function list(items: KeySchema, expects: string, value: readonly unknown[], least = 0): KeySchema {
  return { type: 'array', expects, items, default: value, minItems: least, maxItems: 1000, uniqueItems: true }
}

function port(value?: number): KeySchema {
  const expects = 'a port from 0 (any free one) to 65535'
  return {
    type: 'integer',
    expects,
    minimum: 0,
    maximum: 65_535,
    ...(value !== undefined && { default: value }),
  }
}

function flag(value: boolean): KeySchema {
  return { type: 'boolean', expects: 'true or false', default: value }
}

function whole(value: number | undefined, minimum: number, maximum: number): KeySchema {
  const expects = `a whole number from ${minimum} to ${maximum}`
  return { type: 'integer', expects, minimum, maximum, ...(value !== undefined && { default: value }) }
}

const NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
const SUBDOMAIN = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'
const namespace = text('the name of a namespace', { pattern: NAME, maxLength: 63 })
const file = text('the path of a file')
const issuer = text('an issuer, as in the claim `iss`')
const audience = text('an audience, as in the claim `aud`')
const user = text("a user's exact name, without wildcards", { pattern: '^[^*]*$', maxLength: 253 })

const algorithms = list(
  { type: 'string', expects: `one of ${SIGNATURE_ALGORITHMS.join(', ')}`, enum: SIGNATURE_ALGORITHMS },
  'a list of algorithms such as [RS256, ES256, EdDSA]',
  ['RS256', 'ES256', 'EdDSA'],
  1,
)

/** The configuration of design section 9; a default here is the documented one. */
export const CONFIG_SCHEMA: KeySchema = closed({
  timezone: text(A_TIMEZONE, { default: 'UTC', check: 'timezone' }),
  excludeNamespaces: list(namespace, 'a list of namespaces', []),
  exemptUsers: list(user, 'a list of user names', []),
  operationTimeout: duration('10m', SECOND, 24 * HOUR, 'from 1s to 24h'),
  newWorkloadGrace: duration('15m', 0, YEAR, 'from 0s to 8760h'),
  wakeHold: { ...orNull(duration(undefined, MINUTE, YEAR, 'from 1m to 8760h')), default: '12h' },
  backoff: section({
    // the history that the operations are counted in holds 20
    maxOperations: whole(6, 1, 19),
    window: duration('1h', SECOND, YEAR, 'from 1s to 8760h'),
    base: duration('5m', SECOND, YEAR, 'from 1s to 8760h'),
    max: duration('1h', SECOND, YEAR, 'from 1s to 8760h'),
  }),
  api: section({
    host: text('an address or a host name to listen on', { default: '0.0.0.0', maxLength: 253 }),
    port: port(8443),
    insecurePort: orNull(port()),
    trustedProxies: list(
      text('an address or a network such as 10.0.0.0/8', { check: 'network' }),
      'a list of addresses and networks',
      [],
    ),
    bodyLimit: {
      type: 'string',
      expects: 'a size such as 16KiB, from 1KiB to 1MiB',
      size: [2 ** 10, 2 ** 20],
      default: '16KiB',
    },
    rate: section({ perSecond: whole(20, 1, 1_000_000), burst: whole(40, 1, 1_000_000) }),
  }),
  auth: section({
    kubernetes: section({
      enabled: flag(true),
      audiences: list(audience, 'a list of audiences', ['dormouse'], 1),
    }),
    oidc: list(
      entry({ issuer, audience, jwksUri: text('an https URL', { check: 'jwksUri' }), algorithms }, [
        'algorithms',
      ]),
      'a list of sections with issuer, audience, jwksUri and algorithms',
      [],
    ),
    local: orNull(entry({ issuer, audience, publicKeyFile: file })),
  }),
  webhook: section({
    enabled: flag(true),
    port: port(9443),
    url: orNull(text('an https URL that the API server reaches the webhook at', { check: 'webhookUrl' })),
    service: text('the name of a Service', { default: 'dormouse', pattern: NAME, maxLength: 63 }),
    failurePolicy: {
      type: 'string',
      expects: 'Fail or Ignore',
      enum: ['Fail', 'Ignore'],
      default: 'Fail',
    },
    certificates: section({
      mode: {
        type: 'string',
        expects: 'self-signed, cert-manager or files',
        enum: ['self-signed', 'cert-manager', 'files'],
        default: 'self-signed',
      },
      directory: orNull(text('the path of a directory')),
      secret: text('the name of a Secret', {
        default: 'dormouse-webhook',
        pattern: SUBDOMAIN,
        maxLength: 253,
      }),
      leafLifetime: duration('168h', 2 * SECOND, YEAR, 'from 2s to 8760h'),
      caLifetime: duration('8760h', 4 * SECOND, 10 * YEAR, 'from 4s to 87600h'),
      renewAt: {
        type: 'number',
        expects: 'a number from 0.1 to 0.9',
        minimum: 0.1,
        maximum: 0.9,
        default: 0.667,
      },
    }),
  }),
  controller: section({
    enabled: flag(true),
    concurrency: whole(32, 1, 1024),
    writesPerSecond: whole(500, 1, 100_000),
    wakesPerSecond: orNull(whole(undefined, 1, 100_000)),
    // marks that others wrote are put right by three at most
    writesPerWorkload: whole(20, 3, 1000),
    lease: section({
      namespace: orNull(namespace),
      name: text('the name of a Lease', { default: 'dormouse', pattern: NAME, maxLength: 63 }),
      duration: duration('15s', SECOND, HOUR, 'from 1s to 1h'),
      renew: duration('10s', SECOND, HOUR, 'from 1s to 1h'),
      retry: duration('2s', 100, HOUR, 'from 100ms to 1h'),
    }),
  }),
  metrics: section({ port: port(9090), perWorkload: flag(false) }),
  log: section({
    level: {
      type: 'string',
      expects: 'trace, debug, info, warn, error, fatal or silent',
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      default: 'info',
    },
  }),
})
