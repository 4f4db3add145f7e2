import { Ajv } from 'ajv'
import { expect } from 'chai'
import {
  excludedNamespaces,
  InvalidConfig,
  loadConfig,
  type ConfigInput,
} from '../../src/service/config/config.ts'
import { settingsOf } from '../../src/service/config/environment.ts'
import type { Schema } from '../../src/domain/json-schema.ts'
import { CONFIG_SCHEMA } from '../../src/service/config/schema.ts'

const load = (text = '', environment: Record<string, string> = {}) =>
  loadConfig({ text, file: 'dormouse.yaml', environment })

function faultsOf(input: Partial<ConfigInput>) {
  try {
    loadConfig({ file: 'dormouse.yaml', environment: {}, ...input })
  } catch (error) {
    if (error instanceof InvalidConfig) return error.faults
    throw error
  }
  return []
}

const only = (text: string, environment: Record<string, string> = {}) => {
  const faults = faultsOf({ text, environment })
  expect(faults, JSON.stringify(faults)).to.have.length(1)
  return faults[0]!
}

const ANNOTATION = 'annotation: cnpg.io/hibernation, asleep: on, awake: off'
const CNPG = (values: string) => `{ resource: clusters.postgresql.cnpg.io, switch: { ${values} } }`
/** A configured kind with a switch. */
const switched = (values: string, more = '') =>
  `kinds: [{ resource: a.example.com.org, switch: { asleep: true, ${values.includes('awake') ? '' : 'awake: false, '}${values} }${more} }]`

describe('configuration', () => {
  it("uses a command's presets where neither file, variable nor option has a value", () => {
    const presets = [
      { path: ['api', 'host'], value: '127.0.0.1', source: 'test' },
      { path: ['log', 'level'], value: 'warn', source: 'test' },
      { path: ['timezone'], value: 'Asia/Tokyo', source: 'test' },
    ]
    const environment = { DORMOUSE_LOG_LEVEL: 'debug' }
    const config = loadConfig({ text: 'api: { host: "::1" }', environment, presets })
    expect([config.api.host, config.log.level, config.timezone]).to.deep.equal(['::1', 'debug', 'Asia/Tokyo'])
  })

  it('has its defaults in milliseconds and bytes where nothing is said', () => {
    const { api, backoff, wakeHold, auth } = load()
    expect([backoff.window, wakeHold]).to.deep.equal([3_600_000, 43_200_000])
    expect([api.bodyLimit, api.insecurePort]).to.deep.equal([16_384, null])
    const kubernetes = { enabled: true, audiences: ['dormouse'] }
    expect(auth).to.deep.equal({ kubernetes, oidc: [], local: null })
  })

  it('reads the file, and leaves empty sections at their defaults', () => {
    const config = load(`
timezone: Europe/Berlin
wakeHold: null
backoff: { window: 1h30m, max: 2h }
controller:
api: { bodyLimit: 1MiB }
auth:
  oidc:
    - { issuer: https://id.example, audience: dormouse, jwksUri: https://id.example/keys }
  local: { issuer: me, audience: dormouse, publicKeyFile: key.pem }
`)
    expect(config.timezone).to.equal('Europe/Berlin')
    expect(config.wakeHold).to.equal(null)
    expect(config.backoff).to.include({ maxOperations: 6, window: 5_400_000, max: 7_200_000 })
    expect(config.controller.concurrency).to.equal(32)
    expect(config.api.bodyLimit).to.equal(2 ** 20)
    expect(config.auth.oidc[0]?.algorithms).to.deep.equal(['RS256', 'ES256', 'EdDSA'])
    expect(config.auth.local?.publicKeyFile).to.equal('key.pem')
  })

  it('has calendars of dates, files or both, each date once', () => {
    const { calendars } = load(`
calendars:
  de-be: { dates: { 2026-12-24..2027-01-01: '', 2026-10-10: '9:00-14:00' } }
  company: { files: [/etc/dormouse/company.ics] }
  empty: {}
`)
    const rest = { events: { summary: null, categories: null, description: null }, means: 'asleep' }
    expect(calendars).to.deep.equal({
      'de-be': { dates: { '2026-12-24..2027-01-01': '', '2026-10-10': '9:00-14:00' }, files: [], ...rest },
      company: { dates: {}, files: ['/etc/dormouse/company.ics'], ...rest },
      empty: { dates: {}, files: [], ...rest },
    })
    const environment = { DORMOUSE_CALENDARS: '{ de: { dates: { 2026-12-24: "" } } }' }
    expect(load('', environment).calendars).to.deep.equal({
      de: { dates: { '2026-12-24': '' }, files: [], ...rest },
    })
    const text = 'calendars: { a: { files: [a.ics], events: { summary: ["*day*"] }, means: awake } }'
    expect(load(text).calendars['a']).to.deep.include({
      means: 'awake',
      events: { ...rest.events, summary: ['*day*'] },
    })
  })

  it('has prices, each of which a variable can set', () => {
    const text = 'savings: { prices: { currency: EUR, cpu: 0.031, memory: 0 } }'
    expect(load(text).savings.prices).to.deep.equal({ currency: 'EUR', cpu: 0.031, memory: 0 })
    const environment = { DORMOUSE_SAVINGS_PRICES_CPU: '0.05' }
    expect(load(text, environment).savings.prices).to.include({ currency: 'EUR', cpu: 0.05 })
  })

  it("always excludes the namespaces of Kubernetes and Dormouse's own, each once", () => {
    const always = ['kube-system', 'kube-public', 'kube-node-lease']
    expect(load('excludeNamespaces: []').excludeNamespaces).to.deep.equal(always)
    const config = load('excludeNamespaces: [monitoring, kube-system, dormouse]')
    expect(config.excludeNamespaces).to.deep.equal([...always, 'monitoring', 'dormouse'])
    expect(excludedNamespaces(config, 'dormouse')).to.deep.equal([...always, 'monitoring', 'dormouse'])
    expect(excludedNamespaces(load(), 'sleep')).to.deep.equal([...always, 'sleep'])
    expect(excludedNamespaces(load(), undefined)).to.deep.equal(always)
  })

  it('is frozen', () => {
    const config = load('excludeNamespaces: [quiet]')
    expect(Object.isFrozen(config)).to.equal(true)
    expect(Object.isFrozen(config.backoff)).to.equal(true)
    expect(() => (config.excludeNamespaces as string[]).push('more')).to.throw(TypeError)
  })

  it('refuses the port of the API for the webhook', () => {
    expect(load('api: { port: 8444 }').webhook.port).to.equal(9443)
    const { pointer, message } = only('webhook: { port: 8443 }')
    expect(pointer).to.equal('/webhook/port')
    expect(message).to.match(/^expected a port other than api\.port/)
    expect(load('{ api: { port: 0 }, webhook: { port: 0 } }').webhook.port).to.equal(0)
  })
})

