import { createHmac, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import type { LocalTokens } from '../support/local-tokens.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { BODIES, isRead, PATHS, QUERIES, type Case } from './bad-requests.ts'

describeOn('bad input', function (on) {
  this.timeout(30_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const target = 'target'
  let untouched: object

  async function look() {
    const { spec, metadata } = await here.cluster.admin.expect(
      'GET',
      `/apis/apps/v1/namespaces/${here.namespace}/deployments/${target}`,
    )
    return { spec, resourceVersion: metadata?.['resourceVersion'] }
  }

  async function ask({ method = 'POST', at, options }: Omit<Case, 'what' | 'answer'>) {
    const path = at.startsWith('~') ? at.slice(1) : `/namespaces/${here.namespace}/deployments/${target}${at}`
    return here.api.call(method, path, options)
  }

  before('a workload that nothing may change', async () => {
    const workload = await here.create('deployments', target, { replicas: 2 })
    await workload.enable({ schedule: awakeNow() })
    await here.settled('deployments', target)
    untouched = await eventually('it to rest', async () => {
      const seen = await look()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return (await look()).resourceVersion === seen.resourceVersion && seen
    })
  })

  afterEach('nothing has changed', async () => {
    expect(await look()).to.deep.equal(untouched)
  })

  for (const { what, answer, ...asked } of [...PATHS, ...BODIES, ...QUERIES]) {
    it(`${what}: ${[answer].flat().join(' or ')}`, async () => {
      const { status, body, headers } = await ask({ ...asked, ...(isRead(asked) ? { method: 'GET' } : {}) })
      expect([answer].flat()).to.include(`${status} ${body.error?.code}`)
      expect(body).to.include({ success: false })
      expect(body.error.message, 'it says what to do').to.have.length.above(10)
      if (body.error.code === 'VALIDATION_ERROR' && body.error.details.faults)
        for (const fault of body.error.details.faults) expect(fault.pointer).to.match(/^(\/|$)/)
      if (status === 405) expect(headers['allow']).to.match(/GET|POST|PUT|DELETE/)
    })
  }

  it('tells all faults of a body at once, where they are', async () => {
    const { body } = await ask({
      method: 'PUT',
      at: '/schedule',
      options: { body: { schedule: '8:00-25:00', timezone: 'Mars', more: 1 } },
    })
    const pointers = body.error.details.faults?.map(({ pointer }) => pointer)
    expect(pointers).to.include.members(['/schedule', '/timezone'])
    expect(pointers).to.have.length(3)
  })

  it('says at which column of a schedule what was expected', async () => {
    const { body } = await ask({
      method: 'PUT',
      at: '/schedule',
      options: { body: { schedule: '8:00-18:00,Mon-Fry' } },
    })
    expect(body.error.message).to.match(/16|Fry/)
  })

  describe('tokens', () => {
    const stranger = generateKeyPairSync('ed25519').privateKey
    const now = Math.floor(Date.now() / 1000)
    const bad: [string, (tokens: LocalTokens) => Promise<string> | string | null, string?][] = [
      ['none', () => null],
      ['garbage', () => 'garbage'],
      ['three parts of garbage', () => 'a.b.c'],
      ['longer than 8 KiB', () => 'x'.repeat(9000)],
      ['of another key', (tokens) => tokens.token({ key: stranger })],
      [
        'of another key with a kid that is a path',
        (tokens) => tokens.token({ key: stranger, header: { kid: '../../../../dev/null' } }),
      ],
      [
        'that brings its own key',
        (tokens) =>
          tokens.token({ key: stranger, header: { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) } } }),
      ],
      ['that has expired', (tokens) => tokens.token({ issuedAt: now - 7200, expiresAt: now - 3600 })],
      ['that is not good yet', (tokens) => tokens.token({ notBefore: now + 3600 })],
      ['issued in the future', (tokens) => tokens.token({ issuedAt: now + 3600, expiresAt: now + 7200 })],
      ['of more than 24 hours', (tokens) => tokens.token({ expiresAt: now + 25 * 3600 })],
      ['of another issuer', (tokens) => tokens.token({ issuer: 'somebody' })],
      ['for another audience', (tokens) => tokens.token({ audience: 'somebody' })],
      ['with alg none', (tokens) => forged({ alg: 'none' }, tokens, () => '')],
      [
        'with the public key as an HMAC secret',
        (tokens) =>
          forged({ alg: 'HS256' }, tokens, (signed) =>
            createHmac('sha256', tokens.publicKey).update(signed).digest('base64url'),
          ),
      ],
      ['without scopes', (tokens) => tokens.token({ scope: '' }), '403 FORBIDDEN'],
      ['that may only read', (tokens) => tokens.token({ scope: 'dormouse:read' }), '403 FORBIDDEN'],
      ['for another namespace', (tokens) => tokens.token({ namespaces: ['elsewhere'] }), '403 FORBIDDEN'],
      ['for no namespace', (tokens) => tokens.token({ namespaces: [] }), '403 FORBIDDEN'],
      [
        'whose namespaces are no list',
        (tokens) => tokens.token({ namespaces: { length: 1 } }),
        '403 FORBIDDEN',
      ],
    ]

    for (const [what, make, answer = '401 UNAUTHENTICATED'] of bad) {
      it(`${what}: ${answer}`, async () => {
        const token = await make(here.dormouse.tokens)
        const { status, body, headers } = await ask({ at: '/snooze', options: { token } })
        expect(`${status} ${body.error.code}`).to.equal(answer)
        if (status === 401) expect(headers['www-authenticate']).to.match(/^Bearer realm="dormouse"/)
      })
    }

    for (const authorization of [
      'Basic dGVzdGVyOnNlY3JldA==',
      'Bearer',
      'Token abc',
      `Bearer ${'a'.repeat(100)} b`,
    ]) {
      it(`Authorization: ${authorization.slice(0, 24)}: 401 UNAUTHENTICATED`, async () => {
        const { status, headers } = await ask({
          at: '/snooze',
          options: { token: null, headers: { authorization } },
        })
        expect(status).to.equal(401)
        expect(headers['www-authenticate']).to.be.a('string')
      })
    }

    it('a stranger learns nothing of what there is: 401 comes before 404, 405 and 415', async () => {
      for (const [method, path] of [
        ['GET', '/nowhere'],
        ['PATCH', '/workloads'],
        ['POST', '/namespaces/kube-system/deployments/x/pin'],
      ] as const)
        expect((await here.api.call(method, path, { token: null })).status, path).to.equal(401)
    })
  })

  it('what is no HTTP is answered 400 and hung up on', async () => {
    const { port } = new URL(here.api.url)
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.end('GARBAGE\r\n\r\n')
    expect(await text(socket)).to.match(/^HTTP\/1\.1 400 /)
  })

  it('too many requests of one subject are answered 429 with Retry-After, others are served', async () => {
    const limited = await Dormouse.start(here.cluster, {
      api: { host: '127.0.0.1', insecurePort: 0, rate: { perSecond: 1, burst: 5 } },
      controller: { enabled: false },
    })
    try {
      const path = `/namespaces/${here.namespace}/deployments/${target}`
      const answers = await Promise.all(Array.from({ length: 20 }, () => limited.api.call('GET', path)))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).to.have.length(15)
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

/** The claims of a good token under another header. */
async function forged(
  header: object,
  tokens: LocalTokens,
  sign: (signed: string) => string,
): Promise<string> {
  const [, claims = ''] = (await tokens.token()).split('.')
  const signed = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}`
  return `${signed}.${sign(signed)}`
}
