import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { READERS } from '../../src/service/config/checks.ts'
import { minorOf, versionsOf } from '../control-plane/programs.ts'
import { CHART, helmIn, type Values } from './helm.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeWith } from '../suite/need.ts'

/** Values with a fault in each place, of which Helm tells all at once. */
const FAULTY: Values = {
  replicaCount: 3,
  admissionPolicy: { enabled: 'false' },
  image: { digest: 'sha256:0123' },
  ingress: { enabled: true },
  metrics: { serviceMonitors: { enabled: true } },
  podDisruptionBudget: { maxUnavailable: 'one' },
  terminationGracePeriodSeconds: 5,
  config: {
    timezon: 'Europe/Berlin',
    timezone: 'Berlin',
    wakeHold: '12',
    newWorkloadGrace: 15,
    api: null,
    metrics: { port: 0 },
    webhook: { certificates: { mode: 'acme', moda: 'files' } },
    policies: [{ name: 'dev', namespaces: { names: ['a'] }, schedule: '8-18' }],
    auth: { oidc: [{ issuer: 'https://idp.example.com', audience: 'dormouse' }] },
  },
}

const FAULTS: Readonly<Record<string, string>> = {
  'a value that does not exist': "at '': additional properties 'replicaCount' not allowed",
  'a typo among the metrics': "'serviceMonitors' not allowed",
  'text where a switch is due': "at '/admissionPolicy/enabled': got string, want boolean",
  'a short digest': "at '/image/digest': 'sha256:0123' does not match pattern",
  'an Ingress without a host': "at '/ingress/hosts': minItems: got 0, want 1",
  'a share that is none': "'one' does not match pattern",
  'so little time to stop that reviews are lost': "terminationGracePeriodSeconds': minimum: got 5, want 20",
  'a key of the configuration that does not exist':
    "at '/config': additional properties 'timezon' not allowed",
  'a city without its continent': "at '/config/timezone': 'Berlin' does not match pattern",
  'hours without minutes': "at '/config/policies/0/schedule': '8-18' does not match pattern",
  'a duration without its unit': "at '/config/wakeHold': '12' does not match pattern",
  'a number where a duration is due': "at '/config/newWorkloadGrace': got number, want string",
  'a section of the configuration that is null': "at '/config/api': got null, want object",
  'a port that a pod cannot have by chance': "at '/config/metrics/port': minimum: got 0, want 1",
  'a key deep in the configuration': "additional properties 'moda' not allowed",
  'a mode that there is not': "value must be one of 'self-signed', 'cert-manager', 'files'",
  'an issuer without its keys': "missing property 'jwksUri'",
}

/** Names of the time zone database beside the canonical ones. */
const LINKS =
  'UTC GMT GMT+0 CET EST5EDT PST8PDT W-SU NZ-CHAT GB-Eire Zulu Universal Cuba Egypt Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya Navajo Poland Portugal ' +
  'Singapore Turkey Eire Greenwich PRC ROC UCT Etc/GMT+5 Etc/UTC US/Eastern Brazil/East Canada/Atlantic Chile/EasterIsland Mexico/BajaNorte Europe/Kiev America/Argentina/Buenos_Aires America/Port-au-Prince'

interface Schema {
  readonly pattern?: string
  readonly items?: Schema
  readonly properties: Readonly<Record<string, Schema>>
}

describeWith(helm, "the chart's values", function (program) {
  this.timeout(180_000)
  const { attempt } = helmIn(program)

  const rendered = (values: Values) =>
    attempt(['template', 'dormouse', CHART, '--kube-version', '1.35'], values)

  it('are refused, and it is said why of each fault', async () => {
    const { code, stderr } = await rendered(FAULTY)
    expect(code).to.equal(1)
    for (const [fault, said] of Object.entries(FAULTS)) expect(stderr, fault).to.include(said)
  })

  it('are refused where certificates come from files, and no Secret with them is named', async () => {
    const { code, stderr } = await rendered({ config: { webhook: { certificates: { mode: 'files' } } } })
    expect(code).to.equal(1)
    expect(stderr).to.include('certificateFiles.secretName: name the Secret')
  })

  it('whose rules JSON Schema cannot express are accepted wherever the program accepts them', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as Schema
    const { timezone, webhook, auth } = schema.properties.config?.properties ?? {}
    const url = webhook?.properties?.url
    const jwksUri = auth?.properties?.oidc?.items?.properties?.jwksUri
    for (const [check, rule, values, refused] of [
      ['timezone', timezone, [...Intl.supportedValuesOf('timeZone'), ...LINKS.split(' ')], '+01:00'],
      [
        'webhookUrl',
        url,
        ['https://192.0.2.7:8443//', 'https://[2001:db8::7]', 'https://a.example/in/here'],
        'http://sleep.example.com:8443',
      ],
      [
        'jwksUri',
        jwksUri,
        ['https://a.example/keys?v=2', 'http://127.0.0.1:5556/keys', 'http://[::1]/', 'http://localhost:80'],
        'http://a.example/keys',
      ],
    ] as const) {
      expect(rule?.pattern, check).to.be.a('string')
      const pattern = new RegExp(rule?.pattern ?? '')
      for (const value of values) {
        expect(READERS[check]?.(value), `the program: ${value}`).to.equal(undefined)
        expect(value, 'the chart').to.match(pattern)
      }
      expect(refused, 'the chart').to.not.match(pattern)
    }
  })

  it('may be null where Kubernetes has a default; each section that is null is named', async () => {
    const defaults = Object.keys(parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object)
    const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))
    const { stderr } = await rendered(nulls(defaults))
    const [, named = ''] = /at '': missing propert(?:y|ies) (.*)/.exec(stderr) ?? []
    const missing = Array.from(named.matchAll(/'(\w+)'/g), ([, name = '']) => name)
    expect(missing).to.include.members(['image', 'config', 'service', 'metrics', 'networkPolicy', 'release'])
    const others = defaults.filter((name) => !missing.includes(name))
    expect(others).to.include.members(['resources', 'securityContext', 'podSecurityContext'])
    const without = await rendered(nulls(others))
    expect(without.code, without.stderr).to.equal(0)
  })

  it('are refused on a Kubernetes that is too old', async () => {
    const oldest = minorOf(versionsOf('oldest').kubernetes)
    const older = `1.${Number(oldest.split('.')[1]) - 1}`
    const { code, stderr } = await attempt(['template', 'dormouse', CHART, '--kube-version', older])
    expect(code).to.equal(1)
    expect(stderr).to.include(`requires kubeVersion: >=${oldest}`)
  })

  it('pass `helm lint --strict`, also of a chart that has this one as a dependency', async () => {
    const { code, stderr } = await attempt(['lint', '--strict', CHART], { global: { region: 'eu' } })
    expect(code, stderr).to.equal(0)
  })
})
