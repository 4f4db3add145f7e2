import { expect } from 'chai'
import { rulesOf } from '../../../src/client/cluster/rules.ts'
import { calendarsIn, type CalendarSnapshot } from '../../../src/service/calendars/configured-calendars.ts'
import { ScheduleCompiler, type Schedule } from '../../../src/domain/schedule/schedule.ts'
import { knownService, type KnownService } from '../../../src/client/cluster/known-service.ts'
import { loadConfig } from '../../../src/service/config/config.ts'
import { settingsForClients } from '../../../src/service/wiring/published.ts'

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

/** The client's view of a service with this configuration. */
function known(text: string, version?: string, calendars: CalendarSnapshot = {}) {
  const config = loadConfig({ text, environment: {} })
  const data = settingsForClients(config, calendars, ['kube-system', 'dormouse'], version)
  const entries = Object.entries(data).filter((entry): entry is [string, string] => entry[1] !== null)
  const present = Object.fromEntries(entries)
  return { config, data: present, service: knownService(present) }
}

const DAY = 24 * 60 * 60_000
const CHRISTMAS = Date.UTC(2026, 11, 24)
const CALENDARS = `
calendars:
  de-be: { dates: { 2026-12-24..2027-01-01: '', 2026-10-10: '9:00-14:00' } }
  company: { dates: { 2026-12-25: '10:00-12:00' }, files: [company.ics] }
  broken: { files: [gone.ics] }
`
const PRICED = `
savings: { prices: { currency: EUR, cpu: 0.031, memory: 0.004 } }
metrics: { teamLabel: team }
`
function rulesKnownOf(service: KnownService, unknowns = { calendars: new Set<string>(), policies: false }) {
  const nothing = () => undefined
  return rulesOf(service, { namespaceOf: nothing, isUnreadable: () => false, unknowns, podOwnerOf: nothing })
}

/** The edges at Christmas and after, as a text. */
function edgesOf(schedule: Schedule): string[] {
  const edges: string[] = []
  for (let at = CHRISTMAS - 2 * DAY; at < CHRISTMAS + 12 * DAY;) {
    const edge = schedule.nextEdge(at)
    if (!edge) break
    edges.push(`${edge.to} ${new Date(edge.at).toISOString()}`)
    at = edge.at
  }
  return edges
}

const READ: CalendarSnapshot = {
  'de-be': [],
  company: [CHRISTMAS, CHRISTMAS + DAY, CHRISTMAS + 2 * DAY, CHRISTMAS + 7 * DAY],
  broken: '/etc/dormouse/gone.ics: there is no such file',
}

