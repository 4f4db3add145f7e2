import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidConfig, loadConfig } from '../../../src/service/config/config.ts'
import { CONFIG_SCHEMA } from '../../../src/service/config/schema.ts'
import { anyFile } from '../../support/arbitrary-files.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const FILE = `
timezone: Europe/Berlin
excludeNamespaces: [monitoring, &own dormouse]
wakeHold: null
backoff: { window: 1h30m, max: 2h }
api: { bodyLimit: 1MiB, rate: { perSecond: 5 }, trustedProxies: [10.0.0.0/8] }
auth:
  oidc:
    - { issuer: https://id.example, audience: *own, jwksUri: https://id.example/keys }
  local: { issuer: me, audience: dormouse, publicKeyFile: key.pem }
webhook: { certificates: { mode: files, directory: /tls, renewAt: 0.5 } }
controller: { lease: { duration: 15s } }
`

/** The paths of all keys and sections. */
function variablesOf(schema: { readonly properties?: object | undefined }, path = 'DORMOUSE'): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const variable = `${path}_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
    return [variable, ...variablesOf(child as { properties?: object }, variable)]
  })
}

/** Faults with their place and cause; any other error is a crash. */
function expectFaults(load: () => unknown): 'loaded' | 'refused' {
  try {
    load()
    return 'loaded'
  } catch (error) {
    expect(error).to.be.instanceOf(InvalidConfig)
    const { faults, message } = error as InvalidConfig
    expect(faults).not.to.deep.equal([])
    for (const fault of faults) {
      expect(fault.source).to.have.length.above(0)
      expect(fault.message).to.have.length.within(5, 700)
    }
    expect(message).not.to.match(/TypeError|RangeError|undefined|\[object/)
    return 'refused'
  }
}

describe('any configuration', function () {
  this.timeout(600_000)

  it('in a file is loaded, or refused with the place and the reason of its faults', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyFile(FILE), (text) => {
        seen.add(expectFaults(() => loadConfig({ text, file: 'dormouse.yaml', environment: {} })))
      }),
      propertyRuns(300),
    )
    expect([...seen]).to.have.members(['loaded', 'refused'])
    expect(({} as { timezone?: unknown }).timezone, 'the prototype of all objects').to.equal(undefined)
  })

  it('in variables is loaded, or refused with the variable and the reason of its faults', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(...'true|0|-1|null|1h|16KiB|[a, b]|{a: 1}|[|&a [*a]|UTC|1e3'.split('|')),
      fc.json(),
    )
    const variable = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...variablesOf(CONFIG_SCHEMA)) },
      { weight: 1, arbitrary: fc.string({ maxLength: 9 }).map((name) => `DORMOUSE_${name}`) },
    )
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.dictionary(variable, value, { maxKeys: 3 }), (environment) => {
        seen.add(expectFaults(() => loadConfig({ environment })))
      }),
      propertyRuns(300),
    )
    expect([...seen]).to.have.members(['loaded', 'refused'])
  })
})
