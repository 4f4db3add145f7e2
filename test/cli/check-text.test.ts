import { expect } from 'chai'
import { checkText as textOf } from '../../src/cli/check-text.ts'
import { savedRecord } from '../../src/domain/records/saved.ts'
import type { WeekOf } from '../../src/domain/records/week.ts'
import type { Expected } from '../../src/domain/records/forecast.ts'
import type { ClusterForecast } from '../../src/wiring/check.ts'

const nothing = { value: null, source: null }

function expected(
  name: string,
  change: Expected['change'],
  namespace = 'shop',
  enabled: Expected['policy']['enabled'] = { value: true, source: 'policy/dev' },
): Expected {
  return {
    kind: 'deployments',
    namespace,
    name,
    managed: true,
    before: 'awake',
    after: change === 'snooze' ? 'asleep' : 'awake',
    change,
    rule: 'schedule',
    reason: 'by schedule',
    policy: {
      enabled,
      schedule: nothing,
      timezone: nothing,
      calendar: nothing,
      auto_wake: nothing,
      deploy_wakes: nothing,
      asleep_replicas: nothing,
      wake_on_traffic: nothing,
      traffic_hold: nothing,
    },
  }
}

function week(workloads: number, hoursAsleep: number, coreHours: number, currency?: string): WeekOf {
  const prices = currency === undefined ? null : { currency, cpu: 0.031, memory: 0.004 }
  const amounts = { coreSeconds: coreHours * 3600, byteSeconds: 2 * coreHours * 3600 * 2 ** 30 }
  return { workloads, hoursAsleep, saved: savedRecord({ replicaSeconds: 0, ...amounts }, prices) }
}

const found = (workloads: readonly Expected[], rest: Partial<ClusterForecast> = {}): ClusterForecast => ({
  at: Date.parse('2026-03-02T22:00:00Z'),
  counts: { workloads: 9, excluded: 2, managed: 4, asleep: 3, snoozes: 1, wakes: 2 },
  workloads,
  week: { namespaces: [], total: week(0, 0, 0) },
  invalid: [],
  needed: [],
  stranded: [],
  shared: [],
  idlePolicies: [],
  onlyPatched: [],
  unwritable: [],
  lackedByTraffic: [],
  unseen: [],
  ...rest,
})

const checkText = (forecast: ClusterForecast) => textOf(forecast, 'Asia/Tokyo')

