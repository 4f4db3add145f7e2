import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { KINDS } from '../../src/domain/workload/workload.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { answer, failure, until, type Handler } from './fake-api-server.ts'
import { EXPIRED, informedDeployments, type InformedDeployments, list, web } from './informed-deployments.ts'
import { WEB, deployment, workload } from './objects.ts'

const throttled = (response: ServerResponse, headers = {}) =>
  answer(response, 429, failure(429, 'too many requests'), headers)

describe("the informer's watch", () => {
  let api: InformedDeployments
  informedDeployments((opened) => (api = opened))

  const bookmark = (resourceVersion: string) => api.tell('BOOKMARK', { metadata: { resourceVersion } })
  const end = () => api.standing.at(-1)?.end()
  const cut = () => api.standing.at(-1)?.destroy()

  it('begins at the version of the list, and asks for bookmarks and an end in 30 s', async () => {
    await api.started()
    const query = Object.fromEntries(api.asked('watch')[0]?.query ?? [])
    expect(query).to.include({ resourceVersion: '100', allowWatchBookmarks: 'true', timeoutSeconds: '30' })
  })

  it('follows what is added, changed and deleted', async () => {
    await api.started()
    api.tell('ADDED', deployment('api', { resourceVersion: '101' }))
    api.tell('MODIFIED', web('102', { replicas: 0 }))
    api.tell('DELETED', deployment('api', { resourceVersion: '103' }))
    await until(() => api.changes.length === 4)
    expect(api.changes.slice(1)).to.deep.equal(['- > 101 api', '10 > 102 web', '101 > - api'])
    expect(api.informer.get(WEB)?.replicas).to.equal(0)
  })

  it('goes on at once when the server ends it in time, and that is no restart', async () => {
    api.create(60_000, 1)
    const told: boolean[] = []
    api.informer.onConnection((connected, kind) => kind === 'deployments' && told.push(connected))
    await api.started()
    bookmark('150')
    end()
    await api.stood(2)
    expect(api.from).to.equal('150')
    end()
    await api.stood(3)
    expect(api.asked('list'), 'a quiet kind has no bookmark, and is not listed for that').to.have.length(1)
    expect([api.restarts(), api.pauses]).to.deep.equal([[], []])
    expect(told, 'it stays connected for listeners').to.deep.equal([true])
  })

  interface Way {
    readonly when: string
    readonly happens: () => unknown
    readonly from: string
    readonly restarts: readonly string[]
    /** Milliseconds of silence that are too long. */
    readonly silence?: number
  }
  const GOES_ON: readonly Way[] = [
    { when: 'the server ends it early', happens: end, from: '150', restarts: ['ended'] },
    {
      when: 'any other error is told',
      happens: () => api.tell('ERROR', failure(500, 'unable to decode an event')),
      from: '150',
      restarts: ['failed'],
    },
    { when: 'it falls silent', happens() {}, from: '150', restarts: ['silent'], silence: 200 },
    {
      when: 'events have come late',
      async happens() {
        for (const version of ['153', '152']) api.tell('MODIFIED', web(version))
        end()
      },
      from: '153',
      restarts: ['ended'],
    },
    {
      when: 'it is cut in the middle of a line',
      async happens() {
        api.tell('MODIFIED', web('152'))
        api.standing[0]?.write(JSON.stringify({ type: 'MODIFIED', object: web('153') }).slice(0, 40))
        await until(() => api.changes.length === 2)
        cut()
      },
      from: '152',
      restarts: ['cut'],
    },
    {
      when: 'it was refused for a while: whoever answers was not away',
      happens() {
        api.watches = [(_, response) => void setTimeout(throttled, 1200, response), api.stand]
        end()
      },
      from: '150',
      restarts: ['ended', 'throttled'],
    },
  ]
  for (const { when, happens, from, restarts, silence } of GOES_ON)
    it(`goes on from the last version, without a list, when ${when}`, async () => {
      if (silence !== undefined) api.create(silence)
      await api.started()
      bookmark('150')
      await happens()
      await api.stood(2)
      expect([api.from, api.asked('list').length]).to.deep.equal([from, 1])
      expect(api.restarts().slice(0, restarts.length)).to.deep.equal(
        restarts.map((why) => `deployments ${why}`),
      )
      await until(() => api.informer.isConnected('deployments'))
      api.tell('MODIFIED', web('200'))
      await until(() => api.changes.at(-1)?.endsWith('> 200 web') === true)
    })

  const NEWER = list('200', web('160'))
  /** As of a cluster that was restored from a backup. */
  const OLDER = list('50', web('5'))
  const LISTS_AGAIN: readonly {
    readonly when: string
    /** How the second list is answered. */
    readonly second: Handler
    readonly happens?: () => unknown
    readonly restarts?: readonly string[]
    readonly first?: Handler
    readonly silence?: number
    /** Default: 2. */
    readonly stood?: number
  }[] = [
    {
      when: 'the answer tells that the version has expired',
      first: (_, response) => answer(response, 410, EXPIRED),
      second: NEWER,
      restarts: ['expired'],
      stood: 1,
    },
    {
      when: 'an event tells that the version has expired',
      happens: () => api.tell('ERROR', EXPIRED),
      second: NEWER,
      restarts: ['expired'],
    },
    {
      when: 'a line cannot be read',
      happens: () => api.standing[0]?.write('{"type":"MOD\n'),
      second: NEWER,
      restarts: ['unreadable'],
    },
    { when: 'a bookmark is older than what is known', happens: () => bookmark('60'), second: OLDER },
    { when: 'it never said anything: the cluster may not know the version', second: OLDER, silence: 200 },
    {
      when: 'a watch after an interruption ends without a word: the cluster may be a restored one',
      async happens() {
        cut()
        await api.stood(2)
        end()
      },
      second: OLDER,
      stood: 3,
    },
  ]
  for (const { when, second, happens, restarts, first, silence, stood = 2 } of LISTS_AGAIN)
    it(`lists again when ${when}`, async () => {
      api.create(silence ?? 60_000, 1)
      api.lists = [list('100', deployment('web'), deployment('gone')), second]
      if (first) api.watches = [first, api.stand]
      await api.started()
      await happens?.()
      await api.stood(stood)
      const version = second === NEWER ? ['200', '160'] : ['50', '5']
      expect([api.from, api.informer.get(WEB)?.resourceVersion]).to.deep.equal(version)
      expect(api.changes.at(-1)).to.equal('10 > - gone')
      if (restarts) expect(api.restarts()).to.deep.equal(restarts.map((why) => `deployments ${why}`))
    })

  it('honours Retry-After of a 429', async () => {
    api.watches = [(_, response) => throttled(response, { 'retry-after': '3' }), api.stand]
    await api.started()
    expect(Math.max(...api.pauses)).to.be.within(3000, 5000)
    expect(api.restarts()).to.deep.equal(['deployments throttled'])
  })

  it('is not connected while the cluster is away, which listeners hear at once, and catches up when it is back', async () => {
    let back = false
    const told: string[] = []
    api.informer.onConnection((connected, kind) => {
      if (kind === 'deployments') told.push(connected ? 'stands' : 'broke')
    })
    const away: Handler = (received, response) => (back ? api.stand(received, response) : response.destroy())
    api.watches = [api.stand, away]
    await api.started()
    cut()
    await until(() => api.asked('watch').length > 3)
    expect(api.informer.isConnected('deployments')).to.equal(false)
    back = true
    await until(() => api.informer.isConnected('deployments'))
    expect(told).to.deep.equal(['stands', 'broke', 'stands'])
    expect(api.asked('list')).to.have.length(1)
  })

  it('is replaced, after a pause, when a call cannot reach the cluster: it may not have noticed', async () => {
    await api.started()
    api.tell('MODIFIED', web('150'))
    await until(() => api.changes.length === 2)
    for (let standing = 2; standing <= 5; standing++) {
      const error = { status: 0, noAnswer: 'unreachable' } as const
      api.informer.suspect(new ClusterRefusal('CLUSTER_UNAVAILABLE', 'nobody', error))
      expect(api.missing()).to.have.members(KINDS)
      await until(() => api.standing.length === standing && api.informer.isConnected('deployments'))
    }
    expect(api.from).to.equal('150')
    expect(api.restarts()).to.deep.equal(Array.from({ length: 4 }, () => 'deployments unreachable'))
    expect(api.pauses.at(-1)).to.be.above(api.pauses[0]!)
  })

  it('is soon connected when the cluster answers again, even if its first answers are refusals', async () => {
    const away: Handler = (_, response) => response.destroy()
    const starting: Handler = (_, response) =>
      answer(response, 403, failure(403, 'no roles yet', 'Forbidden'))
    const expired: Handler = (_, response) => answer(response, 410, EXPIRED)
    api.watches = [...Array.from({ length: 8 }, () => away), starting, expired, api.stand]
    await api.started()
    const [afterStarting = 0, afterExpired = 0] = api.pauses.slice(-2)
    expect(afterStarting + afterExpired).to.be.at.most(300)
    expect(Math.max(...api.pauses)).to.be.above(900)
  })

  it('outlives a listener that throws; the others hear of the change', async () => {
    const heard: string[] = []
    api.informer.onChange(() => {
      throw new Error('a bug')
    })
    api.informer.onChange((_, after) => heard.push(after?.resourceVersion ?? '-'))
    await api.started()
    api.tell('MODIFIED', web('102'))
    await until(() => heard.length === 2)
    expect(heard).to.deep.equal(['10', '102'])
    expect([api.observer.listenerFailures, api.restarts()]).to.deep.equal([2, []])
  })

  it('tells listeners of our own writes once', async () => {
    await api.started()
    const parts = { replicas: 0, ready: 3 }
    api.informer.applied(workload('web', { resourceVersion: '102', ...parts }))
    api.tell('MODIFIED', web('102', parts))
    api.tell('MODIFIED', web('104', { replicas: 0 }))
    await until(() => api.changes.includes('102 > 104 web'))
    expect(api.changes).to.deep.equal(['- > 10 web', '10 > 102 web', '102 > 104 web'])
  })

  it('takes one socket for each kind, and leaves none when stopped', async () => {
    await api.informer.start()
    await until(() => api.informer.isConnected('deployments'))
    expect(api.observer.calls.filter((call) => call.startsWith('watch'))).to.have.members(
      KINDS.map((kind) => `watch ${kind} 200`),
    )
    await api.close()
    expect(api.server.sockets.size).to.equal(0)
  })
})
