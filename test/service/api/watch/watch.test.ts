import { connect } from 'node:net'
import { expect } from 'chai'
import { compileSchedule } from '../../../../src/domain/schedule/schedule.ts'
import { expectDocumentedEvent } from '../documented.ts'
import { AUTH, NOON, Service, token } from '../service.ts'
import { RULES } from '../../../support/rules.ts'
import { EventStream } from '../../../support/event-stream.ts'
import { eventually } from '../../../support/eventually.ts'
import { aUser, aWorkload } from '../../../support/fake-cluster.ts'
import { managed } from '../states.ts'

const LISTED = 'listed'

describe('a list as a stream', function () {
  this.timeout(90_000)
  let service: Service
  const open: EventStream[] = []

  beforeEach(async () => (service = await Service.start({}, { watchBeat: 100 })))
  afterEach(async () => {
    for (const stream of open.splice(0)) {
      for (const each of stream.events) expectDocumentedEvent(each)
      await stream.close()
    }
    await service.stop()
  })

  const watch = async (path = '/api/v1/workloads?watch=true', headers?: Record<string, string>) => {
    const stream = await EventStream.open(service.server.url + path, await token(), headers)
    open.push(stream)
    return stream
  }
  const put = (name: string, given: Parameters<typeof aWorkload>[0] = {}) =>
    service.cluster.put(aWorkload({ name, ...given }))

  it('begins with each record as it is, and says when that is all', async () => {
    put('web')
    put('db', { kind: 'statefulsets', namespace: 'data' })
    const stream = await watch()
    const listed = await stream.until(LISTED)
    expect(stream.events.every(({ id }) => id === undefined)).to.equal(true)
    expect(stream.headers['content-type']).to.equal('text/event-stream; charset=utf-8')
    expect(stream.told).to.have.members(['added shop/web', 'added data/db', 'listed'])
    expect(listed.data).to.deep.equal({ workloads: 2 })
    const { body } = await service.call('GET /api/v1/namespaces/shop/deployments/web')
    expect(stream.events.find(({ data }) => data['name'] === 'web')?.data).to.deep.equal(body.data)
  })

  it('tells of a record that something beside its workload has changed, such as a calendar', async () => {
    let hours = '8:00-18:00'
    const compile = () => compileSchedule(hours, 'UTC')
    await service.stop()
    service = await Service.start({}, { rules: { ...RULES, compile } })
    const workload = managed({}, { name: 'web', annotations: { schedule: hours } })
    service.cluster.put(workload)
    const stream = await watch()
    await stream.until(LISTED)
    hours = '8:00-13:00'
    service.cluster.inputsChanged([workload])
    const { data } = await stream.until('changed')
    expect(data['reason']).to.include('2026-03-03T13:00:00Z')
  })

  it('tells of what comes into a filtered list and of what leaves it', async () => {
    put('web')
    const stream = await watch('/api/v1/workloads?watch=true&labelSelector=tier%3Dpci')
    await stream.until(LISTED)
    put('web', { labels: { tier: 'pci' } })
    await stream.until('added')
    put('web', { labels: {} })
    await stream.until('removed')
    put('web', { replicas: 7 })
    put('api', { labels: { tier: 'pci' } })
    await stream.until('added', ({ name }) => name === 'api')
    expect(stream.told).to.deep.equal(['listed', 'added shop/web', 'removed shop/web', 'added shop/api'])
  })

  it('tells of what an operator owns while it is managed, and of its removal after', async () => {
    const owner = { apiVersion: 'v1', kind: 'Thing', name: 'it' }
    const given = { kind: 'statefulsets', name: 'db', owner } as const
    put('db', given)
    const stream = await watch()
    await stream.until(LISTED)
    service.cluster.put(managed({}, given))
    await stream.until('added')
    put('db', { ...given, annotations: {} })
    await stream.until('removed')
    expect(stream.told).to.deep.equal(['listed', 'added shop/db', 'removed shop/db'])
  })

  it('is about what a list there has: one kind, one namespace, none that is excluded or owned', async () => {
    const others = [
      { namespace: 'other' },
      { namespace: 'kube-system' },
      { kind: 'statefulsets' },
      { name: 'owned', owner: { apiVersion: 'v1', kind: 'Thing', name: 'it' } },
    ] as const
    for (const given of others) put('web', given)
    put('web')
    const stream = await watch('/api/v1/namespaces/shop/deployments?watch=true')
    await stream.until(LISTED)
    for (const given of others) put('web', { ...given, replicas: 9 })
    put('web', { replicas: 9 })
    await stream.until('changed')
    expect(stream.told).to.deep.equal(['added shop/web', 'listed', 'changed shop/web'])
  })

  it('tells of what time alone changes, or brings into a list of one state: the end of an override', async () => {
    const until = NOON + 500
    service.cluster.put(managed({ override: { until, at: NOON, by: 'local:alice' } }))
    const stream = await watch()
    await stream.until(LISTED)
    const awake = await watch('/api/v1/workloads?watch=true&state=awake')
    await awake.until(LISTED)
    service.now = until + 1
    await stream.until('changed', ({ has_manual_override: overridden }) => overridden === false)
    await awake.until('added')
    expect(awake.told).to.deep.equal(['listed', 'added shop/web'])
  })

  it('shows by comments that the connection lives', async () => {
    const stream = await watch()
    await eventually('two bookmarks', () => stream.comments.filter((each) => each === 'bookmark').length > 1)
    expect(stream.told).to.deep.equal(['listed'])
  })

  it('ends with the token, and says so', async () => {
    const stream = await watch()
    await stream.until(LISTED)
    service.now += 3600_000 + 31_000
    const { data } = await stream.until('end')
    expect(data['code']).to.equal('UNAUTHENTICATED')
    await eventually('its end', () => stream.ended)
  })

  it('ends while the cluster is away, and a new one is refused', async () => {
    const stream = await watch()
    await stream.until(LISTED)
    service.cluster.away.add('deployments')
    const { data } = await stream.until('end')
    expect(data['code']).to.equal('CLUSTER_UNAVAILABLE')
    expect((await watch()).status).to.equal(503)
  })

  it('has no pages, and says so; HEAD is answered at once', async () => {
    const paged = await service.call('GET /api/v1/workloads?watch=true&limit=5')
    expect(paged.body.error.message).to.include('query /limit is for pages')
    const { status, headers } = await service.call('HEAD /api/v1/workloads?watch=true')
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8'])
  })
})