describe('the text of a check', () => {
  it('warns of what sleeps in excluded namespaces, a line each', () => {
    const sleeper = (namespace: string, name: string) => ({ kind: 'deployments' as const, namespace, name })
    const text = checkText(
      found([], { stranded: [sleeper('gone', 'a'), sleeper('gone', 'b'), sleeper('old', 'c')] }),
    )
    expect(text).to.include(
      'namespace gone is excluded, and nothing will wake what sleeps in it: deployment gone/a, deployment gone/b. ',
    )
    expect(text).to.include('nothing will wake what sleeps in it: deployment old/c. ')
  })

  it('has times as people read them: of the workload in its zone, else in the reader, with the name of the zone', () => {
    const zoned = (name: string, zone: string | null, reason: string) => {
      const row = expected(name, null)
      return { ...row, reason, policy: { ...row.policy, timezone: { value: zone, source: null } } }
    }
    const until = 'until 2026-03-03T07:00:00Z'
    const text = checkText(
      found([
        zoned('hours', 'Europe/Berlin', `asleep by schedule 8:00-18:00 (Europe/Berlin) ${until}`),
        zoned('pinned', 'Europe/Berlin', 'pinned awake by k8s:ann since 2026-03-01T07:00:00Z'),
        zoned('broken', null, `overridden by k8s:bob ${until}`),
      ]),
    )
    expect(text)
      .to.include('asleep by schedule 8:00-18:00 (Europe/Berlin) until Tue 8:00\n')
      .and.include('pinned awake by ann since Sun 8:00 (Europe/Berlin)\n')
      .and.include('overridden by bob until Tue 16:00 (Asia/Tokyo)\n')
    expect(text).not.to.match(/\dT\d/)
  })

  it('begins with the counts, then names what changes first', () => {
    const text = checkText(
      found([
        expected('api', null),
        expected('none', null, 'shop', { value: false, source: null }),
        expected('own', null, 'shop', { value: true, source: 'workload' }),
        expected('team', null, 'shop', { value: true, source: 'namespace/shop' }),
        expected('web', 'snooze'),
      ]),
    )
    expect(text).to.equal(
      '9 workloads: 4 managed, 3 not managed, 2 in excluded namespaces\n' +
        'Of the managed, at Tue 2026-03-03 7:00 (Asia/Tokyo): 3 asleep, 1 awake\n' +
        'To get there, 1 would fall asleep and 2 would wake\n' +
        '\n' +
        'shop\n' +
        '  falls asleep  deployment web   by policy dev      by schedule\n' +
        '  stays awake   deployment api   by policy dev      by schedule\n' +
        '  stays awake   deployment none  not enabled        by schedule\n' +
        '  stays awake   deployment own   by its annotation  by schedule\n' +
        '  stays awake   deployment team  by namespace shop  by schedule\n',
    )
  })

  it('has a week by namespace, the one that saves most first and the sum last', () => {
    const namespaces = [
      { namespace: 'bank', ...week(2, 59, 12, 'EUR') },
      { namespace: 'shop', ...week(10, 118.4, 1180, 'EUR') },
    ]
    const text = checkText(found([], { week: { namespaces, total: week(12, 108.5, 1192, 'EUR') } }))
    expect(text).to.include(
      '\nIn the week from Tue 2026-03-03 7:00 (Asia/Tokyo) on, mean hours asleep of 168, and what that saves (requested, not billed):\n' +
        '  namespace  workloads   asleep  core-hours  GiB-hours    EUR\n' +
        '  shop              10  118.4 h      1180.0     2360.0  46.02\n' +
        '  bank               2   59.0 h        12.0       24.0   0.47\n' +
        '  total             12  108.5 h      1192.0     2384.0  46.49\n',
    )
    const plain = { namespaces: [{ namespace: 'shop', ...week(1, 10, 1) }], total: week(1, 10, 1) }
    expect(checkText(found([], { week: plain }))).to.match(/GiB-hours\n/)
  })

  it('stays short however many there are, and says how many it leaves out', () => {
    const spaces = Array.from({ length: 30 }, (_, index) => `team-${index}`)
    const rows = spaces.flatMap((space) =>
      Array.from({ length: 50 }, (_, index) => expected(`web-${index}`, null, space)),
    )
    const text = checkText(found(rows))
    expect(text.split('\n')).to.have.length.below(300)
    expect(text).to.contain('  … and 40 more (--output json has all)')
    expect(text).to.contain('… and 10 more namespaces (--output json has all)')
  })

  it('ends with what is invalid and what is dangerous, without control characters', () => {
    const text = checkText(
      found([], {
        invalid: [{ at: 'namespace/shop', message: 'dormouse.dev/schedule: \u001B[2J\u202E', workloads: 3 }],
        needed: [
          { kind: 'deployments', namespace: 'policy', name: 'guard', answers: 'webhook a.example.com' },
        ],
        shared: [
          {
            kind: 'deployments',
            namespace: 'edge',
            name: 'traefik',
            what: 'an ingress or a gateway',
            policy: 'dev',
          },
        ],
        idlePolicies: ['prod'],
        onlyPatched: ['deployments', 'rollouts.argoproj.io'],
        unwritable: ['clusters.postgresql.cnpg.io'],
        lackedByTraffic: ['list services', 'create endpointslices.discovery.k8s.io'],
        unseen: ['list apiservices: the cluster refused: no'],
      }),
    )
    expect(text).to.contain('  namespace/shop: dormouse.dev/schedule:  [2J  (3 workloads concerned)\n')
    expect(text).to.contain('  deployment policy/guard answers webhook a.example.com: while it sleeps')
    expect(text).to.contain(
      '  policy dev takes from everybody, as far as names tell: an ingress or a gateway (deployment edge/traefik). Leave',
    )
    expect(text).to.contain('  policy prod sets nothing for any workload: none matches it, or everywhere an')
    expect(text).to.contain(
      '  this account may patch deployments.apps, rollouts.argoproj.io, but not update them: Dormouse would work',
    )
    expect(text).to.contain(
      '  this account may not patch clusters.postgresql.cnpg.io: Dormouse would neither',
    )
    expect(text).to.contain(
      '  this account may not list services, create endpointslices.discovery.k8s.io: traffic would wake nothing',
    )
    expect(text).to.contain('  not looked at: list apiservices: the cluster refused: no\n')
  })
})
