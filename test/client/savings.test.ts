import { expect } from 'chai'
import { NamespaceSummary, type NamespaceRecord } from '../../src/domain/records/namespace-record.ts'
import { savedRecord, type Prices } from '../../src/domain/records/saved.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE } from '../../src/domain/workload/state.ts'
import { HOUR, RULES } from '../support/rules.ts'
import { aDeployment, NAMESPACE, NOW, over, reads } from './answering-cluster.ts'
import { FakeDormouse, typed } from './fake-dormouse.ts'

const EUR: Prices = { currency: 'EUR', cpu: 0.031, memory: 0.004 }
const GIB_HOUR = 2 ** 30 * 3600

/** A namespace in which sleep saved so many core-hours, and twice as many GiB-hours, by team. */
function saved(name: string, byTeam: Record<string, number>, prices: Prices | null = EUR): NamespaceRecord {
  const amounts = (hours: number) =>
    savedRecord({ replicaSeconds: 0, coreSeconds: hours * 3600, byteSeconds: 2 * hours * GIB_HOUR }, prices)
  const all = Object.values(byTeam).reduce((sum, hours) => sum + hours, 0)
  const record = new NamespaceSummary(name, NOW, RULES).record()
  return {
    ...record,
    workloads: 1,
    saved: { since: record.saved.since, ...amounts(all) },
    saved_by_team: Object.fromEntries(Object.entries(byTeam).map(([team, hours]) => [team, amounts(hours)])),
  }
}

const namespaceRecords = [saved('bank', { core: 100 }), saved('shop', { core: 1000, web: 234.5 })]