describe('configuration by variables', () => {
  it('lets a variable win over the file unless it is empty, and an option over both', () => {
    expect(load('api: { port: 1 }', { DORMOUSE_API_PORT: '' }).api.port).to.equal(1)
    expect(load('api: { port: 1 }', { DORMOUSE_API_PORT: '2' }).api.port).to.equal(2)
    const options = [{ path: ['api', 'port'], value: 3, source: '--api-port' }]
    const config = loadConfig({ text: 'api: { port: 1 }', environment: { DORMOUSE_API_PORT: '2' }, options })
    expect(config.api.port).to.equal(3)
  })

  it('reads every type of value from text', () => {
    const config = load('wakeHold: 1h', {
      DORMOUSE_BACKOFF_MAX_OPERATIONS: '7',
      DORMOUSE_METRICS_PER_WORKLOAD: 'true',
      DORMOUSE_WAKE_HOLD: 'null',
      DORMOUSE_NEW_WORKLOAD_GRACE: '0s',
      DORMOUSE_EXCLUDE_NAMESPACES: 'kube-system, quiet',
      DORMOUSE_EXEMPT_USERS: '["system:serviceaccount:keda:keda-operator"]',
      DORMOUSE_AUTH_OIDC: '[{"issuer":"https://a.example","audience":"d","jwksUri":"https://a.example/k"}]',
      DORMOUSE_AUTH_LOCAL_ISSUER: 'me',
      DORMOUSE_AUTH_LOCAL_AUDIENCE: 'dormouse',
      DORMOUSE_AUTH_LOCAL_PUBLIC_KEY_FILE: 'key.pem',
    })
    expect(config.backoff.maxOperations).to.equal(7)
    expect(config.metrics.perWorkload).to.equal(true)
    expect(config.wakeHold).to.equal(null)
    expect(config.newWorkloadGrace).to.equal(0)
    expect(config.excludeNamespaces).to.include('quiet')
    expect(config.exemptUsers).to.deep.equal(['system:serviceaccount:keda:keda-operator'])
    expect(config.auth.oidc[0]?.issuer).to.equal('https://a.example')
    expect(config.auth.local).to.deep.equal({ issuer: 'me', audience: 'dormouse', publicKeyFile: 'key.pem' })
  })

  it('reads a section as YAML, and lets variables for its keys override it', () => {
    const environment = { DORMOUSE_BACKOFF_BASE: '2m', DORMOUSE_BACKOFF: '{base: 1m, max: 10m}' }
    expect(load('', environment).backoff).to.include({ base: 120_000, max: 600_000 })
  })

  it('has a variable of its own for each key', () => {
    const paths = (schema: Schema, above: string[] = []): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
        const path = [...above, name]
        return [path.join('.')].concat(paths(child, path))
      })
    expect(new Ajv().validateSchema(CONFIG_SCHEMA), 'it is valid JSON Schema').to.equal(true)
    const all = paths(CONFIG_SCHEMA)
    const variable = (path: string) =>
      `DORMOUSE_${path.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`
    const { settings } = settingsOf(
      Object.fromEntries(all.map((path) => [variable(path), '1'])),
      CONFIG_SCHEMA,
    )
    expect(settings.map(({ path }) => path.join('.'))).to.have.members(all)
  })

  it("ignores the variables that Kubernetes sets for Services, and the client's token", () => {
    const config = load('', {
      DORMOUSE_TOKEN: 'eyJ',
      DORMOUSE_SERVICE_HOST: '10.0.0.1',
      DORMOUSE_SERVICE_PORT_HTTPS: '8443',
      DORMOUSE_PORT: 'tcp://10.0.0.1:8443',
      DORMOUSE_PORT_8443_TCP_ADDR: '10.0.0.1',
      DORMOUSE_METRICS_PORT: 'tcp://10.0.0.2:9090',
    })
    expect(config.metrics.port).to.equal(9090)
  })

  it('refuses an unknown variable and suggests a similar one', () => {
    const fault = only('', { DORMOUSE_BACKOFF_MAXOPERATIONS: '7' })
    expect(fault.source).to.equal('DORMOUSE_BACKOFF_MAXOPERATIONS')
    expect(fault.message).to.contain("did you mean 'DORMOUSE_BACKOFF_MAX_OPERATIONS'?")
  })

  it('names the variable that gave a bad value', () => {
    expect(only('api: { port: 1 }', { DORMOUSE_API_PORT: 'many' })).to.deep.include({
      pointer: '/api/port',
      source: 'DORMOUSE_API_PORT',
      found: '"many"',
    })
    expect(only('', { DORMOUSE_AUTH_OIDC: '[{' }).source).to.equal('DORMOUSE_AUTH_OIDC')
  })
})