describe('a stream that nobody reads', () => {
  it('holds back its buffers alone, and is closed; its place is free again', async function () {
    this.timeout(90_000)
    const service = await Service.start({ waiters: 10 }, { watchBeat: 100, watchUnread: 3000 })
    for (let n = 0; n < 8000; n += 1) service.cluster.put(aWorkload({ name: `w${n}` }))
    const url = new URL('/api/v1/workloads?watch=true', service.server.url)
    const bearer = await token()
    const socket = connect(Number(url.port), url.hostname)
    socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bearer}\r\n\r\n`,
    )
    socket.pause()
    // A stream that the server does not close stays open as long as nobody reads.
    const free = async () => (await service.call('HEAD /api/v1/workloads?watch=true')).status === 200
    await eventually('the place to be taken', async () => !(await free()))
    await eventually('the place to be free', free, { pause: 200 })
    socket.destroy()
    await service.stop()
  })
})

describe('places of streams', () => {
  it('are as many as `waiters`, of one subject a tenth, apart from those of answers, and given back', async function () {
    this.timeout(60_000)
    const service = await Service.start({ waiters: 20 })
    const url = `${service.server.url}/api/v1/workloads?watch=true`
    const open = async (sub: string) => await EventStream.open(url, await token({ claims: { sub } }))
    const streams: EventStream[] = []
    for (let subject = 0; subject < 10; subject += 1) {
      streams.push(await open(`s${subject}`), await open(`s${subject}`))
      const refused = await open(`s${subject}`)
      expect([refused.status, refused.text.includes('too many lists are being watched')]).to.deep.equal([
        429,
        true,
      ])
    }
    expect(new Set(streams.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect((await open('bob')).status).to.equal(429)
    expect((await service.call('GET /api/v1/workloads')).status).to.equal(200)
    await Promise.all(streams.map((stream) => stream.close()))
    await eventually('the places to be free', async () => {
      const again = await open('bob')
      await again.close()
      return again.status === 200
    })
    await service.stop()
  })
})

describe('a stream for a caller who may not see everything', function () {
  this.timeout(90_000)
  let service: Service
  let stream: EventStream
  let seen: Set<string>

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster }, { watchBeat: 100 })
    service.cluster.users.set('alices', aUser('alice'))
    seen = new Set(['shop'])
    service.cluster.allows = (_user, { namespace }) => seen.has(namespace ?? '')
    for (const namespace of ['shop', 'secret']) service.cluster.put(aWorkload({ namespace }))
    stream = await EventStream.open(`${service.server.url}/api/v1/workloads?watch=true`, 'alices')
    await stream.until(LISTED)
  })

  afterEach(async () => {
    await stream.close()
    await service.stop()
  })

  it('tells nothing of the rest: neither records, nor changes, nor removals', async () => {
    service.cluster.put(aWorkload({ namespace: 'secret', replicas: 9 }))
    service.cluster.put(aWorkload({ namespace: 'secret2' }))
    service.cluster.remove(aWorkload({ namespace: 'secret' }))
    service.cluster.put(aWorkload({ replicas: 9 }))
    await stream.until('changed')
    expect(stream.told).to.deep.equal(['added shop/web', 'listed', 'changed shop/web'])
  })

  const ends = async () => {
    const { data } = await stream.until('end')
    expect(data).to.deep.equal({
      code: null,
      message: 'what you may list has changed: connect again for the whole list',
    })
    await eventually('its end', () => stream.ended)
  }

  it('ends when they may no longer see something, and tells nothing more of it', async () => {
    seen.delete('shop')
    service.now += 10_001
    await ends()
    expect(stream.told).to.deep.equal(['added shop/web', 'listed', 'end'])
  })

  it('ends when they may see more', async () => {
    seen.add('secret')
    for (let round = 0; round < 200 && !stream.ended; round += 1) {
      service.now += 10_001
      await eventually('a bookmark', () => stream.ended || stream.comments.length > round)
    }
    await ends()
  })
})
