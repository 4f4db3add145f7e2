import { expect } from 'chai'
import type { CallOptions, Method } from '../support/api-client.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const json = { 'content-type': 'application/json' }
const NOT_UTF8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])

/**
 * One of each kind; all others are in test/service/api/errors.test.ts, tokens in
 * test/service/auth/token-table.test.ts. `/…` stands below the workload.
 */
const REQUESTS: readonly [what: string, request: string, answer: string, options?: CallOptions][] = [
  ['an unknown path', 'GET ~/nowhere', '404 NOT_FOUND'],
  ['an unknown namespace', 'GET ~/namespaces/no-such-namespace/deployments/web', '404 NOT_FOUND'],
  ['an unknown workload', 'POST ~/namespaces/default/deployments/no-such-workload/snooze', '404 NOT_FOUND'],
  [
    'an excluded namespace',
    'POST ~/namespaces/kube-system/deployments/coredns/snooze',
    '403 NAMESPACE_EXCLUDED',
  ],
  ['another method', 'GET /snooze', '405 METHOD_NOT_ALLOWED'],
  ['a bad query', 'POST /wake?wait=6m', '400 VALIDATION_ERROR'],
  ['a bad schedule', 'PUT /schedule', '400 VALIDATION_ERROR', { body: { schedule: '8:00-25:00' } }],
  ['a body that is not JSON', 'POST /enable', '400 INVALID_JSON', { raw: '{', headers: json }],
  ['a body that is not UTF-8', 'POST /enable', '400 VALIDATION_ERROR', { raw: NOT_UTF8, headers: json }],
  [
    'a body larger than 16 KiB',
    'POST /enable',
    '413 PAYLOAD_TOO_LARGE',
    { body: { schedule: 'x'.repeat(17 * 1024) } },
  ],
  [
    'a body without a type',
    'POST /enable',
    '415 UNSUPPORTED_MEDIA_TYPE',
    { raw: '{}', headers: { 'content-type': '' } },
  ],
]

describeOnBoth('bad input changes nothing', function (on) {
  this.timeout(60_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const target = 'target'
  let untouched: object

  async function look() {
    const { spec, metadata } = await here.cluster.admin.expect('GET', here.path('deployments', target))
    // The status is the controllers', which write it when they come to it.
    const { resourceVersion: _, managedFields: __, ...ours } = metadata ?? {}
    return { spec, metadata: ours }
  }

  function ask(request: string, options?: CallOptions) {
    const [method, at] = request.split(' ') as [Method, string]
    const path = at.startsWith('~') ? at.slice(1) : `/namespaces/${here.namespace}/deployments/${target}${at}`
    return here.api.call(method, path, options)
  }

  before('there is a workload', async () => {
    await here.enabled('deployments', target, { replicas: 2, schedule: awakeNow() })
    await here.settled('deployments', target)
    untouched = await look()
  })

  afterEach('the workload has not changed', async () => {
    expect(await look()).to.deep.equal(untouched)
  })

  for (const [what, request, answer, options] of REQUESTS)
    it(`${what}: ${answer}`, async () => {
      const { status, body } = await ask(request, options)
      expect(`${status} ${body.error?.code}`).to.equal(answer)
      expect(body).to.include({ success: false })
      expect(body.error.message, 'it says what to do').to.have.length.above(10)
    })

  it('too many requests of one subject: 429 with Retry-After, while others are served', async () => {
    const limited = await Dormouse.start(here.cluster, {
      api: { host: '127.0.0.1', insecurePort: 0, rate: { perSecond: 1, burst: 5 } },
      controller: { enabled: false },
    })
    try {
      const path = `/namespaces/${here.namespace}/deployments/${target}`
      const begun = performance.now()
      const answers = await Promise.all(Array.from({ length: 20 }, () => limited.api.call('GET', path)))
      const refilled = Math.ceil((performance.now() - begun) / 1000)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length)
        .to.be.within(15 - refilled, 15)
        .and.above(0)
      for (const { headers, body } of refused) {
        expect(body.error.code).to.equal('RATE_LIMITED')
        expect(headers['retry-after']).to.match(/^[1-9]\d*$/)
      }
      const token = await limited.tokens.token({ subject: 'another' })
      expect((await limited.api.call('GET', path, { token })).status).to.equal(200)
    } finally {
      await limited.stop()
    }
  })
})
