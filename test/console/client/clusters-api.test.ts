import { expect } from 'chai'
import { ClustersApi } from '../../../src/console/client/clusters-api.ts'
import type { Found, Seen, Selection } from '../../../src/client/ports.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { aRecord, anAsleepRecord, FakeDormouse } from '../../client/fake-dormouse.ts'
import { EventStream } from '../../support/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { signedIn } from './signed-in.ts'

const AWAY = new Refusal('CLUSTER_UNAVAILABLE', 'cluster dev/2 cannot be reached (no route)')
const WHY = 'does not answer: cannot be reached (no route)'

/** A cluster that can go away and come back; whoever watches it is told nothing. */
class Switched extends FakeDormouse {
  lost: Error | undefined
  readonly #user: string

  constructor(place: string, workloads: readonly Found[], user = 'ann') {
    super({ place, workloads })
    this.#user = user
  }

  override async whoami() {
    return { cluster: this.place.replace('cluster ', ''), user: this.#user }
  }

  override async kinds() {
    if (this.lost) throw this.lost
    return super.kinds()
  }

  override async list(selection: Selection) {
    if (this.lost) throw this.lost
    return super.list(selection)
  }

  // oxlint-disable-next-line require-yield
  override async *watch(_selection: Selection, signal: AbortSignal): AsyncGenerator<Seen> {
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
  }
}

describe('the console over several clusters', () => {
  let one: Switched
  let two: Switched
  let here: Awaited<ReturnType<typeof signedIn>>
  let stream: EventStream | undefined

  const call: typeof here.call = (...given) => here.call(...given)
  const open = async (path = '') =>
    (stream = await EventStream.open(`${here.origin}/api/v1${path}/workloads?watch=true`, here.token))
  const clusterEvents = () => stream?.events.flatMap(({ event, data }) => (event === 'cluster' ? [data] : []))

  beforeEach(async () => {
    one = new Switched('cluster dev-1', [aRecord('web'), anAsleepRecord('cart')])
    two = new Switched('cluster dev/2', [aRecord('web')])
    const api = new ClustersApi(
      [
        { name: 'dev-1', dormouse: one, namespace: undefined },
        { name: 'dev/2', dormouse: two, namespace: 'shop' },
      ],
      { retry: 10, listAgain: 10 },
    )
    here = await signedIn(api)
  })

  afterEach(async () => {
    await here.server.stop()
    await stream?.close()
    stream = undefined
  })

  it('says which clusters there are, whether they answer, and as whom the person acts', async () => {
    const kinds = await one.kinds()
    const live = { state: 'live', message: null, kinds }
    const clusters = [
      { name: 'dev-1', ...live },
      { name: 'dev/2', ...live },
    ]
    expect((await call('GET', '')).body.data).to.deep.equal({ kinds, cluster: null, user: 'ann', clusters })
    two.lost = AWAY
    expect((await call('GET', '')).body.data['clusters']).to.deep.equal([
      { name: 'dev-1', ...live },
      { name: 'dev/2', state: 'away', message: WHY, kinds },
    ])
  })

  it('has the API of each behind its context', async () => {
    const { data } = (await call('GET', '/clusters/dev%2F2')).body
    expect(data).to.deep.equal({ kinds: await two.kinds(), cluster: 'dev/2', user: 'ann' })
    expect((await call('POST', '/clusters/dev%2F2/namespaces/shop/deployments/web/wake')).status).to.equal(
      200,
    )
    expect((await call('POST', '/clusters/dev-1/namespaces/shop/snooze?dryRun=true')).status).to.equal(200)
    expect(two.asked.map(({ key, request }) => [key.name, request.action])).to.deep.equal([['web', 'wake']])
    expect(one.asked.map(({ key, dryRun }) => [key.name, dryRun])).to.deep.equal([
      ['web', true],
      ['cart', true],
    ])
    const list = await open('/clusters/dev-1')
    await list.until('listed')
    expect(list.told).to.deep.equal(['added shop/web', 'added shop/cart', 'listed'])
    expect(list.events[0]?.data).to.not.have.property('cluster')
  })

  it('names the clusters that there are where it is asked for another, or for none', async () => {
    const known = 'is one of dev-1, dev%2F2'
    for (const path of ['/clusters/prod', '/clusters/prod/namespaces/shop/wake', '/clusters/%E0%A4%A']) {
      const { status, body } = await call('POST', path)
      expect([status, body.error.code], path).to.deep.equal([404, 'NOT_FOUND'])
      expect(body.error.message)
        .to.match(/^there is no cluster /)
        .and.include(known)
    }
    for (const path of ['/namespaces/shop/wake', '/clusters', '/clusters/', '/workloads']) {
      const { status, body } = await call('POST', path)
      expect([status, body.error.message.includes(known)], path).to.deep.equal([404, true])
    }
    expect([...one.asked, ...two.asked]).to.deep.equal([])
  })

  it('streams one list of all, in which each record names its cluster', async () => {
    const list = await open()
    const { data } = await list.until('listed')
    expect(data).to.deep.equal({ workloads: 3 })
    expect(clusterEvents()).to.have.deep.members([
      { name: 'dev-1', state: 'live', message: null },
      { name: 'dev/2', state: 'live', message: null },
    ])
    const added = list.events.flatMap(({ event, data }) => (event === 'added' ? [data] : []))
    expect(added.map(({ cluster, name }) => [cluster, name])).to.have.deep.members([
      ['dev-1', 'web'],
      ['dev-1', 'cart'],
      ['dev/2', 'web'],
    ])
    expect(added.find(({ cluster }) => cluster === 'dev/2')).to.deep.equal({
      cluster: 'dev/2',
      ...aRecord('web').record,
    })
    one.workloads = [anAsleepRecord('web')]
    const changed = await list.until('changed')
    expect(changed.data).to.include({ cluster: 'dev-1', name: 'web', is_snoozed: true })
    const removed = await list.until('removed')
    expect(removed.data).to.deep.equal({
      cluster: 'dev-1',
      name: 'cart',
      namespace: 'shop',
      type: 'deployment',
    })
  })

  it('lists what answers where a cluster does not; then tells that it is back, with what it has', async () => {
    two.lost = AWAY
    const list = await open()
    expect((await list.until('listed')).data).to.deep.equal({ workloads: 2 })
    expect(clusterEvents()).to.deep.include({ name: 'dev/2', state: 'away', message: WHY })
    const before = list.events.length
    two.lost = undefined
    await list.until('cluster', ({ name, state }) => name === 'dev/2' && state === 'live', before)
    await list.until('added', ({ cluster }) => cluster === 'dev/2', before)
    expect(list.events.filter(({ event }) => event === 'listed')).to.have.length(1)
  })

  it('tells that a cluster went away, once, and changes alone when it is back', async () => {
    const list = await open()
    await list.until('listed')
    const before = list.events.length
    two.lost = AWAY
    await list.until('cluster', ({ state }) => state === 'away', before)
    await eventually('it to be known', async () => {
      const clusters = (await call('GET', '')).body.data['clusters'] as { state: string }[]
      return clusters[1]?.state === 'away'
    })
    two.workloads = [aRecord('web'), aRecord('new')]
    two.lost = undefined
    await list.until('added', ({ name }) => name === 'new', before)
    expect(
      list.events.slice(before).map(({ event, data }) => [event, data['state'] ?? data['name']]),
    ).to.deep.equal([
      ['cluster', 'away'],
      ['cluster', 'live'],
      ['added', 'new'],
    ])
  })

  it('knows the person by a name that all clusters that answer agree on, or by none', async () => {
    const others = new Switched('cluster prod', [], 'anna')
    const apart = new ClustersApi([
      { name: 'dev-1', dormouse: one, namespace: undefined },
      { name: 'prod', dormouse: others, namespace: undefined },
    ])
    const silent = new Switched('cluster qa', [])
    silent.kinds = () => new Promise(() => undefined)
    const known = new ClustersApi([
      { name: 'dev-1', dormouse: one, namespace: undefined },
      { name: 'qa', dormouse: silent, namespace: undefined, away: 'does not answer' },
    ])
    const asked = { method: 'GET', path: '', query: new URLSearchParams(), signal: AbortSignal.abort() }
    expect((await apart.answer(asked)).data).to.deep.include({ user: null })
    const { data } = await known.answer(asked)
    expect(data).to.deep.include({ user: 'ann' })
    const { clusters } = data as { clusters: object[] }
    expect(clusters[1], 'it is not asked').to.deep.equal({
      name: 'qa', state: 'away', message: 'does not answer', kinds: [],
    }) // prettier-ignore
  })
})