describe('kubectl dormouse savings', () => {
  it('shows hours and money by namespace, the most first and the sum last', async () => {
    const { code, out, err } = await typed(['savings', '-A'], { namespaceRecords })
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out.split('\n')).to.deep.equal([
      'Saved by sleep since Mon 2026-02-23 13:00, as far as histories reach: requested, not billed',
      'NAMESPACE   CORE-HOURS   GIB-HOURS     EUR',
      'shop            1234.5      2469.0   48.15',
      'bank             100.0       200.0    3.90',
      'total           1334.5      2669.0   52.05',
      '',
    ])
  })

  it('shows the same by team', async () => {
    const { out } = await typed(['savings', '-A', '--by', 'team'], { namespaceRecords })
    expect(
      out
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ +/)),
    ).to.deep.equal([
      ['TEAM', 'CORE-HOURS', 'GIB-HOURS', 'EUR'],
      ['core', '1100.0', '2200.0', '42.90'],
      ['web', '234.5', '469.0', '9.15'],
      ['total', '1334.5', '2669.0', '52.05'],
      [''],
    ])
  })

  it('sums up several clusters, and no money where their currencies differ', async () => {
    const saving = (prices: Prices) =>
      new FakeDormouse({ namespaceRecords: [saved('shop', { core: 100 }, prices)] })
    const lines = async (prices: Prices) => {
      const clusters = { 'dev-1': saving(EUR), 'dev-2': saving(prices) }
      const { out } = await typed(['savings', '-A', '--contexts', 'dev-*'], { clusters })
      return out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ +/))
    }
    expect(await lines(EUR)).to.deep.equal([
      ['NAMESPACE', 'CORE-HOURS', 'GIB-HOURS', 'EUR'],
      ['dev-1/shop', '100.0', '200.0', '3.90'],
      ['dev-2/shop', '100.0', '200.0', '3.90'],
      ['total', '200.0', '400.0', '7.80'],
    ])
    expect((await lines({ ...EUR, currency: 'USD' })).map((cells) => cells.length)).to.deep.equal([
      3, 3, 3, 3,
    ])
  })

  it('calls clusters as their services do, and by their contexts for programs', async () => {
    const named = Object.assign(new FakeDormouse({ namespaceRecords }), { clusterName: 'dev-eu' })
    const clusters = { 'arn:aws:eks:dev': named }
    const line = ['savings', '-A', '--contexts', '*']
    expect((await typed(line, { clusters })).out)
      .to.match(/\ndev-eu\/shop /)
      .and.not.include('arn:')
    const { items } = JSON.parse((await typed([...line, '-o', 'json'], { clusters })).out) as Record<
      string,
      unknown[]
    >
    expect(items?.[0]).to.include({ name: 'arn:aws:eks:dev/shop' })
  })

  it('is of one namespace without -A', async () => {
    expect((await typed(['savings'], { namespaceRecords })).out)
      .to.include('shop')
      .and.not.include('bank')
    const { out, err } = await typed(['savings', '-n', 'empty'], { namespaceRecords })
    expect([out, err]).to.deep.equal(['', 'No workloads found in namespace empty.\n'])
  })

  it('has no money without prices, and no teams without a label of theirs', async () => {
    const plain = [saved('shop', {}, null)]
    const { out } = await typed(['savings'], { namespaceRecords: plain })
    expect(out).to.match(/^Saved.*requested, not billed\nNAMESPACE +CORE-HOURS +GIB-HOURS\n/)
    const { code, err } = await typed(['savings', '--by', 'team'], { namespaceRecords: plain })
    expect([code, err]).to.deep.equal([
      1,
      'error: no label is known that names teams: metrics.teamLabel in the configuration of the service sets it; meanwhile --by namespace\n',
    ])
  })

  it('has all of it for programs, and the sum of the parts', async () => {
    const { out } = await typed(['savings', '-A', '-o', 'json'], { namespaceRecords })
    expect(JSON.parse(out)).to.deep.include({
      basis: 'requested, not billed',
      since: '2026-02-23T12:00:00.000Z',
      by: 'namespace',
      total: {
        replica_seconds: 0,
        cpu_core_seconds: 1334.5 * 3600,
        memory_byte_seconds: 2669 * GIB_HOUR,
        money: { amount: 52.0455, currency: 'EUR' },
      },
    })
    expect((await typed(['savings', '-o', 'name'])).code).to.equal(2)
  })

  describe('through the cluster', () => {
    const snoozed = { at: NOW - 2 * HOUR, replicas: 4, trigger: 'schedule', by: null } as const
    const texts = encodeState({ ...EMPTY_STATE, kind: 'deployments', counter: 1, asleep: true, snoozed })
    const sleeper = aDeployment(
      { [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: texts.state ?? '' },
      { [ASLEEP_LABEL]: '4' },
    )
    const requests = { cpu: '500m', memory: '1Gi' }
    const object = {
      ...sleeper,
      spec: { replicas: 0, template: { spec: { containers: [{ name: 'web', resources: { requests } }] } } },
    }
    /** With these published settings, in a Namespace of the team web. */
    const person = (data: Record<string, string>, ...line: string[]) => {
      const { dormouse } = over((request) =>
        request.path.startsWith(NAMESPACE)
          ? { body: { metadata: { name: 'shop', uid: 'n', labels: { team: 'web' } } } }
          : reads(request, data, object),
      )
      return typed(['savings', ...line], { over: dormouse })
    }

    it('sums up the histories by the prices and the label that the service publishes', async () => {
      const data = { prices: JSON.stringify(EUR), teamLabel: 'team' }
      const { out, err } = await person(data, '--by', 'team')
      expect(err).to.equal('')
      expect(out).to.match(/\nweb +4\.0 +8\.0 +0\.16\ntotal +4\.0 +8\.0 +0\.16\n$/)
    })

    for (const [why, data] of [
      ['publish: false', { version: '1', unpublished: JSON.stringify({ prices: 'publish: false' }) }],
      [
        'the service is newer (1): update this program',
        { version: '1', prices: JSON.stringify({ ...EUR, pools: {} }) },
      ],
    ] as const)
      it(`says that money is left out where the prices are not known: ${why}`, async () => {
        const { out, err } = await person(data)
        expect(out).to.match(/\nshop +4\.0 +8\.0\n/)
        expect(err).to.include(
          `note: the service's prices are not known here (${why}): money is left out; --server asks it\n`,
        )
      })
  })
})
