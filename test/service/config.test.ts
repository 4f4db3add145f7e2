import { Ajv } from 'ajv'
import { expect } from 'chai'
import {
  excludedNamespaces,
  InvalidConfig,
  loadConfig,
  type ConfigInput,
} from '../../src/service/config/config.ts'
import type { Policy } from '../../src/domain/workload/settings-rules.ts'
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

  it('has the documented defaults, durations in milliseconds and sizes in bytes', () => {
    expect(load()).to.deep.equal({
      cluster: null,
      timezone: 'UTC',
      excludeNamespaces: ['kube-system', 'kube-public', 'kube-node-lease'],
      policies: [],
      publish: true,
      exemptUsers: [],
      keda: { enabled: true },
      kinds: [],
      operationTimeout: 600_000,
      newWorkloadGrace: 900_000,
      wakeHold: 43_200_000,
      wakeOrderTimeout: 120_000,
      calendars: {},
      backoff: { maxOperations: 6, window: 3_600_000, base: 300_000, max: 3_600_000 },
      api: {
        host: '0.0.0.0',
        port: 8443,
        insecurePort: null,
        trustedProxies: [],
        bodyLimit: 16_384,
        waiters: 250,
        rate: { perSecond: 20, burst: 40 },
      },
      auth: { kubernetes: { enabled: true, audiences: ['dormouse'] }, oidc: [], local: null },
      webhook: {
        enabled: true,
        port: 9443,
        url: null,
        service: 'dormouse',
        clientCA: null,
        failurePolicy: 'Fail',
        namespaceSelector: { matchLabels: {}, matchExpressions: [] },
        certificates: {
          mode: 'self-signed',
          directory: null,
          secret: 'dormouse-webhook',
          leafLifetime: 604_800_000,
          caLifetime: 31_536_000_000,
          renewAt: 0.667,
        },
      },
      controller: {
        enabled: true,
        concurrency: 32,
        writesPerSecond: 1000,
        wakesPerSecond: null,
        writesPerWorkload: 20,
        lease: { namespace: null, name: 'dormouse', duration: 15_000, renew: 10_000, retry: 2000 },
      },
      console: { enabled: true, signOutUrl: null, url: null },
      metrics: { port: 9090, perWorkload: false, teamLabel: null },
      savings: { prices: null },
      log: { level: 'info' },
    })
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
    expect(config.backoff).to.deep.equal({
      maxOperations: 6,
      window: 5_400_000,
      base: 300_000,
      max: 7_200_000,
    })
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
    expect(calendars).to.deep.equal({
      'de-be': { dates: { '2026-12-24..2027-01-01': '', '2026-10-10': '9:00-14:00' }, files: [] },
      company: { dates: {}, files: ['/etc/dormouse/company.ics'] },
      empty: { dates: {}, files: [] },
    })
    const environment = { DORMOUSE_CALENDARS: '{ de: { dates: { 2026-12-24: "" } } }' }
    expect(load('', environment).calendars).to.deep.equal({ de: { dates: { '2026-12-24': '' }, files: [] } })
  })

  for (const [what, text, pointer, says] of [
    [
      'a name with a blank',
      "'my company': {}",
      '/calendars/my company',
      'the name of a calendar such as de-be',
    ],
    [
      'what is no date',
      "de: { dates: { 24.12.: '' } }",
      '/calendars/de/dates/24.12.',
      'a date such as 2026-12-24',
    ],
    [
      'a date that does not exist',
      "de: { dates: { 2026-02-30: '' } }",
      '/calendars/de/dates/2026-02-30',
      "found '2026-02-30'",
    ],
    [
      'hours that cannot be read',
      'de: { dates: { 2026-12-24: closed } }',
      '/calendars/de/dates/2026-12-24',
      "the hours of that date such as '9:00-14:00'",
    ],
    [
      'hours with days',
      "de: { dates: { 2026-12-24: '9:00-14:00,Mon' } }",
      '/calendars/de/dates/2026-12-24',
      'the hours of that date',
    ],
    [
      'a date in two ranges',
      "de: { dates: { 2026-12-24..2026-12-26: '', 2026-12-25..2026-12-31: '' } }",
      '/calendars/de/dates/2026-12-25..2026-12-31',
      'expected each date once, found 2026-12-25 in 2026-12-24..2026-12-26, too',
    ],
    ['another key', 'de: { urls: [] }', '/calendars/de/urls', "unknown key 'urls'"],
  ] as const)
    it(`refuses in a calendar ${what}`, () => {
      const fault = only(`calendars: { ${text} }`)
      expect(fault.pointer).to.equal(pointer)
      expect(fault.message).to.include(says)
      expect(fault.source).to.match(/^dormouse.yaml:1:/)
    })

  it('has prices, each of which a variable can set', () => {
    const text = 'savings: { prices: { currency: EUR, cpu: 0.031, memory: 0 } }'
    expect(load(text).savings.prices).to.deep.equal({ currency: 'EUR', cpu: 0.031, memory: 0 })
    const environment = { DORMOUSE_SAVINGS_PRICES_CPU: '0.05' }
    expect(load(text, environment).savings.prices).to.include({ currency: 'EUR', cpu: 0.05 })
  })

  for (const [what, prices, says] of [
    ['a sign of a currency', '{ currency: €, cpu: 1, memory: 1 }', 'a currency of three letters such as EUR'],
    ['a price below 0', '{ currency: EUR, cpu: -1, memory: 1 }', 'a number of at least 0'],
    ['a price that is missing', '{ currency: EUR, cpu: 1 }', 'a number of at least 0'],
  ] as const)
    it(`refuses in prices ${what}`, () => {
      expect(only(`savings: { prices: ${prices} }`).message).to.include(says)
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

  it("is the domain's policy as it is", () => {
    const policy: Policy = load('operationTimeout: 90s')
    expect(policy.operationTimeout).to.equal(90_000)
  })

  it('refuses the port of the API for the webhook', () => {
    expect(load('api: { port: 8444 }').webhook.port).to.equal(9443)
    const { pointer, message } = only('webhook: { port: 8443 }')
    expect(pointer).to.equal('/webhook/port')
    expect(message).to.match(/^expected a port other than api\.port/)
    expect(load('{ api: { port: 0 }, webhook: { port: 0 } }').webhook.port).to.equal(0)
  })

  it('reads an alias as a copy', () => {
    expect(load('{ backoff: { window: &w 2h, max: *w } }').backoff).to.include({
      window: 7_200_000,
      max: 7_200_000,
    })
  })
})

