import { expect } from 'chai'
import fc from 'fast-check'
import { propertyRuns } from '../../support/property-runs.ts'
import { Service } from './service.ts'
import { managed } from './states.ts'

describe('arbitrary input', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(managed())
  })

  after(async () => await service.stop())

  const RUNS = propertyRuns(300)
  const actions = ['enable', 'override', 'pin', 'snooze', 'schedule', 'status', 'plan', 'hibernate']
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('8:00-18:00', '90m', '1h', 'UTC', '', 'true', '5'),
  )
  const property = fc.constantFrom('schedule', 'timezone', 'duration', '__proto__', 'constructor', 'x')
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.dictionary(property, fc.oneof(text, fc.jsonValue())).map((value) => JSON.stringify(value)),
  )
  const parameter = fc.constantFrom(
    'for',
    'force',
    'dryRun',
    'hours',
    'limit',
    'continue',
    'state',
    'labelSelector',
    '__proto__',
    'x',
  )

  it('a body is never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...actions), body, async (action, sent) => {
        const verb = action === 'schedule' ? 'PUT' : 'POST'
        const headers = { 'Content-Type': 'application/json' }
        const { status } = await service.call(`${verb} shop/deployments/web/${action}?dryRun=true`, {
          text: sent,
          headers,
        })
        expect(status).to.be.oneOf([200, 400, 404, 405, 409])
      }),
      RUNS,
    )
  })

  it('a query is never a 500', async () => {
    const query = fc
      .array(fc.tuple(parameter, text), { maxLength: 4 })
      .map((pairs) => new URLSearchParams(pairs).toString())
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET shop/deployments/web/plan', 'GET /api/v1/workloads', 'GET shop/deployments'),
        query,
        async (request, sent) => {
          expect((await service.call(`${request}?${sent}`)).status).to.be.oneOf([200, 400])
        },
      ),
      RUNS,
    )
  })

  it('a path is never a 500', async () => {
    const segment = fc.oneof(
      text.map((value) => encodeURIComponent(value.toWellFormed())),
      fc.constantFrom('shop', 'deployments', 'web', 'kube-system', '%', '..', ...actions),
    )
    await fc.assert(
      fc.asyncProperty(method, fc.array(segment, { maxLength: 5 }), async (verb, segments) => {
        const { status } = await service.call(`${verb} /api/v1/namespaces/${segments.join('/')}?dryRun=true`)
        expect(status).to.be.oneOf([200, 204, 400, 403, 404, 405, 409])
      }),
      RUNS,
    )
  })

  it('a token is never a 500 and never accepted', async () => {
    const part = fc.oneof(
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      fc.stringMatching(/^[\w-]{0,20}$/),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        expect((await service.call('GET shop/deployments/web', { token: parts.join('.') })).status).to.equal(
          401,
        )
      }),
      RUNS,
    )
  })

  after('and nothing has changed', () => {
    expect(service.cluster.patches.length).to.equal(0)
  })
})
