import { expect } from 'chai'
import type { LeaseRecord } from '../../src/kubernetes/ports.ts'
import { LeaseObjects } from '../../src/kubernetes/lease.ts'
import { answer, failure, FakeApiServer, type Received } from './fake-api-server.ts'

const PATH = '/apis/coordination.k8s.io/v1/namespaces/dormouse/leases'
const AT = '2026-03-02T12:00:00.000000Z'
const TIMES = { acquireTime: AT, renewTime: AT }
const HELD_SPEC = { holderIdentity: 'me', leaseDurationSeconds: 15, ...TIMES, leaseTransitions: 3 }
const HELD: LeaseRecord = { holder: 'me', durationSeconds: 15, ...TIMES, transitions: 3 }
const NAMED = { name: 'dormouse', namespace: 'dormouse' }
const METADATA = { ...NAMED, uid: 'u1', resourceVersion: '7', labels: { app: 'dormouse' } }
const FOUND: [number, object] = [200, { metadata: METADATA, spec: HELD_SPEC }]

describe('a Lease', () => {
  const { signal } = new AbortController()
  let server: FakeApiServer
  let leases: LeaseObjects

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    leases = new LeaseObjects({ client: server.client, ...NAMED, creatable: true })
  })

  afterEach(async () => {
    await server.close()
  })

  const answering = (...answers: [number, object][]) => {
    server.handler = (_, response) => {
      const [status, body] = answers.shift() ?? [500, failure(500, 'one call too many')]
      answer(response, status, body)
    }
  }
  const bodyOf = (received: Received | undefined): unknown => JSON.parse(received?.body ?? '')

  it('is read as a record', async () => {
    answering(FOUND)
    expect((await leases.read(signal))?.record).to.deep.equal(HELD)
    expect(server.received[0]).to.deep.include({ method: 'GET', path: `${PATH}/dormouse` })
  })

  for (const [what, spec] of [
    ['without a spec, as the chart brings it', undefined],
    ['with a spec of nonsense', { holderIdentity: 5, leaseDurationSeconds: 'x', leaseTransitions: -1 }],
  ] as const) {
    it(`${what} has no holder`, async () => {
      answering([200, { metadata: METADATA, ...(spec && { spec }) }])
      expect((await leases.read(signal))?.record).to.deep.equal({
        holder: '',
        durationSeconds: undefined,
        acquireTime: undefined,
        renewTime: undefined,
        transitions: 0,
      })
    })
  }

  it('that does not exist is undefined', async () => {
    answering([404, failure(404, 'not found')])
    expect(await leases.read(signal)).to.equal(undefined)
  })

  it('is replaced in the version that was read, with all else that is on it', async () => {
    const renewed = { ...METADATA, resourceVersion: '8' }
    answering(
      [200, { metadata: METADATA, spec: { ...HELD_SPEC, strategy: 'OldestEmulationVersion' } }],
      [200, { metadata: renewed, spec: HELD_SPEC }],
      [200, { metadata: renewed, spec: HELD_SPEC }],
    )
    const lease = await leases.read(signal)
    const updated = await lease?.update({ ...HELD, transitions: 4 }, signal)
    expect(server.received[1]).to.deep.include({ method: 'PUT', path: `${PATH}/dormouse` })
    expect(bodyOf(server.received[1])).to.deep.equal({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: METADATA,
      spec: { ...HELD_SPEC, leaseTransitions: 4, strategy: 'OldestEmulationVersion' },
    })
    await updated?.update(HELD, signal)
    expect(bodyOf(server.received[2])).to.have.nested.property('metadata.resourceVersion', '8')
  })

  it('that is given up has no holder field: the cluster refuses an empty name', async () => {
    answering(FOUND, [200, { metadata: METADATA }])
    await (await leases.read(signal))?.update({ ...HELD, holder: '' }, signal)
    expect(bodyOf(server.received[1])).to.have.property('spec').that.does.not.have.property('holderIdentity')
  })

  it('is created, unless somebody was quicker', async () => {
    answering([201, { metadata: METADATA, spec: HELD_SPEC }], [409, failure(409, 'already exists')])
    expect((await leases.create(HELD, signal))?.record).to.deep.equal(HELD)
    expect(server.received[0]).to.deep.include({ method: 'POST', path: PATH })
    expect(bodyOf(server.received[0])).to.deep.include({ spec: HELD_SPEC })
    expect(await leases.create(HELD, signal)).to.equal(undefined)
  })

  for (const status of [409, 404, 403, 410, 422, 429, 500]) {
    const overtaken = status === 409 || status === 404
    it(`asks once where the cluster answers ${status}, ${overtaken ? 'and was too late' : 'and throws that'}`, async () => {
      answering(FOUND, [status, failure(status, 'no such luck')])
      const lease = await leases.read(signal)
      const outcome = await lease?.update(HELD, signal).catch((reason: unknown) => reason)
      if (overtaken) expect(outcome).to.equal(undefined)
      else expect(outcome).to.be.an('error').with.property('status', status)
      expect(server.received).to.have.length(2)
    })
  }
})
