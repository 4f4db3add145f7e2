import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { aWorkload } from './fake-cluster.ts'
import { Service } from './service.ts'
import { managed, pinned } from './states.ts'

describe('the audit', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(managed())
  })

  afterEach(async () => await service.stop())

  const lines = () => service.log.filter(({ msg }) => msg === 'audit')

  it('has one line for a write: who, what, on what, how it ended, and the request id', async () => {
    await service.call('POST shop/deployments/web/snooze?for=2h', { headers: { 'X-Request-Id': 'job-7' } })
    expect(lines()).to.have.length(1)
    expect(lines()[0]).to.deep.include({
      level: 'info',
      by: 'local:alice',
      issuer: 'https://dormouse.test',
      action: 'snooze',
      workload: 'deployments/shop/web',
      asked: { for: '2h' },
      result: 'OK',
      changed: true,
      dryRun: false,
      requestId: 'job-7',
    })
  })

  it('tells refusals by their codes', async () => {
    service.cluster.put(managed(pinned, { name: 'pinned' }))
    await service.call('POST shop/deployments/pinned/snooze')
    await service.call('POST shop/deployments/web/snooze?nope=1')
    await service.call('POST kube-system/deployments/web/snooze')
    expect(lines().map(({ result, changed }) => [result, changed])).to.deep.equal([
      ['PINNED', false],
      ['VALIDATION_ERROR', false],
      ['NAMESPACE_EXCLUDED', false],
    ])
  })

  it('does not claim to know what a cluster that did not answer has done', async () => {
    service.cluster.failure = new Refusal('CLUSTER_UNAVAILABLE', 'no answer')
    await service.call('POST shop/deployments/web/pin')
    service.cluster.failure = undefined
    service.cluster.away.add('deployments')
    await service.call('POST shop/deployments/web/pin')
    expect(lines().map(({ result, changed }) => [result, changed])).to.deep.equal([
      ['CLUSTER_UNAVAILABLE', null],
      ['CLUSTER_UNAVAILABLE', false],
    ])
  })

  it('tells what changed nothing, and what was only tried', async () => {
    await service.call('POST shop/deployments/web/wake')
    await service.call('POST shop/deployments/web/snooze?dryRun=true')
    expect(lines().map(({ changed, dryRun }) => [changed, dryRun])).to.deep.equal([
      [false, false],
      [false, true],
    ])
  })

  it('has no line for reads, nor for strangers', async () => {
    service.cluster.put(aWorkload())
    await service.call('GET shop/deployments/web')
    await service.call('POST shop/deployments/web/pin', { token: 'a.b.c' })
    expect(lines()).to.deep.equal([])
  })

  it('nothing of a token is ever logged', async () => {
    service.cluster.failure = new Error('inside')
    await service.call('POST shop/deployments/web/pin')
    expect(JSON.stringify(service.log)).not.to.include('eyJ')
  })
})

describe('request ids', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
  })

  after(async () => await service.stop())

  const idOf = async (given?: string) => {
    const headers = given === undefined ? {} : { 'X-Request-Id': given }
    const answer = await service.call('GET /nowhere', { headers })
    expect(answer.body.error.details['request_id']).to.equal(answer.headers.get('x-request-id'))
    return answer.headers.get('x-request-id')
  }

  it("are the caller's own where they are sane", async () => {
    expect(await idOf('7f3a-1.b:c_D')).to.equal('7f3a-1.b:c_D')
  })

  for (const given of [undefined, '', 'a b', '{"a":1}', 'x'.repeat(129)]) {
    it(`are made where ${given === undefined ? 'there is none' : JSON.stringify(given.slice(0, 20))} was given`, async () => {
      expect(await idOf(given)).to.match(/^[0-9a-f-]{36}$/)
    })
  }
})