describe('a faulty configuration', () => {
  it('is reported with all its faults at once: what, where, and what was expected', () => {
    const text =
      'timezone: Mars/Olympus\nbackof: {}\napi:\n  port: 99999\n  bodyLimit: 16\nlog: { level: loud }\n'
    const faults = faultsOf({ text, environment: { DORMOUSE_METRICS_PORT: 'x', DORMOUSE_TIMEZON: 'UTC' } })
    expect(faults.map(({ source, pointer }) => `${source} ${pointer}`)).to.have.members([
      'DORMOUSE_TIMEZON ',
      'dormouse.yaml:1:1 /timezone',
      'dormouse.yaml:2:1 /backof',
      'dormouse.yaml:4:3 /api/port',
      'dormouse.yaml:5:3 /api/bodyLimit',
      'dormouse.yaml:6:8 /log/level',
      'DORMOUSE_METRICS_PORT /metrics/port',
    ])
    expect(new InvalidConfig(faults).message).to.match(/^7 faults in the configuration:\n/)
    expect(new InvalidConfig(faults).message).to.contain(
      'dormouse.yaml:4:3: /api/port: expected a port from 0 (any free one) to 65535, found 99999',
    )
  })

  it('gets a suggestion for an unknown key, if a known one is similar', () => {
    expect(only('backof: {}').message).to.equal("unknown key 'backof': did you mean 'backoff'?")
    expect(only('backoff: { max_operations: 3 }').message).to.contain("did you mean 'maxOperations'?")
    expect(only('api: { prot: 1 }').message).to.contain("did you mean 'port'?")
    expect(only('zebra: 1').message).to.equal("unknown key 'zebra': remove it")
  })

  it('says what is wrong with a range of ports, and that a built-in kind needs no entry', () => {
    const found = (yaml: string) => only(yaml).found
    expect(found('waker: { ports: 21000-20000 }')).to.equal('"21000-20000": the lower port comes first')
    expect(found('waker: { ports: 60000-70000 }')).to.equal('"60000-70000": 65535 is the last port')
    expect(found('waker: { ports: abc }')).to.equal('"abc"')
    for (const resource of ['statefulsets.apps', 'cronjobs'])
      expect(found(`kinds: [{ resource: ${resource} }]`)).to.match(/are built in: leave this entry out$/)
    expect(found('kinds: [{ resource: rollouts }]')).to.equal('"rollouts"')
  })

  it('has each faulty kind at its own place', () => {
    const text =
      'kinds: [{ preset: eck, resource: a.b.io }, { resource: c.d.io }, { resource: clusters.postgresql.cnpg.io }]'
    const found = faultsOf({ text }).map((fault) => `${fault.source} ${fault.pointer} ${fault.found}`)
    expect(found).to.have.length(2)
    expect(found[0]).to.equal('dormouse.yaml:1:9 /kinds/0 more beside preset eck')
    expect(found[1]).to.match(
      /^dormouse.yaml:1:66 .kinds.2 .+deletes volumes: write . preset: cloudnative-pg/,
    )
  })

  it('has sizes in powers of 1024, each with its unit', () => {
    const sizes = ['1024B', '16KiB', '1MiB'].map((size) => load(`api: { bodyLimit: ${size} }`).api.bodyLimit)
    expect(sizes).to.deep.equal([1024, 16_384, 1_048_576])
    for (const size of ['', '2048', '16KB', '16kib', '0.5MiB', '-1KiB', '16 KiB', '1GiB'])
      expect(only(`api: { bodyLimit: "${size}" }`).pointer, size).to.equal('/api/bodyLimit')
  })

  it('says how a duration is written', () => {
    expect(only("operationTimeout: '8'").message).to.equal(
      'expected a duration such as 90s, 1h30m or 2d, from 1s to 1d, found "8": did you mean 8m or 8h?',
    )
    expect(only('operationTimeout: 2d').message).to.match(/found "2d"$/)
  })

  const policy = (more: string) => `policies: [{ name: dev, namespaces: { names: [a] }, ${more} }]`

  it('names the place that an abbreviation of a zone means', () => {
    expect(only('timezone: BST').message).to.equal(
      'expected an IANA time zone such as Europe/Berlin, found "BST": write Europe/London',
    )
  })

  it('says at which character of a schedule the fault is', () => {
    expect(only(policy('schedule: "8:00-18:00,Mon-Fry"')).message).to.match(
      /found "8:00-18:00,Mon-Fry": at 16: expected a day such as Mon or Monday, found 'Fry'$/,
    )
  })

  it('refuses keys named like properties that every object has', () => {
    expect(only('__proto__: { timezone: UTC }').pointer).to.equal('/__proto__')
    expect(only('constructor: 1').pointer).to.equal('/constructor')
  })

  const kinds = (kind: string) => policy(`workloads: { kinds: [${kind}] }`)
  const certificates = (more: string) => `webhook: { certificates: { ${more} } }`
  const prices = (more: string) => `savings: { prices: { memory: 1, ${more} } }`
  const provider = (audience: string) => `{ issuer: i, audience: ${audience}, jwksUri: "https://i.example" }`
  const LOCAL = 'local: { issuer: i, audience: b, publicKeyFile: k }'
  const owners = (pause: string) => `owners: [{ resource: a.b.io, pause: ${pause} }]`
  const kind = (more: string) => `kinds: [{ resource: a.b.io, ${more} }]`
  const PATH = 'specReplicasPath'
  const LEAF = 'leafLifetime'
  const TLS = '/webhook/certificates'
  const SELECTOR = 'namespaceSelector'
  const IN_NOTHING = 'matchExpressions: [{ key: env, operator: In }]'
  for (const [rule, text, pointer] of [
    ['a duration without a unit', 'operationTimeout: 600', '/operationTimeout'],
    ['an empty duration', 'operationTimeout: ""', '/operationTimeout'],
    ['a duration out of bounds', 'operationTimeout: 999999999h', '/operationTimeout'],
    ['null where there is no null', 'operationTimeout: null', '/operationTimeout'],
    ['an offset as a time zone', 'timezone: "+01:00"', '/timezone'],
    ['an abbreviation as a time zone', 'timezone: BST', '/timezone'],
    ['an abbreviation as the zone of a policy', policy('timezone: IST'), '/policies/0/timezone'],
    ['more operations than the history holds', 'backoff: { maxOperations: 20 }', '/backoff/maxOperations'],
    ['a fraction of an operation', 'backoff: { maxOperations: 1.5 }', '/backoff/maxOperations'],
    ['a base above the maximum', 'backoff: { base: 2h }', '/backoff/base'],
    ['a lease renewed too late', 'controller: { lease: { renew: 15s } }', '/controller/lease/renew'],
    ['a lease retried too late', 'controller: { lease: { retry: 10s } }', '/controller/lease/retry'],
    ['a lease of half seconds', 'controller: { lease: { duration: 15500ms } }', '/controller/lease/duration'],
    ['an owner paused at two places', owners('{ label: a, path: .spec.x, asleep: true }'), '/owners'],
    ['an owner paused nowhere', owners('{ asleep: true }'), '/owners'],
    [
      'an owner twice',
      owners('{ path: .spec.x, asleep: true } }, { resource: a.b.io, pause: { label: a, asleep: x }'),
      '/owners',
    ],
    [
      'an owner that is a kind, too',
      `${owners('{ path: .spec.x, asleep: true }')}\nkinds: [{ resource: a.b.io }]`,
      '/owners',
    ],
    [
      'an owner paused by an annotation that is no text',
      owners('{ annotation: a, asleep: false }'),
      '/owners',
    ],
    ['an owner paused by a label that is no text', owners('{ label: a, asleep: 1 }'), '/owners'],
    ['a status to pause', owners('{ path: .status.x, asleep: true }'), '/owners/0/pause/path'],
    ['a kind of Kubernetes itself', 'kinds: [{ resource: jobs.batch }]', '/kinds/0/resource'],
    ['a count outside of the spec', kind(`${PATH}: .status.x`), `/kinds/0/${PATH}`],
    ['a kind whose scale deletes volumes', 'kinds: [{ resource: clusters.postgresql.cnpg.io }]', '/kinds/0'],
    [
      'a kind whose scale is shards',
      'kinds: [{ resource: prometheusagents.monitoring.coreos.com }]',
      '/kinds/0',
    ],
    ['a kind twice', kind(`${PATH}: .spec.x }, { resource: a.b.io`), '/kinds'],
    ['a wildcard among the exempt users', 'exemptUsers: ["system:*"]', '/exemptUsers/0'],
    ['a malformed network', 'api: { trustedProxies: [10.0.0.0/33] }', '/api/trustedProxies/0'],
    ['a proxy given by name', 'api: { trustedProxies: [proxy.example.com] }', '/api/trustedProxies/0'],
    ["a sign-out at another host's path", 'console: { signOutUrl: //evil.example }', '/console/signOutUrl'],
    ['a sign-out that is a script', "console: { signOutUrl: 'javascript:alert(1)' }", '/console/signOutUrl'],
    ['a policy without a name', 'policies: [{ namespaces: { names: ["*"] } }]', '/policies/0/name'],
    ['a policy for no namespaces', 'policies: [{ name: dev, namespaces: {} }]', '/policies'],
    ['two policies of one name', policy('}, { name: dev, namespaces: { names: [b] }'), '/policies'],
    ['a selector of a policy', policy('workloads: { selector: a b }'), '/policies/0/workloads/selector'],
    ['a schedule of a policy', policy('schedule: 8-18'), '/policies/0/schedule'],
    ['a zone of a policy that there is not', policy('timezone: Berlin'), '/policies/0/timezone'],
    ['a mistyped flag in a policy', policy('enabled: ture'), '/policies/0/enabled'],
    ['an unknown calendar of a policy', `${policy('calendar: at')}\ncalendars: { de: {} }`, '/policies'],
    ['a kind that there is not', kinds('pods'), '/policies/0/workloads/kinds/0'],
    ['a kind that is not configured', kinds('rollouts.argoproj.io'), '/policies'],
    ['a malformed namespace', 'excludeNamespaces: [Kube_System]', '/excludeNamespaces/0'],
    ['a namespace twice', 'excludeNamespaces: [a, a]', '/excludeNamespaces'],
    ['a text instead of a list', 'excludeNamespaces: a', '/excludeNamespaces'],
    ['a number instead of a section', 'api: 8443', '/api'],
    ['metrics on the port of the API', 'metrics: { port: 8443 }', '/metrics/port'],
    ['plain HTTP on the port of TLS', 'api: { insecurePort: 8443 }', '/api/insecurePort'],
    ['files without a directory', certificates('mode: files'), `${TLS}/directory`],
    ['an expression without values', `webhook: { ${SELECTOR}: { ${IN_NOTHING} } }`, `/webhook/${SELECTOR}`],
    ['a leaf that outlives its CA', certificates(`${LEAF}: 3s, caLifetime: 5s`), `${TLS}/${LEAF}`],
    ['certificates renewed at their end', certificates('renewAt: 1'), '/webhook/certificates/renewAt'],
    ['a webhook without TLS', 'webhook: { url: "http://dormouse.example" }', '/webhook/url'],
    ['no way to authenticate', 'auth: { kubernetes: { enabled: false } }', '/auth'],
    [
      'a local issuer without a key',
      'auth: { local: { issuer: a, audience: b } }',
      '/auth/local/publicKeyFile',
    ],
    ['two audiences of one issuer', `auth: { oidc: [${provider('a')}, ${provider('b')}] }`, '/auth/oidc'],
    ['a local issuer that is a provider too', `auth: { oidc: [${provider('a')}], ${LOCAL} }`, '/auth/oidc'],
    ['a configuration that is a list', '- timezone: UTC', ''],
    ['a kind that is none', 'kinds: [{ specReplicasPath: .spec.size }]', '/kinds/0'],
    ['a preset with a resource', 'kinds: [{ preset: percona-mysql, resource: a.example.com }]', '/kinds/0'],
    [
      'a preset with more',
      'kinds: [{ preset: percona-mysql, asleepWhen: { path: .status.x, equals: 1 } }]',
      '/kinds/0',
    ],
    ['an annotation without a name', switched('annotation: example.com/'), '/kinds/0/switch/annotation'],
    ['an unknown preset', 'kinds: [{ preset: postgres }]', '/kinds/0/preset'],
    [
      'a kind twice, once by its preset',
      `kinds: [{ preset: cloudnative-pg }, ${CNPG(ANNOTATION)}]`,
      '/kinds',
    ],
    ['a count that deletes volumes', 'kinds: [{ resource: clusters.postgresql.cnpg.io }]', '/kinds/0'],
    ['a switch with a count', switched('path: .spec.off', ', specReplicasPath: .spec.size'), '/kinds/0'],
    ['a switch nowhere', switched('path: null'), '/kinds/0'],
    ['a switch in two places', switched('path: .spec.off, annotation: example.com/off'), '/kinds/0'],
    ['a switch whose values are one', switched('path: .spec.off, awake: true'), '/kinds/0'],
    ['a switch by an annotation that is no text', switched('annotation: example.com/off'), '/kinds/0'],
    ['a switch outside of the spec', switched('path: .metadata.labels'), '/kinds/0/switch/path'],
    [
      'a condition without a value',
      switched('path: .spec.off', ', asleepWhen: { path: .status.x }'),
      '/kinds/0',
    ],
    ['a sign of a currency', prices('currency: €, cpu: 1'), '/savings/prices/currency'],
    ['a price below 0', prices('currency: EUR, cpu: -1'), '/savings/prices/cpu'],
    ['a price that is missing', prices('currency: EUR'), '/savings/prices/cpu'],
  ] as const)
    it(`refuses ${rule}`, () => {
      const fault = only(text)
      expect(fault.pointer).to.equal(pointer)
      expect(fault.message).to.match(/^expected .+, found .+/)
    })

  for (const [rule, calendar, pointer, says] of [
    ['a name with a blank', "'my company': {}", '/my company', 'the name of a calendar such as de-be'],
    ['another key', 'de: { urls: [] }', '/de/urls', "unknown key 'urls'"],
    ['no date', "de: { dates: { 24.12.: '' } }", '/de/dates/24.12.', 'a date such as 2026-12-24'],
    ['a day too many', "de: { dates: { 2026-02-30: '' } }", '/de/dates/2026-02-30', "found '2026-02-30'"],
    [
      'hours with days',
      `de: { dates: { 2026-12-24: '9:00-14:00,Mon' } }`,
      '/de/dates/2026-12-24',
      'the hours of that date',
    ],
    [
      'a date without hours where it is to add some',
      "de: { means: awake, dates: { 2026-12-24: '' } }",
      '/de/dates/2026-12-24',
      'expected the hours that it adds',
    ],
    ['another meaning', 'de: { means: busy }', '/de/means', 'asleep or awake'],
    [
      'another property of events',
      'de: { events: { title: [a] } }',
      '/de/events/title',
      "unknown key 'title'",
    ],
    ['no glob at all', 'de: { events: { summary: [] } }', '/de/events/summary', 'a list of such texts'],
    [
      'a date twice',
      "de: { dates: { 2026-12-24..2026-12-26: '', 2026-12-26: '' } }",
      '/de/dates/2026-12-26',
      'expected each date once, found 2026-12-26 in 2026-12-24..2026-12-26, too',
    ],
  ] as const)
    it(`refuses in a calendar ${rule}`, () => {
      const fault = only(`calendars: { ${calendar} }`)
      expect(fault.pointer).to.equal(`/calendars${pointer}`)
      expect(fault.message).to.include(says)
      expect(fault.source).to.match(/^dormouse.yaml:1:/)
    })

  it('takes a configured kind in a policy', () => {
    const { policies } = load(`${kinds('rollouts.argoproj.io')}\nkinds: [{ resource: rollouts.argoproj.io }]`)
    expect(policies[0]?.workloads?.kinds).to.deep.equal(['rollouts.argoproj.io'])
  })

  it('refuses keys of an issuer over plain HTTP, except on loopback', () => {
    const oidc = (jwksUri: string) => `auth: { oidc: [{ issuer: i, audience: a, jwksUri: "${jwksUri}" }] }`
    for (const url of [
      'http://id.example',
      'https://me:it@a.example',
      'http://127.0.0.1.example',
      'file:///a',
    ])
      expect(only(oidc(url)).pointer, url).to.equal('/auth/oidc/0/jwksUri')
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080']) {
      expect(load(oidc(`http://${host}/keys`)).auth.oidc).to.have.length(1)
    }
  })

  it('refuses symmetric and absent signatures', () => {
    const of = (algorithms: string) =>
      `auth: { oidc: [{ issuer: i, audience: a, jwksUri: "https://i.example", algorithms: [${algorithms}] }] }`
    for (const algorithm of ['HS256', 'none'])
      expect(only(of(`RS256, ${algorithm}`)).pointer).to.equal('/auth/oidc/0/algorithms/1')
    expect(only(of('')).pointer).to.equal('/auth/oidc/0/algorithms')
  })

  it('shows line and column of bad YAML and of a key given twice', () => {
    expect(only('timezone: UTC\ntimezone: UTC\n').source).to.equal('dormouse.yaml:2:1')
    expect(only('api:\n  port: [1\n').source).to.match(/^dormouse\.yaml:\d+:\d+$/)
    expect(only('timezone: UTC\n---\ntimezone: UTC\n').message).to.contain('multiple documents')
  })

  it('refuses a file that is too long, by itself or once its aliases are expanded', () => {
    expect(only(`#${' '.repeat(300_000)}`).message).to.contain('256 KiB')
    const bomb = Array.from({ length: 9 }, (_, i) => `k${i}: &k${i} [${`*k${i - 1},`.repeat(9)}]`)
    expect(only(['k-1: &k-1 [x]', ...bomb].join('\n')).message).to.match(/alias/i)
  })

  it('shortens the value that it quotes', () => {
    expect(only(`timezone: ${'x'.repeat(1000)}`).found).to.have.length(80)
  })
})
