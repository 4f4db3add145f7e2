import { expect } from 'chai'
import { request } from 'undici'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage } from './stage.ts'

/** For one subject (src/service/api/places.ts), and how many come together: those have places of answers until they wait. */
const PLACES = 64
const TOGETHER = 8
/** Milliseconds: an answer that comes so soon did not wait. */
const AT_ONCE = 2000
/** Connections to the API server, which stay open for 30 s after all the wakes (src/kubernetes/http.ts). */
const CALL_SOCKETS = 10
const HOUR = 3_600_000

describe('answers that are waited for and never read', function () {
  this.timeout(180_000)
  let stage: Stage

  before(async () => {
    stage = await Stage.start({ api: { rate: { perSecond: 1000, burst: 1000 } } }, HOUR)
    await createNamespace(stage.cluster, 'shop')
    const names = ['theirs', 'ours']
    await stage.cluster.create(
      'shop',
      names.map((name) => manifest('deployments', name, { replicas: 2 })),
    )
    for (const name of names) {
      const workload = stage.dormouse.api.workload('deployments', 'shop', name)
      await workload.enable()
      await workload.snooze()
    }
  })
  after(() => stage.stop())

  it('take the places of their subject alone, and give them back when their clients have gone', async () => {
    const before = await stage.footprint()
    const { url } = stage.ports.apiWithoutTls
    const token = await stage.token('hostile')
    const wake = '/api/v1/namespaces/shop/deployments/theirs/wake?wait=5m'
    const head = `POST ${wake} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const crowds: Crowd[] = []
    /** One more without a place does not wait. */
    const isFull = async () => {
      const options = { method: 'POST', headers: { authorization: `Bearer ${token}` } } as const
      const { body } = await request(`${url}${wake}`, { ...options, signal: AbortSignal.timeout(AT_ONCE) })
      const { success, data } = (await body.json()) as { success: boolean; data: StatusRecord }
      return success && data.operation_in_progress
    }
    while (crowds.length < PLACES / TOGETHER) {
      expect(await isFull().catch(() => false), `after ${crowds.length * TOGETHER}`).to.equal(false)
      crowds.push(await Crowd.open(url, TOGETHER, { first: head }))
    }
    await eventually('all places of the subject to be taken', isFull)
    const ours = stage.dormouse.api.workload('deployments', 'shop', 'ours')
    expect((await ours.wake('?wait=1s')).operation_in_progress).to.equal(true)
    await stage.visit('apiWithoutTls')
    await Promise.all(crowds.map((crowd) => crowd.leave()))
    await eventually('the places to be free again', () =>
      isFull().then(
        () => false,
        () => true,
      ),
    )
    const after = await stage.settled({ ...before, descriptors: before.descriptors + CALL_SOCKETS })
    print([`before: ${shown(before)}; after: ${shown(after)}`])
  })
})
