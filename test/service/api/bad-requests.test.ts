import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service, token, type Call } from './service.ts'

const json = (text: string): Call => ({ text, headers: { 'Content-Type': 'application/json' } })
const typed = (type: string, text: string): Call => ({ text, headers: { 'Content-Type': type } })

/** Requests that no caller may send: the answer and the requests that get it, by what is wrong with them. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, readonly [request: string, call?: Call]>>>> = {
  '404 NOT_FOUND': {
    'the root': ['GET /api/v1/'],
    'an unknown namespace': ['GET no-such-namespace/deployments/web'],
  },
  '405 METHOD_NOT_ALLOWED': {
    'PATCH of a workload': ['PATCH shop/deployments/web'],
    'POST of a schedule': ['POST shop/deployments/web/schedule'],
  },
  '415 UNSUPPORTED_MEDIA_TYPE': {
    YAML: ['POST shop/deployments/web/enable', typed('application/yaml', 'schedule: 8:00-18:00')],
    'a form': [
      'POST shop/deployments/web/enable',
      typed('application/x-www-form-urlencoded', 'schedule=8:00-18:00'),
    ],
  },
  '400 INVALID_JSON': {
    JavaScript: ['POST shop/deployments/web/enable', json("{schedule: '8:00-18:00'}")],
  },
  '400 VALIDATION_ERROR': {
    'a name with capitals': ['POST shop/deployments/WEB/snooze'],
    'a name that climbs': ['POST shop/deployments/..%2f..%2fsecrets/snooze'],
    'a name with a NUL': ['POST shop/deployments/web%00/snooze'],
    'a namespace that climbs': ['GET /api/v1/workloads?namespace=..'],
    'an unknown kind to list': ['GET /api/v1/workloads?kind=pods'],
    'a parameter without a value': ['POST shop/deployments/web/snooze?force'],
    'a duration that is a word': ['POST shop/deployments/web/snooze?for=soon'],
    'a wait of nothing': ['POST shop/deployments/web/wake?wait=0s'],
    'no hours to plan': ['GET shop/deployments/web/plan?hours=0'],
    'hours to plan in another notation': ['GET shop/deployments/web/plan?hours=1e2'],
    'the parameter __proto__': ['POST shop/deployments/web/pin?__proto__=1'],
    'the parameter constructor': ['POST shop/deployments/web/snooze?constructor=1'],
    'null as the body': ['POST shop/deployments/web/enable', json('null')],
    'a number as the body': ['POST shop/deployments/web/enable', json('7')],
    'a property in other capitals': ['POST shop/deployments/web/enable', { body: { timeZone: 'UTC' } }],
    'a schedule that is no text': ['PUT shop/deployments/web/schedule', { body: { schedule: 8 } }],
    ...onSchedules({
      'with hour 25': '8:00-25:00',
      'without length': '8:00-8:00',
      'with an unknown day': '8:00-18:00,Mon-Fry',
      'that is too long': `8:00-18:00;${'x'.repeat(512)}`,
      'of 33 windows': Array(33).fill('8:00-9:00').join(';'),
      'with a line break': '8:00-18:00\nenabled: false',
    }),
    'a zone that is a path': [
      'PUT shop/deployments/web/schedule',
      { body: { timezone: '../../etc/localtime' } },
    ],
    'a duration in milliseconds': ['POST shop/deployments/web/override', { body: { duration: '90000ms' } }],
    'a negative duration': ['POST shop/deployments/web/override', { body: { duration: '-1h' } }],
    'a duration that is a number': ['POST shop/deployments/web/override', { body: { duration: 60 } }],
  },
}

function onSchedules(faults: Record<string, string>): Record<string, readonly [string, Call]> {
  const requests = Object.entries(faults).map(([what, schedule]) => [
    `a schedule ${what}`,
    ['PUT shop/deployments/web/schedule', { body: { schedule } }] as const,
  ])
  return Object.fromEntries(requests) as Record<string, readonly [string, Call]>
}

describe('a bad request changes nothing, and is told what to do', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
  })

  after(async () => await service.stop())

  for (const [answer, requests] of Object.entries(REFUSED))
    for (const [what, [request, call]] of Object.entries(requests))
      it(`${answer}: ${what}`, async () => {
        const before = service.cluster.snapshot()
        const { status, code, body } = await service.call(request, call)
        expect(`${status} ${code}`).to.equal(answer)
        expect(body.error.message).to.have.length.above(10)
        for (const { pointer } of faultsOf(body.error.details)) expect(pointer).to.match(/^(\/|$)/)
        expect(service.cluster.snapshot()).to.equal(before)
      })

  it('401 UNAUTHENTICATED: a token that brings its own key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const bearer = await token({ key: privateKey, header: { jwk: publicKey.export({ format: 'jwk' }) } })
    const { status, code } = await service.call('GET shop/deployments/web', { token: bearer })
    expect(`${status} ${code}`).to.equal('401 UNAUTHENTICATED')
  })
})

function faultsOf({ faults = [] }: { faults?: unknown }): readonly { pointer: string }[] {
  return faults as { pointer: string }[]
}
