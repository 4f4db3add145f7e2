import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createPodWaits } from '../../../src/service/api/pod-waits.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { aWorkload, FakeCluster } from '../../support/fake-cluster.ts'
import { NOON, Service, token } from './service.ts'
import { RULES } from '../../support/rules.ts'
import { managed } from './states.ts'

const web: WorkloadKey = { kind: 'deployments', namespace: 'shop', name: 'web' }

describe('?wait', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(managed())
  })
  afterEach(() => service.stop())

  /** Resolves once the write has been done, which the answer then waits behind. */
  const written = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    service.cluster.onChange(() => resolve())
    await promise
    await setImmediate()
  }

  it('answers with operation_in_progress true when the time is up', async () => {
    const { status, body } = await service.call('POST shop/deployments/web/snooze?wait=1s')
    expect([status, body.data['operation_in_progress']]).to.deep.equal([200, true])
    expect(body.message).to.match(/^snoozed, 3 replicas kept: asleep by .*; its pods have not followed yet$/)
  })

  it('says why it is as it is now if another request came in between', async () => {
    const wrote = written()
    const answer = service.call('POST shop/deployments/web/snooze?wait=5m')
    await wrote
    await service.call('POST shop/deployments/web/wake')
    service.cluster.podsFollow(web)
    expect((await answer).body.message).to.match(/^snoozed, .*: asleep by .*; by now awake by request/)
  })

  it('does not wait if no operation is in progress', async () => {
    const { body } = await service.call('POST shop/deployments/web/wake?wait=5m')
    expect(body.data['operation_in_progress']).to.equal(false)
  })

  it('is 404 if the workload is deleted meanwhile', async () => {
    const wrote = written()
    const answer = service.call('POST shop/deployments/web/snooze?wait=5m')
    await wrote
    service.cluster.remove(web)
    expect((await answer).code).to.equal('NOT_FOUND')
  })

  it('does not wait for a client that left during its write', async () => {
    const { cluster, observed } = service
    const client = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    service.onObserved = end
    const answers: ServerResponse[] = []
    const note = (message: unknown) => answers.push((message as { response: ServerResponse }).response)
    subscribe('http.server.request.start', note)
    const write = cluster.write.bind(cluster)
    cluster.write = async (...given) => {
      client.abort()
      await Promise.all(answers.map(async (answer) => await once(answer, 'close')))
      return await write(...given)
    }
    await service.call('POST shop/deployments/web/snooze?wait=5m', { signal: client.signal }).catch(() => {})
    await ended
    unsubscribe('http.server.request.start', note)
    expect([cluster.patches.length, answers.length, observed.length]).to.deep.equal([1, 1, 1])
  })

  it('does not wait for a client that left, in the second of two requests on one connection either', async () => {
    const { cluster, observed, server } = service
    cluster.put(managed({}, { name: 'other' }))
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    service.onObserved = () => observed.length === 2 && end()
    const { promise: wrote, resolve: write } = Promise.withResolvers<void>()
    cluster.onChange(() => cluster.patches.length === 2 && write())
    const bearer = await token()
    const requests = ['web', 'other'].map((name) =>
      [
        `POST /api/v1/namespaces/shop/deployments/${name}/snooze?wait=5m HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${bearer}`,
        '\r\n',
      ].join('\r\n'),
    )
    const client = connect(Number(new URL(server.url).port), '127.0.0.1')
    client.write(requests.join(''))
    await wrote
    client.destroy()
    await ended
  })

  it('ends with an answer when the service stops', async () => {
    const wrote = written()
    const answer = service.call('POST shop/deployments/web/snooze?wait=5m')
    await wrote
    await service.stop()
    const { status, headers, body } = await answer
    expect([status, body.data['operation_in_progress']]).to.deep.equal([200, true])
    expect(headers.get('connection')).to.equal('close')
  })
})

describe('waits for pods', () => {
  const never = new AbortController().signal
  const waitsOn = (workloads: FakeCluster) => createPodWaits({ workloads, clock: () => NOON, rules: RULES })
  const running = { at: NOON - 1000, duration: null, by: null, result: 'running' } as const
  const wake = { ...running, type: 'wake', trigger: 'api', replicas: 3 } as const
  const snooze = { ...running, type: 'snooze', trigger: 'api', replicas: 0 } as const

  it('ignore copies from before the write', async () => {
    const cluster = new FakeCluster()
    const waits = waitsOn(cluster)
    const before = managed({ counter: 4 }, { resourceVersion: '9' })
    const after = managed(
      { counter: 5, asleep: true, history: [snooze] },
      { resourceVersion: '12', generation: 2, replicas: 0 },
    )
    cluster.put(before)
    const answer = waits.followed(after, 60_000, never)
    cluster.put({ ...before, resourceVersion: '10', labels: { late: 'yes' } })
    const followed = managed(
      { counter: 6, asleep: true },
      { resourceVersion: '13', generation: 2, replicas: 0 },
    )
    cluster.put(followed)
    expect(await answer).to.equal(cluster.get(followed))
  })

  it('do not wait for an operation that has timed out, as the record has it', async () => {
    const waits = waitsOn(new FakeCluster())
    const timedOut = { ...wake, at: NOON - RULES.policy.operationTimeout }
    const written = managed({ history: [timedOut] }, { generation: 2 })
    expect(statusRecord(written, NOON, RULES).operation_in_progress).to.equal(false)
    expect(await waits.followed(written, 300_000, never)).to.equal(written)
  })

  it('take another workload of the same name for a deletion', async () => {
    const cluster = new FakeCluster()
    const waits = waitsOn(cluster)
    const answer = waits.followed(managed({ history: [wake] }, { generation: 2 }), 300_000, never)
    cluster.put(aWorkload({ uid: 'another', resourceVersion: '2' }))
    const error = await answer.then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).to.have.property('code', 'NOT_FOUND')
  })
})
