import { expect } from 'chai'
import { forecast } from '../../../src/domain/records/forecast.ts'
import { compilePolicy } from '../../../src/domain/policy/configured.ts'
import { Inheritance, type Namespace } from '../../../src/domain/policy/inheritance.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { at, rulesWith } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'

const HOURS = '8:00-18:00,Mon-Fri'
const NIGHT = at('Mon 22:00')
const NOON = at('Tue 12:00')

const namespace = (name: string, annotations: Namespace['annotations'] = {}): Namespace => ({
  name,
  uid: name,
  resourceVersion: '1',
  labels: {},
  annotations,
  deleting: false,
})

describe('the forecast of a configuration', () => {
  const namespaces = [
    namespace('shop', { enabled: 'true', schedule: HOURS }),
    namespace('team-a'),
    namespace('broken', { enabled: 'true', schedule: '8-18' }),
    namespace('empty', { timezone: 'Mars/Base' }),
    namespace('plain'),
    namespace('kube-system', { schedule: '8-18' }),
  ]
  const rules: Rules = {
    ...rulesWith({ newWorkloadGrace: 0 }),
    inherited(workload) {
      const found = namespaces.find(({ name }) => name === workload.namespace)
      return found && INHERITANCE.of(found).by(workload)
    },
  }
  const seen = (...workloads: AWorkload[]) => ({
    workloads,
    namespaces,
    excluded: new Set(['kube-system']),
    needed: [],
    policies: ['dev'],
  })
  const of = (now: number, ...workloads: AWorkload[]) =>
    forecast(
      { workloads, namespaces, excluded: new Set(['kube-system']), needed: [], policies: ['dev'] },
      now,
      rules,
    )

  it('names what sleeps in excluded namespaces, where nothing wakes it', () => {
    const { stranded, counts } = of(
      NIGHT,
      aDeployment('kube-system/asleep').withReplicas(2).enabled().snoozed({ at: NIGHT }),
      aDaemonSet('kube-system/agent').withReplicas(2).enabled().snoozed({ at: NIGHT }),
      aDeployment('kube-system/deleted')
        .withReplicas(2)
        .enabled()
        .snoozed({ at: NIGHT })
        .with({ deleting: true }),
      aDeployment('kube-system/awake').withReplicas(2).enabled(),
      aDeployment('shop/web').withReplicas(2).enabled().snoozed({ at: NIGHT }),
    )
    expect(stranded.map(({ name }) => name)).to.deep.equal(['asleep', 'agent'])
    expect(counts.excluded).to.equal(4)
  })

  it('counts what is managed, what is not, and what is out of reach', () => {
    const { counts, workloads } = of(
      NIGHT,
      aDeployment('shop/web').withReplicas(2),
      aDeployment('team-a/api').withReplicas(2),
      aDeployment('plain/web').withReplicas(2),
      aDeployment('kube-system/dns').enabled().scheduled(HOURS),
    )
    expect(counts).to.deep.equal({
      workloads: 4,
      excluded: 1,
      managed: 2,
      asleep: 2,
      snoozes: 2,
      wakes: 0,
    })
    expect(workloads.map(({ name, change }) => [name, change])).to.deep.equal([
      ['web', 'snooze'],
      ['api', 'snooze'],
    ])
  })

  it('tells for each why, and where its settings stand', () => {
    const { workloads } = of(NIGHT, aDeployment('shop/web'), aDeployment('team-a/api'))
    expect(workloads[0]).to.deep.include({ before: 'awake', after: 'asleep', rule: 'schedule' })
    expect(workloads[0]?.reason).to.match(/^asleep by schedule .* of namespace shop until /)
    expect(workloads[1]?.policy.schedule.source).to.equal('policy/dev')
  })

  it('leaves what already is as it should be', () => {
    const { counts, workloads } = of(NOON, aDeployment('shop/web').withReplicas(2))
    expect(counts).to.include({ managed: 1, asleep: 0, snoozes: 0, wakes: 0 })
    expect(workloads[0]).to.include({ before: 'awake', after: 'awake', change: null })
  })

  it('is that at a later time, if nobody acts until then', () => {
    const asked = aDeployment('shop/asked')
      .withReplicas(2)
      .snoozed({ at: at('Tue 10:00'), trigger: 'api' })
    const pinned = aDeployment('shop/held').withReplicas(2).pinned()
    const all = [aDeployment('shop/web').withReplicas(2), asked, pinned, aDeployment('plain/web')]
    const changes = (time: number) => {
      const { workloads, counts } = forecast(seen(...all), NOON, rules, { at: time })
      return [counts.asleep, ...workloads.map(({ name, after, change }) => `${name} ${after} ${change}`)]
    }
    expect(changes(NOON)).to.deep.equal([1, 'web awake null', 'asked asleep null', 'held awake null'])
    expect(changes(at('Tue 17:59'))[1]).to.equal('web awake null')
    const night = [2, 'web asleep snooze', 'asked asleep null', 'held awake null']
    expect(changes(at('Tue 18:00'))).to.deep.equal(night)
    expect(changes(at('Tue 21:00'))).to.deep.equal(night)
    expect(changes(at('Wed 9:00'))).to.deep.equal([
      0,
      'web awake null',
      'asked awake wake',
      'held awake null',
    ])
  })

  it('says of a later time why, as of then', () => {
    const { workloads } = forecast(seen(aDeployment('shop/web')), NOON, rules, { at: at('Tue 21:00') })
    expect(workloads[0]).to.deep.include({ before: 'awake', rule: 'schedule' })
    expect(workloads[0]?.reason).to.match(/^asleep by schedule .* until 2026-03-04T08:00:00Z/)
  })

  it('has the week from then on: how long each namespace sleeps, and what that saves', () => {
    const requests = { cpu: 0.5, memory: 2 ** 30 }
    const pod = (path: string) => aDeployment(path).with({ requests })
    const all = [
      pod('shop/web').withReplicas(2),
      pod('shop/held').withReplicas(2).pinned(),
      pod('team-a/api'),
    ]
    const prices = { currency: 'EUR', cpu: 0.1, memory: 0 }
    const { week } = forecast(seen(...all, pod('plain/web')), NOON, rules, { prices })
    // Awake 5 times 10 hours of 168; one of two sleeps.
    expect(week.namespaces).to.deep.equal([
      {
        namespace: 'shop',
        workloads: 2,
        hoursAsleep: 59,
        saved: {
          replica_seconds: 2 * 118 * 3600,
          cpu_core_seconds: 118 * 3600,
          memory_byte_seconds: 2 * 118 * 3600 * 2 ** 30,
          money: { amount: 11.8, currency: 'EUR' },
        },
      },
      {
        namespace: 'team-a',
        workloads: 1,
        hoursAsleep: 118,
        saved: {
          replica_seconds: 118 * 3600,
          cpu_core_seconds: 59 * 3600,
          memory_byte_seconds: 118 * 3600 * 2 ** 30,
          money: { amount: 5.9, currency: 'EUR' },
        },
      },
    ])
    expect(week.total).to.deep.include({ workloads: 3, hoursAsleep: 78.7 })
    expect(week.total.saved.money).to.deep.equal({ amount: 17.7, currency: 'EUR' })
    expect(forecast(seen(...all), NOON, rules).week.total.saved.money).to.equal(null)
  })

  it('wakes sleepers that the configuration no longer manages, and lists them', () => {
    const sleeper = aDeployment('plain/web')
      .withReplicas(3)
      .snoozed({ at: at('Mon 18:00') })
    const { counts, workloads } = of(NIGHT, sleeper)
    expect(counts).to.include({ managed: 0, wakes: 1 })
    expect(workloads[0]).to.include({ before: 'asleep', after: 'awake', change: 'wake', managed: false })
  })

  it('names each invalid setting once, with its place and how many it concerns', () => {
    const { invalid } = of(
      NIGHT,
      aDeployment('broken/web'),
      aDeployment('broken/api'),
      aDeployment('plain/web').annotated({ enabled: 'yes' }),
      aDeployment('plain/lost').labelled({ 'dormouse.dev/asleep': '2' }).withReplicas(0),
    )
    expect(invalid.map(({ at: place, workloads }) => [place, workloads])).to.deep.equal([
      ['namespace/broken', 2],
      ['deployments/plain/web', 1],
      ['deployments/plain/lost', 1],
      ['namespace/empty', 0],
    ])
    expect(invalid[0]?.message).to.contain('dormouse.dev/schedule of namespace broken')
  })

  it('warns of managed workloads that the API server needs, and of no others', () => {
    const key = (place: string) => ({ kind: 'deployments' as const, namespace: place, name: 'web' })
    const needed = [key('shop'), key('plain')].map((each) => ({ ...each, answers: 'webhook a.example.com' }))
    const workloads = [aDeployment('shop/web'), aDeployment('plain/web')]
    const found = forecast({ workloads, namespaces, excluded: new Set(), needed, policies: [] }, NIGHT, rules)
    expect(found.needed.map((each) => each.namespace)).to.deep.equal(['shop'])
  })

  it('has for everything one policy that matches it, but for excluded namespaces, and names those that set nothing', () => {
    const everything = { namespaces: { names: ['*'] }, enabled: true }
    const policies = [
      { name: 'nowhere', namespaces: { names: ['none-*'] }, enabled: true },
      // If two overlap, each setting comes from the first that has it.
      { name: 'team-a', namespaces: { names: ['team-a'] }, schedule: '9:00-17:00' },
      { name: 'all', ...everything, schedule: HOURS },
      { name: 'late', ...everything, schedule: '10:00-16:00' },
    ]
    const inheritance = new Inheritance(policies.map(compilePolicy))
    const found = forecast(
      {
        workloads: ['plain/web', 'team-a/web', 'kube-system/dns'].map((each) => aDeployment(each)),
        namespaces,
        excluded: new Set(['kube-system']),
        needed: [],
        policies: policies.map(({ name }) => name),
      },
      NIGHT,
      {
        ...rules,
        inherited: (workload) => inheritance.of(namespace(workload.namespace)).by(workload),
      },
    )
    expect(found.counts).to.include({ workloads: 3, excluded: 1, managed: 2, snoozes: 2 })
    const sources = found.workloads.map(({ policy }) => [policy.enabled.source, policy.schedule.source])
    expect(sources).to.deep.equal([
      ['policy/all', 'policy/all'],
      ['policy/all', 'policy/team-a'],
    ])
    expect(found.idlePolicies).to.deep.equal(['nowhere', 'late'])
    expect(found.shared).to.deep.equal([])
  })

  it('names what a policy takes from everybody, as far as names and labels tell, but not what is by its own annotation', () => {
    const policies = [{ name: 'all', namespaces: { names: ['*'] }, enabled: true, schedule: HOURS }]
    const inheritance = new Inheritance(policies.map(compilePolicy))
    const found = forecast(
      {
        workloads: [
          aDeployment('edge/ingress-nginx-controller'),
          aDeployment('edge/gateway').labelled({ 'app.kubernetes.io/name': 'traefik' }),
          aDeployment('cert-manager/webhook'),
          aDeployment('shop/prometheus-adapter').enabled(),
          aDeployment('shop/dexterity'),
          aDeployment('shop/indexer'),
          aDaemonSet('kube-dns/agent'),
        ],
        namespaces: [],
        excluded: new Set(),
        needed: [],
        policies: ['all'],
      },
      NIGHT,
      { ...rules, inherited: (workload) => inheritance.of(namespace(workload.namespace)).by(workload) },
    )
    expect(
      found.shared.map(({ namespace: of, name, what, policy }) => `${of}/${name}: ${what} by ${policy}`),
    ).to.deep.equal([
      'edge/ingress-nginx-controller: an ingress or a gateway by all',
      'edge/gateway: an ingress or a gateway by all',
      'cert-manager/webhook: certificates by all',
    ])
  })
})

const INHERITANCE = new Inheritance([
  compilePolicy({ name: 'dev', namespaces: { names: ['team-*'] }, enabled: true, schedule: HOURS }),
])
