import { expect } from 'chai'
import { createLoginAudit } from '../../../src/service/auth/login-audit.ts'
import { CLIENT_GONE } from '../../../src/http/errors.ts'
import { Refusal } from '../../../src/process/errors.ts'
import type { Logger } from '../../../src/process/logger.ts'
import { NOON, Service, token } from './service.ts'
import { managed, pinned } from './states.ts'

describe('the audit', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(managed())
  })
  afterEach(() => service.stop())

  const lines = () => service.log.filter(({ msg }) => msg === 'audit')

  it('has one line for a write: who, what, on which workload, its result, and the request id', async () => {
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

  it('shows refusals, writes that changed nothing and dry runs; changed: null if the cluster did not answer', async () => {
    service.cluster.put(managed(pinned, { name: 'pinned' }))
    await service.call('POST shop/deployments/pinned/snooze')
    await service.call('POST shop/deployments/web/snooze?nope=1')
    await service.call('POST kube-system/deployments/web/snooze')
    await service.call('POST shop/deployments/web/wake')
    await service.call('POST shop/deployments/web/snooze?dryRun=true')
    service.cluster.failure = new Refusal('CLUSTER_UNAVAILABLE', 'no answer')
    await service.call('POST shop/deployments/web/pin')
    service.cluster.failure = undefined
    service.cluster.away.add('deployments')
    await service.call('POST shop/deployments/web/pin')
    expect(lines().map(({ result, changed, dryRun }) => [result, changed, dryRun])).to.deep.equal([
      ['PINNED', false, false],
      ['VALIDATION_ERROR', false, false],
      ['NAMESPACE_EXCLUDED', false, false],
      ['OK', false, false],
      ['OK', false, true],
      ['CLUSTER_UNAVAILABLE', null, false],
      ['CLUSTER_UNAVAILABLE', false, false],
    ])
  })

  it('tells a write whose client is gone from a fault of ours', async () => {
    service.cluster.failure = new Error('aborted', { cause: CLIENT_GONE })
    // Nobody reads its status, so it is not documented.
    await service.call('POST shop/deployments/web/pin').catch(() => {})
    service.cluster.failure = new Error('inside')
    await service.call('POST shop/deployments/web/pin')
    expect(lines().map(({ result }) => result)).to.deep.equal(['CLIENT_GONE', 'INTERNAL'])
  })

  it('has no line for reads and for requests without a token, and for a refused login address, reason and request id', async () => {
    await service.call('GET shop/deployments/web')
    await service.call('POST shop/deployments/web/pin', { token: null })
    const bad = await token({ claims: { exp: NOON / 1000 - 60 } })
    await service.call('POST shop/deployments/web/pin', { token: bad, headers: { 'X-Request-Id': 'job-8' } })
    expect(lines()).to.have.length(1)
    expect(lines()[0]).to.deep.include({
      action: 'authenticate',
      result: 'UNAUTHENTICATED',
      address: '127.0.0.1',
      reason: 'the token has expired: get a new token',
      requestId: 'job-8',
    })
  })

  it('never shows any part of a token', async () => {
    service.cluster.failure = new Error('inside')
    await service.call('POST shop/deployments/web/pin')
    await service.call('POST shop/deployments/web/pin', { token: await token({ claims: { exp: 1 } }) })
    expect(lines()).to.have.length(2)
    expect(JSON.stringify(service.log)).not.to.include('eyJ')
  })
})

describe('the audit of refused logins', () => {
  const refusal = new Refusal('UNAUTHENTICATED', 'the token is malformed')

  function auditing() {
    const lines: Record<string, unknown>[] = []
    const logger = { info: (line: Record<string, unknown>) => void lines.push(line) } as unknown as Logger
    let now = NOON
    return { lines, audit: createLoginAudit(logger, () => now), pass: (ms: number) => (now += ms) }
  }

  it('has one line a minute for each network, and then says how many it left out', () => {
    const { lines, audit, pass } = auditing()
    for (let index = 0; index < 50; index += 1) audit.refused('192.0.2.1', refusal, 'r')
    for (let index = 0; index < 50; index += 1) audit.refused(`2001:db8::${index}`, refusal, 'r')
    expect(lines.map(({ address }) => address)).to.deep.equal(['192.0.2.1', '2001:db8::0'])
    audit.flush()
    expect(lines.at(-1)).to.deep.equal({ action: 'authenticate', result: 'REFUSED', leftOut: 98 })
    audit.flush()
    pass(60_001)
    audit.refused('192.0.2.1', refusal, 'r')
    expect(lines).to.have.length(4)
    audit.flush()
    expect(lines).to.have.length(4)
  })

  it('has at most 20 lines and one a second, however many addresses there are', () => {
    const { lines, audit, pass } = auditing()
    for (let index = 0; index < 3000; index += 1)
      audit.refused(`10.0.${index % 250}.${index % 240}`, refusal, 'r')
    expect(lines).to.have.length(20)
    pass(5000)
    for (let index = 0; index < 3000; index += 1)
      audit.refused(`10.1.${index % 250}.${index % 240}`, refusal, 'r')
    expect(lines).to.have.length(25)
    audit.flush()
    expect(lines.at(-1)?.['leftOut']).to.equal(6000 - 25)
  })
})

describe('request ids', () => {
  let service: Service
  before(async () => (service = await Service.start()))
  after(() => service.stop())

  const idOf = async (given?: string) => {
    const headers = given === undefined ? {} : { 'X-Request-Id': given }
    const answer = await service.call('GET /nowhere', { headers })
    expect(answer.body.error.details['request_id']).to.equal(answer.headers.get('x-request-id'))
    return answer.headers.get('x-request-id')
  }

  it("are the caller's own where they are sane, and made where not", async () => {
    expect(await idOf('7f3a-1.b:c_D')).to.equal('7f3a-1.b:c_D')
    for (const given of [undefined, '', 'a b', '{"a":1}', 'x'.repeat(129)])
      expect(await idOf(given), given).to.match(/^[0-9a-f-]{36}$/)
  })
})
