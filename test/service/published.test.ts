import { expect } from 'chai'
import { knownService } from '../../src/client/cluster/known-service.ts'
import { loadConfig } from '../../src/config.ts'
import { settingsForClients } from '../../src/service/published.ts'

const FULL = `
timezone: Europe/Berlin
operationTimeout: 5m
newWorkloadGrace: 0s
wakeHold: null
backoff: { maxOperations: 3, window: 2h, base: 1m, max: 30m }
kinds:
  - { resource: rollouts.argoproj.io }
  - { resource: kibanas.kibana.k8s.elastic.co, specReplicasPath: .spec.size.count }
policies:
  - { name: dev, namespaces: { names: ['dev-*'] }, enabled: true, schedule: '7:00-20:00,Mon-Fri' }
console: { url: https://dormouse.example.com/console/ }
`

/** What the client knows of a service with this configuration. */
function known(text: string, version?: string) {
  const config = loadConfig({ text, environment: {} })
  const data = settingsForClients(config, ['kube-system', 'dormouse'], version)
  const present = Object.entries(data).filter((entry): entry is [string, string] => entry[1] !== null)
  return { config, service: knownService(Object.fromEntries(present)) }
}

describe('the settings that are published for clients', () => {
  it('are read by the client as the service has them', () => {
    const { config, service } = known(FULL, '1.2.3')
    const { timezone, operationTimeout, newWorkloadGrace, wakeHold, backoff, kinds } = config
    expect(service.isKnown).to.equal(true)
    expect(service.version).to.equal('1.2.3')
    expect(service.policy).to.deep.equal({
      timezone,
      operationTimeout,
      newWorkloadGrace,
      wakeHold,
      backoff,
    })
    expect(service.kinds).to.deep.equal(kinds)
    expect([...service.excludeNamespaces]).to.include.members(['kube-system', 'dormouse'])
    expect(service.console).to.equal('https://dormouse.example.com/console/')
  })

  it('have the policies only where they are to be published', () => {
    expect(known(FULL).service.policies).to.equal(undefined)
    const { config, service } = known(`${FULL}\npublishPolicies: true`)
    expect(service.policies).to.deep.equal(config.policies)
  })

  it('are the defaults of the client where the configuration says nothing, and no console without a URL', () => {
    const { service } = known('')
    expect(service.policy).to.deep.equal(knownService(undefined).policy)
    expect([service.version, service.kinds, service.console]).to.deep.equal([undefined, [], undefined])
    expect(known(FULL.replace('console: {', 'console: { enabled: false,')).service.console).to.equal(
      undefined,
    )
  })

  it('are not known before the service has filled the ConfigMap', () => {
    expect(knownService({}).isKnown).to.equal(false)
  })
})
