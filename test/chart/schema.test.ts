import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { READERS } from '../../src/service/config/checks.ts'
import { minorOf, versionsOf } from '../control-plane/programs.ts'
import { CHART, helmIn, type Values } from './helm.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeWith } from '../suite/need.ts'

/** Faulty values, and Helm's message. */
const FAULTS: Readonly<Record<string, readonly [Values, RegExp]>> = {
  'a value that does not exist': [{ replicaCount: 3 }, /additional properties 'replicaCount' not allowed/],
  'a key of the configuration that does not exist': [
    { config: { timezon: 'Europe/Berlin' } },
    /at '\/config': additional properties 'timezon' not allowed/,
  ],
  'a key deep in the configuration': [
    { config: { webhook: { certificates: { moda: 'files' } } } },
    /at '\/config\/webhook\/certificates': additional properties 'moda' not allowed/,
  ],
  'a duration without its unit': [
    { config: { wakeHold: '12' } },
    /'\/config\/wakeHold': '12' does not match pattern/,
  ],
  'a number where a duration is due': [{ config: { newWorkloadGrace: 15 } }, /got number, want string/],
  'a city without its continent': [
    { config: { timezone: 'Berlin' } },
    /'\/config\/timezone': 'Berlin' does not match pattern/,
  ],
  'an offset in place of a zone': [
    { config: { timezone: '+01:00' } },
    /'\/config\/timezone': '\+01:00' does not match pattern/,
  ],
  'a webhook without TLS': [
    { config: { webhook: { url: 'http://sleep.example.com:8443' } } },
    /'\/config\/webhook\/url': 'http:\S+' does not match pattern/,
  ],
  "an issuer's keys over plain HTTP": [
    {
      config: {
        auth: { oidc: [{ issuer: 'https://a.example', audience: 'd', jwksUri: 'http://a.example/keys' }] },
      },
    },
    /'\/config\/auth\/oidc\/0\/jwksUri': 'http:\S+' does not match pattern/,
  ],
  'a mode that there is not': [
    { config: { webhook: { certificates: { mode: 'acme' } } } },
    /value must be one of 'self-signed', 'cert-manager', 'files'/,
  ],
  'a port that a pod cannot have by chance': [{ config: { metrics: { port: 0 } } }, /minimum: got 0, want 1/],
  'a section of the configuration that is null': [
    { config: { api: null } },
    /at '\/config\/api': got null, want object/,
  ],
  'an issuer without its keys': [
    { config: { auth: { oidc: [{ issuer: 'https://idp.example.com', audience: 'dormouse' }] } } },
    /missing property 'jwksUri'/,
  ],
  'a typo among the metrics': [
    { metrics: { serviceMonitors: { enabled: true } } },
    /'serviceMonitors' not allowed/,
  ],
  'text where a switch is due': [{ admissionPolicy: { enabled: 'false' } }, /got string, want boolean/],
  'a short digest': [
    { image: { digest: 'sha256:0123' } },
    /'\/image\/digest': 'sha256:0123' does not match pattern/,
  ],
  'a share that is none': [{ podDisruptionBudget: { maxUnavailable: 'one' } }, /does not match pattern/],
  'an Ingress without a host': [
    { ingress: { enabled: true } },
    /'\/ingress\/hosts': minItems: got 0, want 1/,
  ],
  'so little time to stop that reviews are lost': [
    { terminationGracePeriodSeconds: 5 },
    /terminationGracePeriodSeconds': minimum: got 5, want 20/,
  ],
  'no Secret for certificates from files': [
    { config: { webhook: { certificates: { mode: 'files' } } } },
    /certificateFiles\.secretName: name the Secret/,
  ],
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

  for (const [fault, [values, said]] of Object.entries(FAULTS)) {
    it(`are refused, and it is said why: ${fault}`, async () => {
      const { code, stderr } = await attempt(
        ['template', 'dormouse', CHART, '--kube-version', '1.35'],
        values,
      )
      expect(code).to.equal(1)
      expect(stderr).to.match(said)
    })
  }

  it('whose rules JSON Schema cannot express are accepted wherever the program accepts them', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as Schema
    const { timezone, webhook, auth } = schema.properties.config?.properties ?? {}
    const url = webhook?.properties?.url
    const jwksUri = auth?.properties?.oidc?.items?.properties?.jwksUri
    for (const [check, rule, values] of [
      ['timezone', timezone, [...Intl.supportedValuesOf('timeZone'), ...LINKS.split(' ')]],
      ['webhookUrl', url, ['https://192.0.2.7:8443//', 'https://[2001:db8::7]', 'https://a.example/in/here']],
      [
        'jwksUri',
        jwksUri,
        ['https://a.example/keys?v=2', 'http://127.0.0.1:5556/keys', 'http://[::1]/', 'http://localhost:80'],
      ],
    ] as const) {
      expect(rule?.pattern, check).to.be.a('string')
      for (const value of values) {
        expect(READERS[check]?.(value), `the program: ${value}`).to.equal(undefined)
        expect(value, 'the chart').to.match(new RegExp(rule?.pattern ?? ''))
      }
    }
  })

  it('may be null where Kubernetes has a default; a section that is null is named', async () => {
    const defaults = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<string, unknown>
    const missing: string[] = []
    for (const name of Object.keys(defaults)) {
      const { code, stderr } = await attempt(['template', 'dormouse', CHART, '--kube-version', '1.35'], {
        [name]: null,
      })
      if (code === 0) continue
      expect(stderr).to.match(new RegExp(`at '': missing property '${name}'`))
      missing.push(name)
    }
    expect(missing).to.include.members(['image', 'config', 'service', 'metrics', 'networkPolicy', 'release'])
    expect(missing).to.not.include.members(['resources', 'securityContext', 'podSecurityContext'])
    // Helm runs once for each value.
  }).timeout(120_000)

  it('are refused on a Kubernetes that is too old', async () => {
    const oldest = minorOf(versionsOf('oldest').kubernetes)
    const older = `1.${Number(oldest.split('.')[1]) - 1}`
    const { code, stderr } = await attempt(['template', 'dormouse', CHART, '--kube-version', older])
    expect(code).to.equal(1)
    expect(stderr).to.include(`requires kubeVersion: >=${oldest}`)
  })

  it('may come from a chart that has this one as a dependency', async () => {
    const { code, stderr } = await attempt(['lint', '--strict', CHART], { global: { region: 'eu' } })
    expect(code, stderr).to.equal(0)
  })
})
