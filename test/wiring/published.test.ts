import { expect } from 'chai'
import { rulesOf } from '../../src/client/cluster/rules.ts'
import type { CalendarSnapshot } from '../../src/service/calendars/configured-calendars.ts'
import { calendarOf, type Calendars } from '../../src/domain/schedule/calendar.ts'
import { ScheduleCompiler, type Schedule } from '../../src/domain/schedule/schedule.ts'
import { knownService, type KnownService } from '../../src/client/cluster/known-service.ts'
import { loadConfig } from '../../src/service/config/config.ts'
import { readPublished, writtenSettings, type Published } from '../../src/domain/records/published.ts'
import { settingsForClients } from '../../src/wiring/published.ts'
import { aWorkload } from '../support/fake-cluster.ts'

const FULL = `
timezone: Europe/Berlin
operationTimeout: 5m
newWorkloadGrace: 0s
wakeHold: null
backoff: { maxOperations: 3, window: 2h, base: 1m, max: 30m }
kinds:
  - { resource: rollouts.argoproj.io }
  - { resource: kibanas.kibana.k8s.elastic.co, specReplicasPath: .spec.size.count }
owners:
  - { resource: rabbitmqclusters.rabbitmq.com, pause: { label: rabbitmq.com/pauseReconciliation, asleep: 'true' } }
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
  releases: { dates: { 2026-12-29: '22:00-23:00' }, files: [releases.ics], means: awake }
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

const HOUR = DAY / 24
const READ: CalendarSnapshot = {
  'de-be': { days: [], windows: [] },
  company: {
    days: [
      [CHRISTMAS, 'Eve'],
      [CHRISTMAS + DAY, 'Christmas'],
      [CHRISTMAS + 2 * DAY, 'Christmas'],
      [CHRISTMAS + 7 * DAY, ''],
    ],
    windows: [],
  },
  releases: {
    days: [],
    windows: [
      { start: CHRISTMAS + 22 * HOUR, end: CHRISTMAS + 30 * HOUR, isFloating: true, event: 'Release 12' },
      { start: CHRISTMAS + 60 * HOUR, end: CHRISTMAS + 61 * HOUR, isFloating: false, event: '' },
    ],
  },
  broken: '/etc/dormouse/gone.ics: there is no such file',
}

describe('the settings that are published for clients', () => {
  it('lets a client know how the cluster is called', () => {
    expect(known('cluster: dev-eu').service.cluster).to.equal('dev-eu')
    expect(known('').service.cluster).to.equal(undefined)
  })

  it('lets a client know whose workloads lists show, by the owners that are configured', () => {
    const { pausesOwnerOf } = rulesKnownOf(known(FULL).service)
    const ownedBy = (apiVersion: string) =>
      aWorkload({ kind: 'statefulsets', owner: { apiVersion, kind: 'RabbitmqCluster', name: 'queue' } })
    expect(pausesOwnerOf?.(ownedBy('rabbitmq.com/v1beta1'))).to.equal(true)
    expect(pausesOwnerOf?.(ownedBy('example.com/v1'))).to.equal(false)
  })

  it('lets a client know who released the cluster, until a leader publishes again', () => {
    const { data } = known(FULL)
    const released = { by: 'ana', since: '2026-03-02T05:37:00Z' }
    const service = knownService({ ...data, released: JSON.stringify(released) })
    expect(service.newer).to.equal(undefined)
    expect(rulesKnownOf(service).released?.()).to.deep.equal(released)
    expect(data).not.to.have.property('released')
    expect(rulesKnownOf(known(FULL).service).released).to.equal(undefined)
  })

  it('are read by the client as the service has them', () => {
    const { config, service } = known(FULL, '1.2.3')
    const { timezone, operationTimeout, newWorkloadGrace, wakeHold, backoff, kinds } = config
    const policy = { timezone, operationTimeout, newWorkloadGrace, wakeHold, backoff }
    const console = 'https://dormouse.example.com/console/'
    const zoneData = process.versions['tz']
    expect(service).to.deep.include({ isKnown: true, version: '1.2.3', zoneData, policy, kinds, console })
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
    const theirs: Calendars = {
      names: Object.keys(config.calendars),
      find(name) {
        const { dates, means } = config.calendars[name] ?? {}
        const read = READ[name]
        return typeof read === 'object'
          ? calendarOf(name, dates ?? {}, { ...read, means: means ?? 'asleep' })
          : read
      },
    }
    for (const name of ['de-be', 'company', 'releases', 'company,releases']) {
      const compiled = (of: (text: string, zone: string, calendar: string) => Schedule) =>
        edgesOf(of('7:00-20:00', 'Europe/Berlin', name)).concat(
          [10, 23, 34].map((hour) => String(of('8:00-9:00', 'UTC', name).eventAt(CHRISTMAS + hour * HOUR))),
        )
      const service = new ScheduleCompiler(10, theirs)
      expect(compiled(rules.compile)).to.deep.equal(compiled((...of) => service.compile(...of)))
    }
    expect(() => rules.compile('7:00-20:00', 'UTC', 'broken')).to.throw(
      'calendar broken cannot be used: a file',
    )
    expect(() => rules.compile('7:00-20:00', 'UTC', 'de')).to.throw(
      'write one of de-be, company, releases, broken',
    )
    expect(service.calendars?.['company']).to.deep.equal({
      dates: { '2026-12-25': '10:00-12:00' },
      days: { '2026-12-24': 'Eve', '2026-12-25..2026-12-26': 'Christmas', '2026-12-31': '' },
    })
  })

  it('have no prices where a key is not known here: it would change the amounts', () => {
    const prices = { currency: 'EUR', cpu: 0.031, memory: 0.004 }
    expect(knownService({ prices: JSON.stringify(prices) }).prices).to.deep.equal(prices)
    const pools = JSON.stringify({ ...prices, pools: { spot: { cpu: 0.01 } } })
    expect(knownService({ prices: pools }).prices).to.equal(undefined)
  })

  it('leave out what is too large for a ConfigMap, and say so', () => {
    const days = Array.from({ length: 600 }, (_, day) => [CHRISTMAS + 2 * day * DAY, ''] as const)
    const names = Array.from({ length: 50 }, (_, number) => `calendar-${number}`)
    const text = `calendars: { ${names.map((name) => `${name}: { files: [${name}.ics] }`).join(', ')} }`
    const { service, data } = known(
      text,
      '1',
      Object.fromEntries(names.map((name) => [name, { days, windows: [] }])),
    )
    expect(service.unpublished).to.deep.equal({ calendars: 'more than 256 KiB of them' })
    expect(service.calendars).to.equal(undefined)
    expect(JSON.stringify(data).length).to.be.lessThan(10_000)
  })

  it('are in the schema that clients read them by: a service that writes more does not publish', () => {
    const { config, data } = known(FULL, '1.2.3')
    const { unread } = readPublished(data)
    expect([...unread]).to.deep.equal([])
    // The configuration fills in each key of a policy, with null where it says nothing.
    const [policy] = config.policies
    const { settings } = readPublished(data)
    expect(() => writtenSettings(settings)).to.not.throw()
    const more = { ...settings, policies: [{ ...policy, weekendsOff: true }] } as unknown as Published
    expect(() => writtenSettings(more)).to.throw(TypeError, 'policies')
    const another = { ...settings, terms: [] } as unknown as Published
    expect(() => writtenSettings(another)).to.throw(TypeError, 'terms')
  })

  it('are said to be newer than the client, not guessed at, where one cannot be read', () => {
    const { data } = known(`${FULL}${CALENDARS}${PRICED}`, '9.9.9', READ)
    const newer = 'the service is newer (9.9.9): update this program'
    for (const [key, value] of [
      ['format', '2'],
      ['format', 'two'],
      ['terms', '[]'],
      ['rules', '{'],
      ['rules', '{"operationTimeout":1000}'],
      ['rules', data['rules']?.replace('{', '{"nights":1,')],
      ['kinds', '["deployments.apps"]'],
      ['kinds', '["rollouts.argoproj.io=.spec.replicas"]'],
      ['kinds', '[{"resource":"rollouts.argoproj.io","sleepsBy":"night"}]'],
      ['excludeNamespaces', '{"names":[]}'],
      ['timezone', 'Europe/Bremen'],
      ['policies', '{"dev":{}}'],
      ['policies', '[{"name":"dev"}]'],
      ['policies', '[{"name":"dev","namespaces":{"names":"dev-*"}}]'],
      // A policy that narrows by an unknown field.
      ['policies', '[{"name":"dev","namespaces":{"names":["*"],"owners":["me"]},"enabled":true}]'],
      ['policies', '[{"name":"dev","namespaces":{"names":["*"]},"workloads":{"names":["web"]}}]'],
      ['policies', '[{"name":"dev","namespaces":{"names":["*"]},"weekendsOff":true}]'],
      ['policies', '[{"name":"dev","namespaces":{"selector":"a ~ b"}}]'],
      ['policies', '[{"name":"dev","namespaces":{"names":["*"]},"schedule":"every 2nd week"}]'],
      ['policies', '[{"name":"dev","namespaces":{"names":["*"]},"timezone":"Mars/Olympus"}]'],
      ['calendars', '{"de":{"dates":{"2026-12-24":""},"halves":["2026-12-25"]}}'],
      ['calendars', '{"de":{"dates":{"Christmas":""}}}'],
      ['unpublished', '{"terms":"publish: false"}'],
    ] as const) {
      const service = knownService({ ...data, [key]: value ?? '' })
      expect(rulesKnownOf(service).newer, `${key}: ${value}`).to.equal(newer)
      expect(service.isKnown && service.version).to.equal('9.9.9')
    }
    for (const whole of [data, { version: '9.9.9' }, { ...data, format: '1' }])
      expect(rulesKnownOf(knownService(whole)).newer).to.equal(undefined)
    const { format: _, ...unnumbered } = data
    expect(data['format']).to.equal('1')
    expect(knownService(unnumbered), 'of the first format').to.deep.equal(knownService(data))
  })

  it('are the defaults of the client where the configuration says nothing, and no console without a URL', () => {
    const { service } = known('')
    expect(service.policy).to.deep.equal(knownService('missing').policy)
    expect([service.version, service.kinds, service.console]).to.deep.equal([undefined, [], undefined])
    expect(known(FULL.replace('console: {', 'console: { enabled: false,')).service.console).to.equal(
      undefined,
    )
  })
})