describe('configuration by variables', () => {
  it('lets a variable win over the file, and an option over both', () => {
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
    const environment = Object.fromEntries(
      all.map((path) => [
        `DORMOUSE_${path.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`,
        '1',
      ]),
    )
    expect(settingsOf(environment, CONFIG_SCHEMA).settings.map(({ path }) => path.join('.'))).to.have.members(
      all,
    )
  })

  it('ignores an empty variable', () => {
    expect(load('api: { port: 1 }', { DORMOUSE_API_PORT: '' }).api.port).to.equal(1)
  })

  it('ignores the variables that Kubernetes sets for Services', () => {
    const config = load('', {
      DORMOUSE_SERVICE_HOST: '10.0.0.1',
      DORMOUSE_SERVICE_PORT_HTTPS: '8443',
      DORMOUSE_PORT: 'tcp://10.0.0.1:8443',
      DORMOUSE_PORT_8443_TCP_ADDR: '10.0.0.1',
      DORMOUSE_METRICS_PORT: 'tcp://10.0.0.2:9090',
    })
    expect(config.metrics.port).to.equal(9090)
  })

  it("ignores the client's token, which a reader of the README has exported", () => {
    expect(load('', { DORMOUSE_TOKEN: 'eyJ' }).timezone).to.equal('UTC')
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

  it('suggests no name that has little in common with the one given', () => {
    expect(only('foo: bar').message).to.equal("unknown key 'foo': remove it")
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

  it('refuses keys named like properties that every object has', () => {
    expect(only('__proto__: { timezone: UTC }').pointer).to.equal('/__proto__')
    expect(only('constructor: 1').pointer).to.equal('/constructor')
  })

  for (const [rule, text, pointer] of [
    ['a duration without a unit', 'operationTimeout: 600', '/operationTimeout'],
    ['a duration with an unknown unit', 'operationTimeout: 1w', '/operationTimeout'],
    ['an empty duration', 'operationTimeout: ""', '/operationTimeout'],
    ['a duration out of bounds', 'operationTimeout: 999999999h', '/operationTimeout'],
    ['null where there is no null', 'operationTimeout: null', '/operationTimeout'],
    ['an offset as a time zone', 'timezone: "+01:00"', '/timezone'],
    ['more operations than the history holds', 'backoff: { maxOperations: 20 }', '/backoff/maxOperations'],
    ['a fraction of an operation', 'backoff: { maxOperations: 1.5 }', '/backoff/maxOperations'],
    ['a base above the maximum', 'backoff: { base: 2h }', '/backoff/base'],
    ['a lease renewed too late', 'controller: { lease: { renew: 15s } }', '/controller/lease/renew'],
    ['a lease retried too late', 'controller: { lease: { retry: 10s } }', '/controller/lease/retry'],
    ['a lease of half seconds', 'controller: { lease: { duration: 15500ms } }', '/controller/lease/duration'],
    ['a kind of Kubernetes itself', 'kinds: [{resource: jobs.batch}]', '/kinds/0/resource'],
    [
      'a path outside of the spec',
      'kinds: [{resource: a.b.io, specReplicasPath: .status.x}]',
      '/kinds/0/specReplicasPath',
    ],
    ['a kind whose scale deletes volumes', 'kinds: [{resource: clusters.postgresql.cnpg.io}]', '/kinds'],
    ['a kind twice', 'kinds: [{resource: a.b.io}, {resource: a.b.io, specReplicasPath: .spec.x}]', '/kinds'],
    ['a wildcard among the exempt users', 'exemptUsers: ["system:*"]', '/exemptUsers/0'],
    ['a malformed network', 'api: { trustedProxies: [10.0.0.0/33] }', '/api/trustedProxies/0'],
    ["a sign-out at another host's path", 'console: { signOutUrl: //evil.example }', '/console/signOutUrl'],
    ['a sign-out that is a script', "console: { signOutUrl: 'javascript:alert(1)' }", '/console/signOutUrl'],
    ['a proxy given by name', 'api: { trustedProxies: [proxy.example.com] }', '/api/trustedProxies/0'],
    ['a policy without a name', 'policies: [{ namespaces: { names: ["*"] } }]', '/policies/0/name'],
    ['a policy for no namespaces', 'policies: [{ name: dev, namespaces: {} }]', '/policies'],
    [
      'two policies of one name',
      'policies: [{ name: a, namespaces: { names: [b] } }, { name: a, namespaces: { names: [c] } }]',
      '/policies',
    ],
    [
      'a selector that does not parse',
      'policies: [{ name: dev, namespaces: { selector: "env in dev" } }]',
      '/policies/0/namespaces/selector',
    ],
    [
      'a schedule that does not parse',
      'policies: [{ name: dev, namespaces: { names: [a] }, schedule: 8-18 }]',
      '/policies/0/schedule',
    ],
    [
      'a zone that there is not in a policy',
      'policies: [{ name: dev, namespaces: { names: [a] }, timezone: Berlin }]',
      '/policies/0/timezone',
    ],
    [
      'a mistyped flag in a policy',
      'policies: [{ name: dev, namespaces: { names: [a] }, enabled: ture }]',
      '/policies/0/enabled',
    ],
    [
      'another mistyped flag in a policy',
      'policies: [{ name: dev, namespaces: { names: [a] }, autoWake: no way }]',
      '/policies/0/autoWake',
    ],
    [
      'a calendar in a policy that there is not',
      'policies: [{ name: dev, namespaces: { names: [a] }, calendar: "de, at" }]\ncalendars: { de: {} }',
      '/policies',
    ],
    [
      'a kind that there is not',
      'policies: [{ name: dev, namespaces: { names: [a] }, workloads: { kinds: [pods] } }]',
      '/policies/0/workloads/kinds/0',
    ],
    [
      'a configured kind in a policy that is not configured',
      'policies: [{ name: dev, namespaces: { names: [a] }, workloads: { kinds: [rollouts.argoproj.io] } }]',
      '/policies',
    ],
    ['a malformed namespace', 'excludeNamespaces: [Kube_System]', '/excludeNamespaces/0'],
    ['a namespace twice', 'excludeNamespaces: [a, a]', '/excludeNamespaces'],
    ['a text instead of a list', 'excludeNamespaces: a', '/excludeNamespaces'],
    ['a number instead of a section', 'api: 8443', '/api'],
    ['metrics on the port of the API', 'metrics: { port: 8443 }', '/metrics/port'],
    ['plain HTTP on the port of TLS', 'api: { insecurePort: 8443 }', '/api/insecurePort'],
    [
      'files without a directory',
      'webhook: { certificates: { mode: files } }',
      '/webhook/certificates/directory',
    ],
    [
      'an expression of the webhook without its values',
      'webhook: { namespaceSelector: { matchExpressions: [{ key: env, operator: In }] } }',
      '/webhook/namespaceSelector',
    ],
    [
      'a leaf that lives nearly as long as its CA',
      'webhook: { certificates: { leafLifetime: 3s, caLifetime: 5s } }',
      '/webhook/certificates/leafLifetime',
    ],
    [
      'certificates renewed at their end',
      'webhook: { certificates: { renewAt: 1 } }',
      '/webhook/certificates/renewAt',
    ],
    ['a webhook without TLS', 'webhook: { url: "http://dormouse.example" }', '/webhook/url'],
    ['no way to authenticate', 'auth: { kubernetes: { enabled: false } }', '/auth'],
    [
      'a local issuer without a key',
      'auth: { local: { issuer: a, audience: b } }',
      '/auth/local/publicKeyFile',
    ],
    [
      'two audiences of one issuer, whose tokens could be for either',
      'auth: { oidc: [{ issuer: i, audience: a, jwksUri: "https://i.example" }, { issuer: i, audience: b, jwksUri: "https://i.example" }] }',
      '/auth/oidc',
    ],
    [
      'a local issuer that is a provider too',
      'auth: { oidc: [{ issuer: i, audience: a, jwksUri: "https://i.example" }], local: { issuer: i, audience: b, publicKeyFile: k } }',
      '/auth/oidc',
    ],
    ['a configuration that is a list', '- timezone: UTC', ''],
  ] as const) {
    it(`refuses ${rule}`, () => {
      const fault = only(text)
      expect(fault.pointer).to.equal(pointer)
      expect(fault.message).to.match(/^expected .+, found .+/)
    })
  }

  it('takes a configured kind in a policy', () => {
    const kinds = ['deployments', 'rollouts.argoproj.io']
    const { policies } = load(
      `policies: [{ name: dev, namespaces: { names: [a] }, workloads: { kinds: [${kinds.join()}] } }]\n` +
        'kinds: [{ resource: rollouts.argoproj.io }]',
    )
    expect(policies[0]?.workloads?.kinds).to.deep.equal(kinds)
  })

  it('refuses keys of an issuer over plain HTTP, except on loopback', () => {
    const oidc = (jwksUri: string) => `auth: { oidc: [{ issuer: i, audience: a, jwksUri: "${jwksUri}" }] }`
    expect(only(oidc('http://id.example/keys')).pointer).to.equal('/auth/oidc/0/jwksUri')
    expect(only(oidc('https://me:secret@id.example/keys')).pointer).to.equal('/auth/oidc/0/jwksUri')
    expect(only(oidc('http://127.0.0.1.example/keys')).pointer).to.equal('/auth/oidc/0/jwksUri')
    expect(only(oidc('file:///etc/keys')).pointer).to.equal('/auth/oidc/0/jwksUri')
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
