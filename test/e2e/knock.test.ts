import { expect } from 'chai'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { KNOCK_PATH } from '../../src/domain/traffic/knock.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { awakeNow } from '../support/schedules.ts'

/** The rules are in test/domain/requests; here a real API server says whose token it is. */
describeOn('the knock of a waker', function (on) {
  this.timeout(240_000)
  const here = enforced(on, { settings: { waker: { enabled: true } } })
  const page = { [ANNOTATION.wakeOnTraffic]: 'page' }
  const asleep = (name: string, annotations: Record<string, string>) =>
    here.asleep('deployments', name, { replicas: 2, schedule: awakeNow(), annotations })
  let waker = ''

  before('the waker has a token', async () => {
    waker = await on().accountToken(dormouse.namespace, 'dormouse-waker')
  })

  async function knock(name: string, token = waker, namespace = here.namespace) {
    const body = { namespace, service: name, port: 'http', workloads: [`deployments/${name}`], wake: true }
    return here.api.call<unknown>('POST', KNOCK_PATH, { token, body })
  }

  it('wakes what opted in, and its token can do nothing else', async () => {
    const web = await asleep('web', page)
    expect((await knock('web')).status).to.equal(200)
    await eventually('its pods', async () => (await web.status()).ready_replicas === 2)
    const { operation_history: history } = await web.status()
    expect(history[0]).to.include({ type: 'wake', trigger: 'traffic', by: 'service/web:http' })

    await asleep('closed', {})
    expect((await knock('closed')).status).to.equal(200)
    expect(await here.workload('deployments', 'closed').status()).to.include({ is_snoozed: true })
    for (const [method, path] of [
      ['POST', `/api/v1/namespaces/${here.namespace}/deployments/closed/wake`],
      ['GET', `/api/v1/namespaces/${here.namespace}/deployments/closed`],
    ] as const)
      expect((await here.api.call(method, path, { token: waker })).status, path).to.equal(403)
  })

  it('does not wake what is pinned', async () => {
    const pinned = await asleep('pinned', page)
    expect((await pinned.attempt('POST', 'pin')).status).to.equal(200)
    expect((await knock('pinned')).status).to.equal(200)
    expect(await pinned.status()).to.include({ is_snoozed: true, pin_state: 'snoozed' })
  })

  it('is for the wakers alone, by a token for Dormouse', async () => {
    const other = await on().accountToken(here.namespace, 'dormouse-waker')
    expect((await knock('web', other)).status).to.equal(403)
    const { status } = await on()
      .kubectl('create', 'token', 'dormouse-waker', '-n', dormouse.namespace)
      .then((token) => knock('web', token.trim()))
    expect(status).to.equal(401)
    expect((await knock('web', waker, 'kube-system')).status).to.equal(403)
  })
})
