import { expect } from 'chai'
import { Refusal } from '../../../src/service/process/errors.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service, token } from './service.ts'
import { inBackoff, managed, owned, pinned, unreadable } from './states.ts'

describe('errors of the API', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
    service.cluster.put(managed({}, { name: 'managed' }))
    service.cluster.put(managed(pinned, { name: 'pinned' }))
    service.cluster.put(managed(inBackoff, { name: 'backoff' }))
    service.cluster.put(unreadable({ name: 'unreadable' }))
    service.cluster.putUnlisted(owned('web-1'))
  })

  after(async () => await service.stop())

  afterEach(() => {
    service.cluster.away.clear()
    service.cluster.failure = undefined
  })

  const json = { 'Content-Type': 'application/json' }

  const table: [code: string, status: number, request: string, call?: object][] = [
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { body: { schedule: 'soon' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { body: { timezone: null } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { body: { timezone: 'Mars/Olympus' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { body: [] }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { body: 'text' }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/pin', { body: { schedule: '' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/override', { body: { duration: '8761h' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/override', { body: { duration: '0m' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?for=366d'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?for='],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?for=1h&for=1h'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?force=yes'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?wait=6m'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/snooze?nope=1'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/pin?wait=1s'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments/web?dryRun=true'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments/web/plan?hours=745'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments?limit=501'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments?limit=1e2'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments?state=asleep'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments?labelSelector=a%20b'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments?continue=bm9wZQ'],
    ['VALIDATION_ERROR', 400, 'GET Shop/deployments/web'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments/a%2Fb'],
    ['VALIDATION_ERROR', 400, 'GET shop/deployments/%zz'],
    ['VALIDATION_ERROR', 400, `GET shop/deployments/${'a'.repeat(254)}`],
    ['VALIDATION_ERROR', 400, `GET ${'a'.repeat(64)}/deployments/web`],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/..%2f..%2fsecrets/snooze'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web%00/snooze'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/pin?__proto__=1'],
    ['VALIDATION_ERROR', 400, 'GET /api/v1/workloads?namespace=..'],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/enable', { text: 'null', headers: json }],
    ['VALIDATION_ERROR', 400, 'PUT shop/deployments/web/schedule', { body: { timezone: '../localtime' } }],
    ['VALIDATION_ERROR', 400, 'PUT shop/deployments/web/schedule', { body: { schedule: '8-18\nx: 1' } }],
    ['VALIDATION_ERROR', 400, 'POST shop/deployments/web/override', { body: { duration: '-1h' } }],
    ['INVALID_JSON', 400, 'POST shop/deployments/web/enable', { text: '{"schedule":', headers: json }],
    ['UNAUTHENTICATED', 401, 'GET shop/deployments/web', { token: null }],
    ['UNAUTHENTICATED', 401, 'GET /nowhere', { token: null }],
    ['UNAUTHENTICATED', 401, 'POST /api/v1/openapi.json', { token: null }],
    ['NAMESPACE_EXCLUDED', 403, 'GET kube-system/deployments/dns'],
    ['NAMESPACE_EXCLUDED', 403, 'GET kube-system/deployments'],
    ['NAMESPACE_EXCLUDED', 403, 'POST kube-system/deployments/dns/snooze'],
    ['NOT_FOUND', 404, 'GET /nowhere'],
    ['NOT_FOUND', 404, 'GET shop/pods/web'],
    ['NOT_FOUND', 404, 'PATCH shop/pods/web'],
    ['NOT_FOUND', 404, 'GET shop/deployments/gone'],
    ['NOT_FOUND', 404, 'POST shop/deployments/gone/pin'],
    ['NOT_FOUND', 404, 'GET shop/deployments/web/'],
    ['NOT_FOUND', 404, 'POST shop/deployments/web/Pin'],
    ['NOT_FOUND', 404, 'POST shop/deployments/web/pin/'],
    ['NOT_FOUND', 404, 'POST shop/deployments/web/hibernate'],
    ['METHOD_NOT_ALLOWED', 405, 'POST shop/deployments/web'],
    ['METHOD_NOT_ALLOWED', 405, 'POST /api/v1/openapi.json'],
    ['METHOD_NOT_ALLOWED', 405, 'GET shop/deployments/web/pin'],
    [
      'PAYLOAD_TOO_LARGE',
      413,
      'POST shop/deployments/web/enable',
      { body: { schedule: ' '.repeat(16 * 1024) } },
    ],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      415,
      'POST shop/deployments/web/enable',
      { text: '{}', headers: { 'Content-Type': 'text/plain' } },
    ],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      415,
      'POST shop/deployments/web/enable',
      { text: '{}', headers: { 'Content-Type': 'application/json; charset=utf-16' } },
    ],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      415,
      'POST shop/deployments/web/enable',
      { text: '{}', headers: { ...json, 'Content-Encoding': 'gzip' } },
    ],
    ['NOT_ENABLED', 409, 'POST shop/deployments/web/snooze'],
    ['PINNED', 409, 'POST shop/deployments/pinned/snooze'],
    ['IN_BACKOFF', 409, 'POST shop/deployments/backoff/snooze'],
    ['OWNED', 409, 'POST shop/replicasets/web-1/snooze'],
    ['OWNED', 409, 'GET shop/replicasets/web-1'],
    ['OWNED', 409, 'GET shop/replicasets/web-1/plan'],
    ['INVALID_STATE', 422, 'GET shop/deployments/unreadable'],
    ['INVALID_STATE', 422, 'POST shop/deployments/unreadable/pin'],
  ]
  for (const [code, status, request, call] of table) {
    const given = call ? ` with ${JSON.stringify(call).slice(0, 80)}` : ''
    it(`${status} ${code}: ${request.slice(0, 80)}${given}`, async () => {
      const before = service.cluster.snapshot()
      const answer = await service.call(request, call)
      expect([answer.status, answer.code]).to.deep.equal([status, code])
      expect(answer.body.error.message).to.match(/ /)
      expect(service.cluster.snapshot()).to.equal(before)
    })
  }

  it('checks come in the order of docs/api.md', async () => {
    const large = `{"nope": "${' '.repeat(17 * 1024)}`
    const text = { headers: { 'Content-Type': 'text/plain' } }
    const nobody = await token({ claims: { scope: '' } })
    const steps: [string, string, object][] = [
      ['UNAUTHENTICATED', 'PATCH nowhere/pods', { token: 'bad', text: large, ...text }],
      ['NOT_FOUND', 'PATCH kube-system/pods/web-1/snooze?x=1', { token: nobody, text: large, ...text }],
      [
        'METHOD_NOT_ALLOWED',
        'PATCH kube-system/replicasets/web-1/snooze?x=1',
        { token: nobody, text: large, ...text },
      ],
      [
        'UNSUPPORTED_MEDIA_TYPE',
        'POST kube-system/replicasets/web-1/snooze?x=1',
        { token: nobody, text: large, ...text },
      ],
      [
        'PAYLOAD_TOO_LARGE',
        'POST kube-system/replicasets/web-1/snooze?x=1',
        { token: nobody, text: large, headers: json },
      ],
      [
        'INVALID_JSON',
        'POST kube-system/replicasets/web-1/snooze?x=1',
        { token: nobody, text: '{', headers: json },
      ],
      ['VALIDATION_ERROR', 'POST kube-system/replicasets/web-1/snooze?x=1', { token: nobody }],
      ['FORBIDDEN', 'POST kube-system/replicasets/web-1/snooze', { token: nobody }],
      ['NAMESPACE_EXCLUDED', 'POST kube-system/replicasets/web-1/snooze', {}],
      ['NOT_FOUND', 'POST shop/replicasets/gone/snooze', {}],
      ['OWNED', 'POST shop/replicasets/web-1/snooze', {}],
    ]
    const found = await Promise.all(steps.map(([, request, call]) => service.call(request, call)))
    expect(found.map(({ code }) => code)).to.deep.equal(steps.map(([code]) => code))
  })

  it('OWNED names the Deployment of the ReplicaSet and its path', async () => {
    const { body } = await service.call('POST shop/replicasets/web-1/wake')
    expect(body.error.details).to.have.nested.property(
      'reason_values.path',
      '/api/v1/namespaces/shop/deployments/web',
    )
    expect(body.error.message).to.match(/ask for that one: \/api\/v1\/namespaces\/shop\/deployments\/web$/)
  })

  it('405 lists the methods of the path in Allow', async () => {
    const answer = await service.call('PUT shop/deployments/web/pin')
    expect(answer.headers.get('allow')).to.equal('DELETE, POST')
  })

  it('every fault of a request is reported with its JSON pointer, in path, query and body', async () => {
    const { body } = await service.call('POST Shop/deployments/web/enable?a=1&wait=0s', {
      body: { schedule: '8-9', timezone: 5, '__proto~/__': 1 },
    })
    const faults = body.error.details['faults'] as { in: string; pointer: string; message: string }[]
    expect(faults.map((fault) => fault.in + fault.pointer)).to.have.members([
      'path/namespace',
      'query/a',
      'query/wait',
      'body/schedule',
      'body/timezone',
      'body/__proto~0~1__',
    ])
    expect(faults.find(({ pointer }) => pointer === '/schedule')?.message).to.match(/^at 1: expected a time/)
  })

  const wanted: [request: string, body: unknown, told: string][] = [
    ['POST shop/deployments/web/snooze?dryRun=yes', undefined, 'query /dryRun must be true or false'],
    ['GET shop/deployments?limit=-1', undefined, 'query /limit must be a whole number from 1 to 500'],
    ['GET shop/deployments?limit=0', undefined, 'query /limit must be a whole number from 1 to 500'],
    [
      'GET shop/deployments/web/plan?hours=745',
      undefined,
      'query /hours must be a whole number from 1 to 744',
    ],
    ['GET shop/deployments/web?wait=1s', undefined, 'query /wait is not known here: leave it out'],
    ['POST shop/deployments/web/enable', [], 'body must be an object'],
    ['POST shop/deployments/web/enable', { schedule: null }, 'body /schedule must be a string'],
  ]
  for (const [request, body, told] of wanted) {
    it(`says what is expected: ${told}`, async () => {
      const answer = await service.call(request, body === undefined ? {} : { body })
      expect(answer.body.error.message).to.equal(told)
    })
  }

  it('NOT_FOUND has the same words for reads and writes', async () => {
    const [read, write] = await Promise.all([
      service.call('GET shop/deployments/gone'),
      service.call('POST shop/deployments/gone/pin'),
    ])
    expect(write.body.error.message).to.equal(read.body.error.message)
    expect(read.body.error.message).to.equal(
      'there is no deployment gone in the namespace shop: check both names',
    )
  })

  it('says that a workload is being deleted, not that it does not exist', async () => {
    service.cluster.put(managed({}, { name: 'going', deleting: true }))
    const { code, body } = await service.call('POST shop/deployments/going/pin')
    expect([code, body.error.message]).to.deep.equal([
      'NOT_FOUND',
      'it is being deleted: nothing can be asked of it any more',
    ])
  })

  for (const body of ['{"__proto__":{"schedule":"x"}}', '{"constructor":{"prototype":{}}}']) {
    it(`${body} is an unknown property like any other`, async () => {
      const answer = await service.call('POST shop/deployments/web/enable', { text: body, headers: json })
      expect(answer.code).to.equal('VALIDATION_ERROR')
      expect(({} as { schedule?: string }).schedule).to.equal(undefined)
    })
  }

  for (const body of [
    '{"schedule":"","schedule":""}',
    '{"schedule":{"a":[1]},"schedule":""}',
    '{"schedule":"\\"","sch\\u0065dule":"1"}',
  ]) {
    it(`a duplicate property is refused: ${body}`, async () => {
      const answer = await service.call('POST shop/deployments/web/enable', { text: body, headers: json })
      expect(answer.code).to.equal('VALIDATION_ERROR')
    })
  }

  it('a body nested 8,000 deep is refused like any other', async () => {
    const text = '['.repeat(8000) + ']'.repeat(8000)
    const answer = await service.call('POST shop/deployments/web/enable', { text, headers: json })
    expect(answer.code).to.equal('VALIDATION_ERROR')
  })

  it('a body that was too large does not block the connection', async () => {
    await service.call('POST shop/deployments/web/enable', { text: ' '.repeat(2_000_000), headers: json })
    expect((await service.call('GET shop/deployments/web')).status).to.equal(200)
  })

  it('IN_BACKOFF says in Retry-After when to try again', async () => {
    const { headers } = await service.call('POST shop/deployments/backoff/snooze')
    expect(headers.get('retry-after')).to.equal('300')
  })

  it('force passes a backoff', async () => {
    const { cluster } = service
    cluster.put(managed(inBackoff, { name: 'forced' }))
    expect((await service.call('POST shop/deployments/forced/snooze?force=true')).status).to.equal(200)
  })

  for (const request of [
    'GET shop/deployments/web',
    'GET shop/deployments',
    'GET /api/v1/workloads',
    'POST shop/deployments/managed/pin',
  ]) {
    it(`503 CLUSTER_UNAVAILABLE while its kind is not watched: ${request}`, async () => {
      service.cluster.away.add('deployments')
      const answer = await service.call(request)
      expect([answer.status, answer.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
    })
  }

  for (const request of [
    'GET shop/deployments/web',
    'GET shop/deployments',
    'GET /api/v1/workloads?kind=deployments',
    'POST shop/deployments/managed/pin?dryRun=true',
  ]) {
    it(`a kind that cannot be watched keeps nobody from the others: ${request}`, async () => {
      service.cluster.away.add('replicasets')
      expect((await service.call(request)).status).to.equal(200)
    })
  }

  it('a list of all kinds is refused while one of them is not watched, and names it', async () => {
    service.cluster.away.add('replicasets')
    const { status, body } = await service.call('GET /api/v1/workloads')
    expect([status, body.error.message]).to.deep.equal([
      503,
      'replicasets are not all known now: try again, or ask for one of the other kinds by ?kind=',
    ])
    expect(body.error.details).to.deep.include({ kinds: ['replicasets'] })
  })

  it('refusals of the cluster reach the caller with their details', async () => {
    service.cluster.failure = new Refusal('CLUSTER_REJECTED', 'no: ask', { details: { reason: 'quota' } })
    const answer = await service.call('POST shop/deployments/managed/pin')
    expect([answer.status, answer.code]).to.deep.equal([502, 'CLUSTER_REJECTED'])
    expect(answer.body.error.details).to.deep.include({ reason: 'quota' })
  })

  it('losing every retry to other writers is 409 CONFLICT', async () => {
    service.cluster.failure = new Refusal('CONFLICT', 'lost: try again')
    const answer = await service.call('POST shop/deployments/managed/pin')
    expect([answer.status, answer.code]).to.deep.equal([409, 'CONFLICT'])
  })

  it('a bug is 500 INTERNAL: no internals leak, and answer and log have the same request id', async () => {
    service.cluster.failure = new Error('secret inside')
    const answer = await service.call('POST shop/deployments/managed/pin')
    expect([answer.status, answer.code]).to.deep.equal([500, 'INTERNAL'])
    expect(JSON.stringify(answer.body)).not.to.include('secret')
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body.error.details['request_id']).to.equal(requestId)
    const line = service.log.find((each) => each['requestId'] === requestId && each['level'] === 'error')
    expect(JSON.stringify(line)).to.include('secret inside')
  })
})
