import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { BulkCounts } from '../../../src/domain/records/bulk.ts'
import type { BulkItem } from '../../../src/service/api/bulk/item.ts'
import { ACTIONS, isForMany, OPERATIONS } from '../../../src/domain/requests/operations.ts'
import { keyOf, KINDS, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { eventually } from '../../support/eventually.ts'
import { aUser } from '../../support/fake-cluster.ts'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { HOUR } from '../../support/rules.ts'
import { AUTH, NOON, Service, token, type Call } from './service.ts'
import { managed, owned, pinned } from './states.ts'

const key = (name: string): WorkloadKey => ({ kind: 'deployments', namespace: 'shop', name })

/** A bulk's answer. */
interface Bulk {
  readonly items: readonly BulkItem[]
  readonly counts: BulkCounts
}

describe('requests about a namespace', () => {
  let service: Service
  beforeEach(async () => (service = await Service.start()))
  afterEach(() => service.stop())

  const answerTo = async (request: string, call: Call = {}) => {
    const { status, code, body, headers } = await service.call(request, call)
    return { status, code, body, headers, data: body.data as unknown as Bulk }
  }
  const put = (count: number, given: Parameters<typeof managed>[1] = {}) => {
    for (let index = 0; index < count; index += 1)
      service.cluster.put(managed({}, { ...given, name: `w${String(index).padStart(3, '0')}` }))
  }

  it('do it to each workload of every kind, and say what became of each', async () => {
    for (const kind of KINDS) service.cluster.put(managed({}, { kind }))
    service.cluster.put(managed({}, { namespace: 'other' }))
    service.cluster.putUnlisted(owned('web-1'))
    const { body, data } = await answerTo('POST shop/snooze')
    expect(body.message).to.equal(`${KINDS.length} done, 0 unchanged, 0 refused`)
    expect(data.counts).to.deep.equal({ done: KINDS.length, unchanged: 0, left_out: 0, refused: 0 })
    expect(data.items.map(({ kind }) => kind)).to.deep.equal(KINDS.toSorted())
    for (const item of data.items) expect(item).to.deep.include({ name: 'web', result: 'done', code: null })
    expect(data.items.find(({ kind }) => kind === 'deployments')?.message).to.match(
      /^snoozed, 3 replicas kept: asleep by request of local:alice/,
    )
    expect(service.cluster.patches.length).to.equal(KINDS.length)
    expect((await answerTo('POST none/wake')).body.message).to.equal('no workload that you may list matches')
  })

  it('wake nothing that its owner keeps at 0, awake or asleep, and end no wake sooner', async () => {
    const snoozed = { at: NOON - HOUR, replicas: 0, trigger: 'schedule', by: null }
    service.cluster.put(managed({}, { name: 'retired', replicas: 0 }))
    service.cluster.put(
      managed({ asleep: true, snoozed }, { name: 'zero', replicas: 0, labels: { [ASLEEP_LABEL]: '0' } }),
    )
    const wake = { want: 'awake', before: 'awake', at: NOON - HOUR, until: NOON + 24 * HOUR, by: 'local:bob', trigger: 'api' } as const // prettier-ignore
    service.cluster.put(managed({ intent: wake }, { name: 'long' }))
    const { body, data } = await answerTo('POST shop/wake?for=4h')
    expect(body.message).to.equal('0 done, 1 unchanged, 0 refused, 2 kept at 0')
    expect(data.items.map(({ name, result }) => `${name} ${result}`)).to.deep.equal([
      'long unchanged',
      'retired left_out',
      'zero left_out',
    ])
    expect(service.cluster.patches).to.deep.equal([])
    expect((await answerTo('POST shop/wake?shorten=true')).status).to.equal(400)
    expect((await answerTo('POST shop/deployments/retired/wake')).body.message).to.match(
      /^woken to 1 replica/,
    )
  })

  it('are for each operation on the scale, as with one workload', async () => {
    put(2)
    const state = () => {
      const { annotations } = service.cluster.mustGet(key('w001'))
      return JSON.parse(annotations.state ?? '{}') as Record<string, unknown>
    }
    const cases = [
      ['POST shop/pin', {}, () => state()['pin'] !== undefined],
      ['DELETE shop/pin', {}, () => state()['pin'] === undefined],
      ['POST shop/override', { body: { duration: '2h' } }, () => state()['override'] !== undefined],
      ['DELETE shop/override', {}, () => state()['override'] === undefined],
      ['POST shop/snooze?for=2h', {}, () => service.cluster.mustGet(key('w001')).replicas === 0],
      ['POST shop/wake', {}, () => service.cluster.mustGet(key('w001')).replicas === 3],
    ] as const
    const asked = cases.map(([request]) => request.replace('shop/', '').replace(/\?.*/, ''))
    expect(asked).to.have.members(ACTIONS.filter(isForMany).map((action) => OPERATIONS[action].call))
    for (const [request, call, holds] of cases) {
      const { data } = await answerTo(request, call)
      expect(data.counts, request).to.deep.equal({ done: 2, unchanged: 0, left_out: 0, refused: 0 })
      expect(holds(), request).to.equal(true)
    }
  })

  it('take one token of the rate, and are in the audit with their counts; each workload that was changed has a line', async () => {
    put(2)
    service.cluster.put(managed(pinned, { name: 'pinned' }))
    await answerTo('POST shop/snooze?for=1h', { headers: { 'X-Request-Id': 'job-7' } })
    const lines = service.log.filter(({ msg }) => msg === 'audit')
    for (const line of lines)
      expect(line).to.deep.include({ by: 'local:alice', action: 'snoozeNamespace', requestId: 'job-7' })
    expect(lines.map(({ workload, namespace, changed, result }) => [workload ?? namespace, changed, result]))
      .to.deep.equal([
        ['deployments/shop/w000', true, 'OK'],
        ['deployments/shop/w001', true, 'OK'],
        ['shop', true, 'OK'],
      ]) // prettier-ignore
    expect(lines[2]).to.deep.include({
      asked: { for: '1h' },
      dryRun: false,
      counts: { done: 2, unchanged: 0, left_out: 0, refused: 1 },
    })
  })

  it('have one at a time of each subject; another subject is not held up', async () => {
    put(1)
    const goOn = service.cluster.hold()
    const first = answerTo('POST shop/snooze')
    await eventually('the write', () => service.cluster.sent === 1)
    const { code, headers } = await answerTo('POST other/wake')
    expect([code, headers.get('retry-after')]).to.deep.equal(['RATE_LIMITED', '1'])
    const bob = await token({ claims: { sub: 'bob' } })
    expect((await answerTo('POST other/wake', { token: bob })).status).to.equal(200)
    goOn()
    await first
    expect((await answerTo('POST other/wake')).status).to.equal(200)
  })

  it('wake with the priority of wakes, which may be paced; all else goes as requests do', async () => {
    put(1)
    for (const request of ['POST shop/snooze', 'POST shop/wake', 'POST shop/pin']) await answerTo(request)
    expect(service.cluster.patches.map(({ priority }) => priority)).to.deep.equal([
      'request',
      'wake',
      'request',
    ])
  })

  it('have eight workloads in work at once, and are carried out to their end although the client leaves', async () => {
    put(30)
    const goOn = service.cluster.hold()
    const client = new AbortController()
    const left = service.call('POST shop/snooze', { signal: client.signal }).catch(() => 'left')
    await eventually('the writes', () => service.cluster.sent === 8)
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    expect(service.cluster.sent).to.equal(8)
    client.abort()
    expect(await left).to.equal('left')
    goOn()
    const line = await eventually('the line', () => service.log.find(({ namespace }) => namespace === 'shop'))
    expect(line).to.deep.include({
      counts: { done: 30, unchanged: 0, left_out: 0, refused: 0 },
      changed: true,
    })
  })

  it('begin no more writes once the service stops, and say so', async () => {
    put(30)
    const goOn = service.cluster.hold()
    const answer = answerTo('POST shop/snooze')
    await eventually('the writes', () => service.cluster.sent === 8)
    const stopped = service.stop()
    await setImmediate()
    goOn()
    const { data } = await answer
    expect(data.counts).to.deep.equal({ done: 8, unchanged: 0, left_out: 0, refused: 22 })
    expect(data.items[29]).to.deep.include({
      code: 'CLUSTER_UNAVAILABLE',
      message: 'not tried, since this replica of Dormouse stops: send it again',
    })
    expect(service.cluster.patches.length).to.equal(8)
    await stopped
  })

  it('go on after refusals, and where the cluster answers some and not others, however many these are', async () => {
    put(60)
    service.cluster.answer = (patched) => {
      if (Number(patched.slice(-3)) % 3 === 0) return new Refusal('CLUSTER_UNAVAILABLE', 'no answer')
      return patched === keyOf(key('w001')) ? new Refusal('CLUSTER_REJECTED', 'quota') : undefined
    }
    const { data } = await answerTo('POST shop/snooze')
    expect(data.counts).to.deep.equal({ done: 39, unchanged: 0, left_out: 0, refused: 21 })
    expect(data.items[1]).to.deep.include({ code: 'CLUSTER_REJECTED', message: 'quota' })
    expect(service.cluster.patches.length).to.equal(39)
  })

  it('give up where the cluster answers nothing', async () => {
    put(30)
    service.cluster.down()
    expect((await answerTo('POST shop/snooze')).data.counts).to.include({ done: 0, refused: 30 })
    expect(service.cluster.sent).to.be.within(8, 20)
    const last = service.log.findLast(({ namespace }) => namespace === 'shop')
    expect(last).to.deep.include({ changed: null })
  })

  it('are not ended by a bug with one workload: INTERNAL, and the log has it', async () => {
    put(3)
    const write = service.cluster.write.bind(service.cluster)
    service.cluster.write = async (...given) => {
      if (given[0].name === 'w001') throw new Error('secret inside')
      return write(...given)
    }
    const { data } = await answerTo('POST shop/pin')
    expect(data.items.map(({ result, code }) => code ?? result)).to.deep.equal(['done', 'INTERNAL', 'done'])
    expect(JSON.stringify(data)).not.to.include('secret')
    expect(JSON.stringify(service.log.find(({ level }) => level === 'error'))).to.include('secret inside')
  })

  it('with wait have one deadline for all, and say which have not followed', async () => {
    put(3)
    const answer = answerTo('POST shop/snooze?wait=1s')
    await eventually('the writes', () => service.cluster.patches.length === 3)
    service.cluster.podsFollow(key('w001'))
    service.cluster.remove(key('w002'))
    const { data, body } = await answer
    expect(body.message).to.equal('3 done, 0 unchanged, 0 refused; still under way: 1 workload')
    expect(data.items.map(({ operation_in_progress }) => operation_in_progress)).to.deep.equal([
      true,
      false,
      false,
    ])
    expect(data.items[0]?.message).to.match(/; its pods have not followed yet$/)
    expect(data.items[2]?.message).to.match(/ was deleted while its pods were awaited$/)
  })
})

describe('requests about a namespace, by the rights of the cluster', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster })
    service.cluster.users.set('alices', aUser('alice'))
    for (const kind of KINDS)
      for (const name of ['api', 'web']) service.cluster.put(managed({}, { kind, name }))
  })
  afterEach(() => service.stop())

  /** May list these kinds, and scale what is named so: `deployments`, or `deployments/web` alone. */
  const allow = (lists: readonly string[], scales: readonly string[]) => {
    service.cluster.allows = (_user, { verb, resource, name }) =>
      verb === 'list'
        ? lists.includes(resource)
        : scales.includes(resource) || (name !== undefined && scales.includes(`${resource}/${name}`))
  }
  const snooze = async (query = '', namespace = 'shop') => {
    const { status, code, body } = await service.call(`POST ${namespace}/snooze${query}`, { token: 'alices' })
    const { items = [] } = (body.data ?? {}) as unknown as Partial<Bulk>
    return {
      status,
      code,
      message: body.error?.message,
      results: items.map(({ kind, name, result }) => `${kind}/${name} ${result}`),
    }
  }

  it('ask once for each kind where that decides it', async () => {
    allow(KINDS, KINDS)
    await snooze()
    expect(service.cluster.asked).to.have.length(2 * KINDS.length)
    expect(service.cluster.asked.filter(({ name }) => name !== undefined)).to.deep.equal([])
  })

  it('are 403 for who may list nothing there, whatever there is', async () => {
    allow([], KINDS)
    const there = await snooze()
    expect(there.message).to.match(/^k8s:alice may not list /)
    expect((await snooze('', 'nowhere')).message).to.equal(there.message?.replace('shop', 'nowhere'))
  })

  it('leave out the kinds that the caller may not list, and do not count them to 500', async () => {
    for (let index = 0; index < 501; index += 1)
      service.cluster.put(managed({}, { kind: 'statefulsets', name: `w${index}` }))
    allow(['deployments'], KINDS)
    const { results } = await snooze('?dryRun=true')
    expect(results).to.deep.equal(['deployments/api done', 'deployments/web done'])
    expect(service.cluster.sent, 'a dry run').to.equal(0)
    const others = service.cluster.asked.filter(({ resource }) => resource !== 'deployments')
    expect(others.filter(({ verb }) => verb !== 'list')).to.deep.equal([])
  })

  it('are refused for excluded namespaces, and while a kind that they are about is not watched', async () => {
    allow(KINDS, KINDS)
    expect((await snooze('', 'kube-system')).code).to.equal('NAMESPACE_EXCLUDED')
    service.cluster.away.add('daemonsets')
    expect((await snooze()).code).to.equal('CLUSTER_UNAVAILABLE')
    expect((await snooze('?kind=deployments')).status).to.equal(200)
  })
})
