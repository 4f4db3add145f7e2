import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage } from './stage.ts'

/** Of one subject (src/api/pod-waits.ts). */
const PLACES = 100
/** Connections to the API server, which stay open for 30 s after all the wakes (src/kubernetes/http.ts). */
const CALL_SOCKETS = 10
const HOUR = 3_600_000

describe('answers that are waited for and never read', function () {
  this.timeout(180_000)
  let stage: Stage

  before(async () => {
    stage = await Stage.start({ api: { rate: { perSecond: 1000, burst: 1000 } } }, HOUR)
    await createNamespace(stage.cluster, 'shop')
    const names = ['theirs', 'ours', 'awake']
    await stage.cluster.create(
      'shop',
      names.map((name) => manifest('deployments', name, { replicas: 2 })),
    )
    for (const name of names) {
      const workload = stage.dormouse.api.workload('deployments', 'shop', name)
      await workload.enable()
      if (name !== 'awake') await workload.snooze()
    }
  })
  after(() => stage.stop())

  it('take the places of their subject alone, and give them back when their clients have gone', async () => {
    const before = await stage.footprint()
    const { url } = stage.ports.apiWithoutTls
    const token = await stage.token('hostile')
    const wake = (name: string) => `/api/v1/namespaces/shop/deployments/${name}/wake`
    const head = `POST ${wake('theirs')}?wait=5m HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const crowds = [await Crowd.open(url, PLACES, { first: head })]
    // there is nothing to wait for, so that it takes a place for a moment only
    const asHostile = async () =>
      (await stage.dormouse.api.call('POST', `${wake('awake')}?wait=1s`, { token })).status
    await eventually(
      'all places of the subject to be taken',
      async () => {
        if ((await asHostile()) === 429) return true
        // that moment can have been when one of the crowd came, which was refused
        crowds.push(await Crowd.open(url, 1, { first: head }))
        return false
      },
      { pause: 250 },
    )
    const ours = stage.dormouse.api.workload('deployments', 'shop', 'ours')
    expect((await ours.wake('?wait=1s')).operation_in_progress).to.equal(true)
    await stage.visit('apiWithoutTls')
    await Promise.all(crowds.map((crowd) => crowd.leave()))
    await eventually('the places to be free again', async () => (await asHostile()) === 200)
    const after = await stage.settled({ ...before, descriptors: before.descriptors + CALL_SOCKETS })
    print([`before: ${shown(before)}; after: ${shown(after)}`])
  })
})
