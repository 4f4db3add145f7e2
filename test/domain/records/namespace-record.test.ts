import { expect } from 'chai'
import { NamespaceSummary, noneOfAll } from '../../../src/domain/records/namespace-record.ts'
import { SAVED_OVER } from '../../../src/domain/records/replica-time.ts'
import type { Accounting } from '../../../src/domain/records/saved.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { HOUR, RULES } from '../../support/rules.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { NOON } from '../../service/api/service.ts'
import { inBackoff, managed, pinned, unreadable } from '../../service/api/states.ts'

const snoozed = { at: NOON - 2 * HOUR, replicas: 4, trigger: 'schedule', by: null } as const
const asleep = { asleep: true, snoozed }
const down: Partial<Workload> = { replicas: 0, labels: { 'dormouse.dev/asleep': '4' } }

function summed(...workloads: Workload[]) {
  const summary = new NamespaceSummary('shop', NOON, RULES)
  for (const workload of workloads) summary.add(workload)
  return summary.record()
}

describe('the record of a namespace', () => {
  it('of one without workloads has every field', () => {
    expect(summed()).to.deep.equal({
      name: 'shop',
      workloads: 0,
      counts: {},
      late: 0,
      next_transition: null,
      saved: {
        since: new Date(NOON - SAVED_OVER).toISOString(),
        replica_seconds: 0,
        cpu_core_seconds: 0,
        memory_byte_seconds: 0,
        money: null,
      },
      saved_by_team: {},
      policy: {
        enabled: { value: false, source: null },
        schedule: { value: null, source: null },
        timezone: { value: RULES.policy.timezone, source: 'default' },
        calendar: { value: null, source: null },
        auto_wake: { value: true, source: 'default' },
        deploy_wakes: { value: false, source: 'default' },
        asleep_replicas: { value: 0, source: 'default' },
        wake_on_traffic: { value: 'off', source: 'default' },
        traffic_hold: { value: null, source: null },
      },
    })
  })

  it('shows what its workloads inherit, and of whom', () => {
    const inherited = { settings: { schedule: { text: '7:00-19:00', source: 'namespace/shop' as const } } }
    const { policy } = new NamespaceSummary('shop', NOON, { ...RULES, inherited: () => inherited }).record()
    expect(policy.schedule).to.deep.equal({ value: '7:00-19:00', source: 'namespace/shop' })
  })

  it('counts workloads by kind and by the state that lists filter by', () => {
    const record = summed(
      aWorkload(),
      managed({}, { name: 'a' }),
      managed(pinned, { name: 'b' }),
      managed(inBackoff, { name: 'c' }),
      unreadable({ name: 'd' }),
      managed(asleep, { name: 'e', ...down }),
      managed({}, { kind: 'statefulsets' }),
    )
    expect(record.workloads).to.equal(7)
    expect(record.counts).to.deep.equal({
      deployments: {
        ...noneOfAll(),
        unmanaged: 1,
        awake: 1,
        pinned_active: 1,
        backoff: 1,
        invalid: 1,
        snoozed: 1,
      },
      statefulsets: { ...noneOfAll(), awake: 1 },
    })
  })

  it('counts those that are late beside their states, held ones too', () => {
    const wake = {
      type: 'wake',
      trigger: 'schedule',
      at: NOON - HOUR,
      replicas: 3,
      duration: 600_000,
    } as const
    const history = [{ ...wake, by: null, result: 'timed_out' as const }]
    const pods = { existing: 0, ready: 0, observedGeneration: 0 }
    const record = summed(
      managed({ history }, { name: 'a', pods }),
      managed({ history, ...pinned }, { name: 'b', pods }),
      managed({}, { name: 'c' }),
    )
    expect(record.late).to.equal(2)
    expect(record.counts['deployments']).to.include({ awake: 2, pinned_active: 1 })
  })

  it('names the earliest change, and how many make it', () => {
    const until = (end: string) => ({ annotations: { schedule: `8:00-${end}` } })
    const record = summed(
      managed({}, { name: 'a', ...until('18:00') }),
      managed({}, { name: 'b', ...until('13:00') }),
      managed({}, { name: 'c', ...until('13:00') }),
      managed(pinned, { name: 'd', ...until('12:30') }),
      aWorkload({ name: 'e', annotations: { schedule: '8:00-12:15' } }),
    )
    expect(record.next_transition).to.deep.equal({
      at: '2026-03-03T13:00:00.000Z',
      type: 'snooze',
      workloads: 2,
    })
  })

  it('sums up what was saved, by what a pod requests', () => {
    const requests = { cpu: 0.5, memory: 1000 }
    const { saved } = summed(
      managed(asleep, { ...down, requests }),
      managed(asleep, { ...down, name: 'b', requests }),
    )
    expect(saved).to.deep.include({
      replica_seconds: 2 * 4 * 7200,
      cpu_core_seconds: 4 * 7200,
      memory_byte_seconds: 2 * 4 * 7200 * 1000,
    })
  })

  it('values what was saved, and says whose it is, where prices and a label of teams are configured', () => {
    const accounting: Accounting = {
      prices: { currency: 'EUR', cpu: 0.5, memory: 0 },
      teamOf: ({ labels }) => labels?.['team'] ?? 'none',
    }
    const summary = new NamespaceSummary('shop', NOON, RULES, accounting)
    const requests = { cpu: 0.5, memory: 1000 }
    summary.add(managed(asleep, { ...down, requests }))
    summary.add(managed(asleep, { ...down, name: 'b', requests, labels: { ...down.labels, team: 'web' } }))
    const { saved, saved_by_team: byTeam } = summary.record()
    expect(saved.money).to.deep.equal({ amount: 4, currency: 'EUR' })
    expect(Object.keys(byTeam)).to.deep.equal(['none', 'web'])
    expect(byTeam['web']).to.deep.equal({
      replica_seconds: 4 * 7200,
      cpu_core_seconds: 2 * 7200,
      memory_byte_seconds: 4 * 7200 * 1000,
      money: { amount: 2, currency: 'EUR' },
    })
  })
})