describe('the settings that are published for clients', () => {
  it('are read by the client as the service has them', () => {
    const { config, service } = known(FULL, '1.2.3')
    const { timezone, operationTimeout, newWorkloadGrace, wakeHold, backoff, kinds } = config
    const policy = { timezone, operationTimeout, newWorkloadGrace, wakeHold, backoff }
    const console = 'https://dormouse.example.com/console/'
    expect(service).to.deep.include({ isKnown: true, version: '1.2.3', policy, kinds, console })
    expect([...service.excludeNamespaces]).to.include.members(['kube-system', 'dormouse'])
    expect(knownService({}).isKnown, 'before the ConfigMap is filled').to.equal(false)
  })

  it('are not published where that is switched off: then they say what there is', () => {
    const { config, service } = known(`${FULL}${CALENDARS}${PRICED}`, '1', READ)
    expect(service.policies).to.deep.equal(config.policies)
    expect([service.prices, service.teamLabel]).to.deep.equal([config.savings.prices, 'team'])
    expect(service.unpublished).to.deep.equal({})
    const { service: silent, data } = known(`${FULL}${CALENDARS}${PRICED}\npublish: false`, '1', READ)
    expect([silent.isKnown, silent.policies, silent.calendars, silent.prices]).to.deep.equal([
      true,
      undefined,
      undefined,
      undefined,
    ])
    const why = 'publish: false'
    expect(silent.unpublished).to.deep.equal({ policies: why, calendars: why, prices: why })
    expect(JSON.stringify(data)).not.to.include('7:00-20:00')
    const none = known('publish: false').service
    expect([none.policies, none.calendars, none.prices, none.teamLabel, none.unpublished]).to.deep.equal([
      [],
      {},
      undefined,
      undefined,
      {},
    ])
  })

  it('have the dates of calendars, those of their files too, as the service goes by them', () => {
    const { config, service } = known(CALENDARS, '1', READ)
    const rules = rulesKnownOf(service)
    const theirs = calendarsIn(config.calendars, READ)
    for (const name of ['de-be', 'company']) {
      const compiled = (of: (text: string, zone: string, calendar: string) => Schedule) =>
        edgesOf(of('7:00-20:00', 'Europe/Berlin', name))
      const service = new ScheduleCompiler(10, theirs)
      expect(compiled(rules.compile)).to.deep.equal(compiled((...of) => service.compile(...of)))
    }
    expect(() => rules.compile('7:00-20:00', 'UTC', 'broken')).to.throw(
      'calendar broken cannot be used: a file',
    )
    expect(() => rules.compile('7:00-20:00', 'UTC', 'de')).to.throw('write one of de-be, company, broken')
    expect(service.calendars?.['company']).to.deep.equal({
      '2026-12-24..2026-12-26': '',
      '2026-12-31': '',
      '2026-12-25': '10:00-12:00',
    })
  })

  it('have no prices where a key is not known here: it would change the amounts', () => {
    const prices = { currency: 'EUR', cpu: 0.031, memory: 0.004 }
    expect(knownService({ prices: JSON.stringify(prices) }).prices).to.deep.equal(prices)
    const pools = JSON.stringify({ ...prices, pools: { spot: { cpu: 0.01 } } })
    expect(knownService({ prices: pools }).prices).to.equal(undefined)
  })

  it('leave out what is too large for a ConfigMap, and say so', () => {
    const days = Array.from({ length: 600 }, (_, day) => CHRISTMAS + 2 * day * DAY)
    const names = Array.from({ length: 50 }, (_, number) => `calendar-${number}`)
    const text = `calendars: { ${names.map((name) => `${name}: { files: [${name}.ics] }`).join(', ')} }`
    const { service, data } = known(text, '1', Object.fromEntries(names.map((name) => [name, days])))
    expect(service.unpublished).to.deep.equal({ calendars: 'more than 256 KiB of them' })
    expect(service.calendars).to.equal(undefined)
    expect(JSON.stringify(data).length).to.be.lessThan(10_000)
  })

  it('are understood in part where another version wrote them', () => {
    const odd = knownService({
      version: '9.0.0',
      novelty: '{',
      rules: '{"wakeHold":"12h","operationTimeout":1000,"backoff":{"base":5,"max":null,"new":1},"new":[]}',
      policies: '[{"name":"dev","namespaces":{"names":["dev-*"]},"enabled":true,"nice":"yes"}]',
      calendars: '{"de":{"2026-12-24":"","2026-12-25":{"half":true}}}',
    })
    const defaults = knownService(undefined).policy
    expect(odd.policy).to.deep.equal({
      ...defaults,
      operationTimeout: 1000,
      backoff: { ...defaults.backoff, base: 5 },
    })
    expect(odd.policies).to.have.length(1)
    expect(odd.calendars).to.equal(undefined)
    const unknowns = { calendars: new Set<string>(), policies: false }
    const vague = knownService({ calendars: '{"de":{"Christmas":""}}' })
    const { compile } = rulesKnownOf(vague, unknowns)
    expect(compile('7:00-20:00', 'UTC', 'de').nextEdge(CHRISTMAS)).not.to.equal(undefined)
    expect([...unknowns.calendars]).to.deep.equal(['de'])
    for (const policies of [
      '{"dev":{}}',
      '[{"name":"dev"}]',
      '[{"name":"dev","namespaces":{"names":"dev-*"}}]',
      // A policy that narrows by an unknown field.
      '[{"name":"dev","namespaces":{"names":["*"],"owners":["me"]},"enabled":true}]',
      '[{"name":"dev","namespaces":{"names":["*"]},"workloads":{"names":["web"]},"enabled":true}]',
    ])
      expect(knownService({ policies }).policies, policies).to.equal(undefined)
  })

  it('are the defaults of the client where the configuration says nothing, and no console without a URL', () => {
    const { service } = known('')
    expect(service.policy).to.deep.equal(knownService(undefined).policy)
    expect([service.version, service.kinds, service.console]).to.deep.equal([undefined, [], undefined])
    expect(known(FULL.replace('console: {', 'console: { enabled: false,')).service.console).to.equal(
      undefined,
    )
  })
})
