import { expect } from 'chai'
import { Refusal } from '../../../src/process/errors.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service, token, type Call } from './service.ts'
import { inBackoff, managed, owned, unreadable } from './states.ts'

describe('errors of the API', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
    service.cluster.put(managed({}, { name: 'managed' }))
    service.cluster.put(managed(inBackoff, { name: 'backoff' }))
    service.cluster.put(unreadable({ name: 'unreadable' }))
    service.cluster.putUnlisted(owned('web-1'))
  })
  after(() => service.stop())

  afterEach(() => {
    service.cluster.away.clear()
    service.cluster.failure = undefined
  })

  const json = { 'Content-Type': 'application/json' }
  const plain = { 'Content-Type': 'text/plain' }
  const ENABLE = 'POST shop/deployments/web/enable'
  const sent = (text: string, headers: object = json): [string, Call] => [
    ENABLE,
    { text, headers: { ...headers } },
  ]

  const REFUSED: Readonly<Record<string, readonly (string | [request: string, call: Call])[]>> = {
    '400 VALIDATION_ERROR': [
      [ENABLE, { body: { timezone: null } }],
      [ENABLE, { body: 'text' }],
      ['PUT shop/deployments/web/schedule', { body: { timezone: '../localtime' } }],
      ['POST shop/deployments/web/pin', { body: { schedule: '' } }],
      ['POST shop/deployments/web/override', { body: { duration: '8761h' } }],
      ['POST shop/deployments/web/override', { body: { duration: '0m' } }],
      sent('null'),
      // Unknown properties, like any other; the next ones are named twice.
      sent('{"__proto__":{"schedule":"x"}}'),
      sent('{"constructor":{"prototype":{}}}'),
      sent('{"schedule":"","schedule":""}'),
      sent('{"schedule":{"a":[1]},"schedule":""}'),
      sent(String.raw`{"schedule":"\"","sch\u0065dule":"1"}`),
      sent('['.repeat(8000) + ']'.repeat(8000)),
      'POST shop/deployments/web/snooze?for=366d',
      'POST shop/deployments/web/snooze?for=',
      'POST shop/deployments/web/snooze?for=1h&for=1h',
      'POST shop/deployments/web/snooze?wait=6m',
      'POST shop/deployments/web/pin?wait=1s',
      'POST shop/deployments/web/pin?__proto__=1',
      'GET shop/deployments/web?dryRun=true',
      'GET shop/deployments/web/plan?schedule=8:00-18',
      'GET shop/deployments?limit=501',
      'GET shop/deployments?limit=1e2',
      'GET shop/deployments?state=asleep',
      'GET shop/deployments?labelSelector=a%20b',
      'GET shop/deployments?continue=bm9wZQ',
      'GET Shop/deployments/web',
      'GET shop/deployments/a%2Fb',
      'GET shop/deployments/%zz',
      `GET shop/deployments/${'a'.repeat(254)}`,
      `GET ${'a'.repeat(64)}/deployments/web`,
      'POST shop/deployments/..%2f..%2fsecrets/snooze',
      'POST shop/deployments/web%00/snooze',
      'GET /api/v1/workloads?namespace=..',
    ],
    '400 INVALID_JSON': [sent('{"schedule":')],
    '401 UNAUTHENTICATED': [
      ['GET /nowhere', { token: null }],
      ['POST /api/v1/openapi.json', { token: null }],
    ],
    '403 NAMESPACE_EXCLUDED': ['GET kube-system/deployments/dns', 'GET kube-system/deployments'],
    '404 NOT_FOUND': [
      'GET /nowhere',
      'PATCH shop/pods/web',
      'GET shop/deployments/web/',
      'POST shop/deployments/web/Pin',
      'POST shop/deployments/web/pin/',
      'POST shop/deployments/web/hibernate',
    ],
    '405 METHOD_NOT_ALLOWED': ['POST shop/deployments/web', 'POST /api/v1/openapi.json'],
    '413 PAYLOAD_TOO_LARGE': [sent(' '.repeat(16 * 1024 + 1)), sent(' '.repeat(2_000_000))],
    '415 UNSUPPORTED_MEDIA_TYPE': [
      sent('{}', plain),
      sent('{}', { 'Content-Type': 'application/json; charset=utf-16' }),
      sent('{}', { ...json, 'Content-Encoding': 'gzip' }),
    ],
    '409 NOT_ENABLED': ['POST shop/deployments/web/snooze?dryRun=true'],
    '409 OWNED': ['GET shop/replicasets/web-1', 'GET shop/replicasets/web-1/plan'],
    '422 INVALID_STATE': ['GET shop/deployments/unreadable', 'POST shop/deployments/unreadable/pin'],
  }
  for (const [told, cases] of Object.entries(REFUSED))
    for (const [request, call] of cases.map((each) => [each].flat() as [string, Call?])) {
      const given = call ? ` with ${JSON.stringify(call).slice(0, 80)}` : ''
      it(`${told}: ${request.slice(0, 80)}${given}`, async () => {
        const before = service.cluster.snapshot()
        const { status, code, body } = await service.call(request, call)
        expect(`${status} ${code}`).to.equal(told)
        expect(body.error.message).to.match(/ /)
        expect(service.cluster.snapshot()).to.equal(before)
        expect(({} as { schedule?: string }).schedule, 'of all objects').to.equal(undefined)
      })
    }

  it('checks come in the order of docs/api.md', async () => {
    const large = `{"nope": "${' '.repeat(17 * 1024)}`
    const nobody = await token({ claims: { scope: '' } })
    const all = { token: nobody, text: large, headers: plain }
    const snooze = 'POST kube-system/replicasets/web-1/snooze'
    const steps: [string, string, object][] = [
      ['UNAUTHENTICATED', 'PATCH nowhere/pods', { ...all, token: 'bad' }],
      ['NOT_FOUND', 'PATCH kube-system/pods/web-1/snooze?x=1', all],
      ['METHOD_NOT_ALLOWED', 'PATCH kube-system/replicasets/web-1/snooze?x=1', all],
      ['UNSUPPORTED_MEDIA_TYPE', `${snooze}?x=1`, all],
      ['PAYLOAD_TOO_LARGE', `${snooze}?x=1`, { ...all, headers: json }],
      ['INVALID_JSON', `${snooze}?x=1`, { token: nobody, text: '{', headers: json }],
      ['VALIDATION_ERROR', `${snooze}?x=1`, { token: nobody }],
      ['FORBIDDEN', snooze, { token: nobody }],
      ['NAMESPACE_EXCLUDED', snooze, {}],
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

  for (const [request, told, body] of [
    ['POST shop/deployments/web/snooze?dryRun=yes', 'query /dryRun must be true or false'],
    ['GET shop/deployments?limit=-1', 'query /limit must be a whole number from 1 to 500'],
    ['GET shop/deployments?limit=0', 'query /limit must be a whole number from 1 to 500'],
    ['GET shop/deployments/web/plan?hours=745', 'query /hours must be a whole number from 1 to 744'],
    ['GET shop/deployments/web?wait=1s', 'query /wait is not known here: leave it out'],
    [ENABLE, 'body must be an object', []],
    [ENABLE, 'body /schedule must be a string', { schedule: null }],
  ] as const)
    it(`says what is expected: ${told}`, async () => {
      const answer = await service.call(request, body === undefined ? {} : { body })
      expect(answer.body.error.message).to.equal(told)
    })

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

  it('IN_BACKOFF says in Retry-After when to try again', async () => {
    const { code, headers } = await service.call('POST shop/deployments/backoff/snooze')
    expect([code, headers.get('retry-after')]).to.deep.equal(['IN_BACKOFF', '300'])
  })

  for (const request of [
    'GET shop/deployments/web',
    'GET shop/deployments',
    'GET /api/v1/workloads?kind=deployments',
    'POST shop/deployments/managed/pin?dryRun=true',
  ])
    it(`503 CLUSTER_UNAVAILABLE while its kind is not watched, and no other kind: ${request}`, async () => {
      service.cluster.away.add('replicasets')
      expect((await service.call(request)).status).to.equal(200)
      service.cluster.away.add('deployments')
      const answer = await service.call(request)
      expect([answer.status, answer.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
    })

  it('a list of all kinds is refused while one of them is not watched, and names it', async () => {
    service.cluster.away.add('replicasets')
    const { status, body } = await service.call('GET /api/v1/workloads')
    expect([status, body.error.message]).to.deep.equal([
      503,
      'replicasets are not all known now: try again, or ask for one of the other kinds by ?kind=',
    ])
    expect(body.error.details).to.deep.include({ kinds: ['replicasets'] })
  })

  for (const [told, refusal] of [
    ['502 CLUSTER_REJECTED', new Refusal('CLUSTER_REJECTED', 'no: ask', { details: { reason: 'quota' } })],
    [
      '409 CONFLICT',
      new Refusal('CONFLICT', 'lost to other writers: try again', { details: { reason: 'quota' } }),
    ],
  ] as const)
    it(`refusals of the cluster reach the caller with their details: ${told}`, async () => {
      service.cluster.failure = refusal
      const { status, code, body } = await service.call('POST shop/deployments/managed/pin')
      expect(`${status} ${code}`).to.equal(told)
      expect(body.error.details).to.deep.include({ reason: 'quota' })
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
