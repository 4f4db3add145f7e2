import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { KINDS, type Workload } from '../../src/domain/workload/workload.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { answer, failure, until, type Handler } from './fake-api-server.ts'
import { InformedDeployments, line, list } from './informed-deployments.ts'
import { WEB, deployment, workload } from './objects.ts'

const bookmark = (resourceVersion: string) => line('BOOKMARK', { metadata: { resourceVersion } })

describe("the informer's watch", () => {
  let api: InformedDeployments

  beforeEach(async () => {
    api = new InformedDeployments()
    await api.open()
  })

  afterEach(() => api.close())

  it('begins at the version of the list, and asks for bookmarks and an end in 30 s', async () => {
    await api.started()
    const query = api.asked('watch')[0]?.query
    expect(query?.get('resourceVersion')).to.equal('100')
    expect(query?.get('allowWatchBookmarks')).to.equal('true')
    expect(Number(query?.get('timeoutSeconds'))).to.equal(30)
  })

  it('follows what is added, changed and deleted', async () => {
    await api.started()
    api.standing[0]?.write(line('ADDED', deployment('api', { resourceVersion: '101' })))
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '102', replicas: 0 })))
    api.standing[0]?.write(line('DELETED', deployment('api', { resourceVersion: '103' })))
    await until(() => api.changes.length === 4)
    expect(api.changes.slice(1)).to.deep.equal(['- > 101 api', '10 > 102 web', '101 > - api'])
    expect(api.informer.get(WEB)?.replicas).to.equal(0)
  })

  it('goes on at once when the server ends it in time, and that is no restart', async () => {
    api.create(60_000, 1)
    await api.started()
    api.standing[0]?.write(bookmark('150'))
    api.standing[0]?.end()
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('150')
    api.standing[1]?.end()
    await until(() => api.standing.length === 3)
    expect(api.asked('list'), 'a quiet kind has no bookmark, and is not listed for that').to.have.length(1)
    expect(api.restarts()).to.deep.equal([])
    expect(api.pauses).to.deep.equal([])
    expect(api.informer.isConnected('deployments')).to.equal(true)
  })

  it('lists again when a watch after an interruption ends without a word: the cluster may be a restored one', async () => {
    api.create(60_000, 1)
    api.lists = [list('100', deployment('web')), list('50', deployment('web', { resourceVersion: '5' }))]
    await api.started()
    api.standing[0]?.destroy()
    await until(() => api.standing.length === 2)
    api.standing[1]?.end()
    await until(() => api.standing.length === 3)
    expect(api.asked('watch')[2]?.query.get('resourceVersion')).to.equal('50')
    expect(api.informer.get(WEB)?.resourceVersion, 'restored from a backup').to.equal('5')
  })

  it('lists again when a bookmark is older than what is known', async () => {
    api.lists = [list('100', deployment('web')), list('50', deployment('web', { resourceVersion: '5' }))]
    await api.started()
    api.standing[0]?.write(bookmark('60'))
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('50')
    expect(api.informer.get(WEB)?.resourceVersion, 'restored from a backup').to.equal('5')
  })

  it('does not go back for an event that comes late', async () => {
    await api.started()
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '103' })))
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '102' })))
    api.standing[0]?.end()
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('103')
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('103')
  })

  it('goes on from the last bookmark when the server ends it early, without a list', async () => {
    await api.started()
    api.standing[0]?.write(bookmark('150'))
    api.standing[0]?.end()
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('150')
    expect(api.asked('list')).to.have.length(1)
    expect(api.restarts()).to.deep.equal(['deployments ended'])
    await until(() => api.informer.isConnected('deployments'))
  })

  it('survives a cut in the middle of a line', async () => {
    await api.started()
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '102' })))
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '103' })).slice(0, 40))
    await until(() => api.changes.length === 2)
    api.standing[0]?.destroy()
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('102')
    api.standing[1]?.write(line('MODIFIED', deployment('web', { resourceVersion: '103' })))
    await until(() => api.changes.includes('102 > 103 web'))
    expect(api.restarts()).to.deep.equal(['deployments cut'])
  })

  it('lists again when the version has expired: told by the answer', async () => {
    api.watches = [
      (_, response) => answer(response, 410, failure(410, 'too old resource version', 'Expired')),
      api.stand,
    ]
    api.lists = [
      list('100', deployment('web'), deployment('gone')),
      list('200', deployment('web', { replicas: 5, resourceVersion: '160' })),
    ]
    await api.started()
    expect(api.changes).to.deep.equal(['- > 10 web', '- > 10 gone', '10 > 160 web', '10 > - gone'])
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('200')
  })

  it('lists again when the version has expired: told by an event', async () => {
    api.lists = [list('100', deployment('web'), deployment('gone')), list('200', deployment('web'))]
    await api.started()
    api.standing[0]?.end(line('ERROR', failure(410, 'too old resource version', 'Expired')))
    await until(() => api.standing.length === 2)
    expect(api.changes).to.deep.equal(['- > 10 web', '- > 10 gone', '10 > - gone'])
    expect(api.restarts()).to.deep.equal(['deployments expired'])
  })

  it('goes on from the last version after any other error event', async () => {
    await api.started()
    api.standing[0]?.write(bookmark('150'))
    api.standing[0]?.end(line('ERROR', failure(500, 'unable to decode an event')))
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('150')
    expect(api.restarts()).to.deep.equal(['deployments failed'])
  })

  it('honours Retry-After of a 429', async () => {
    api.watches = [
      (_, response) => answer(response, 429, failure(429, 'too many requests'), { 'retry-after': '3' }),
      api.stand,
    ]
    await api.started()
    expect(Math.max(...api.pauses)).to.be.within(3000, 5000)
    expect(api.restarts()).to.deep.equal(['deployments throttled'])
  })

  it('goes on from its version where it was refused for a while: whoever answers was not away', async () => {
    const throttled = (response: ServerResponse) => answer(response, 429, failure(429, 'too many requests'))
    api.watches = [api.stand, (_, response) => void setTimeout(throttled, 1200, response), api.stand]
    await api.started()
    api.standing[0]?.end()
    await until(() => api.standing.length === 2)
    expect(api.asked('list')).to.have.length(1)
    expect(api.restarts()).to.deep.equal(['deployments ended', 'deployments throttled'])
  })

  it('lists again when a line cannot be read', async () => {
    await api.started()
    api.standing[0]?.write('{"type":"MOD\n')
    await until(() => api.standing.length === 2)
    expect(api.asked('list')).to.have.length(2)
    expect(api.restarts()).to.deep.equal(['deployments unreadable'])
  })

  it('is replaced when it falls silent, from the last bookmark', async () => {
    api.create(200)
    await api.started()
    api.standing[0]?.write(bookmark('150'))
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('150')
    expect(api.asked('list')).to.have.length(1)
    expect(api.restarts()[0]).to.equal('deployments silent')
  })

  it('lists again when it never said anything: the cluster may not know the version', async () => {
    api.create(200)
    api.lists = [list('100', deployment('web')), list('50', deployment('web', { resourceVersion: '5' }))]
    await api.started()
    await until(() => api.standing.length === 2)
    expect(api.asked('watch')[1]?.query.get('resourceVersion')).to.equal('50')
    expect(api.informer.get(WEB)?.resourceVersion, 'restored from a backup').to.equal('5')
  })

  it('is not connected while the cluster is away, and catches up when it is back', async () => {
    let back = false
    const away: Handler = (received, response) => (back ? api.stand(received, response) : response.destroy())
    api.watches = [api.stand, away]
    await api.started()
    await until(() => api.informer.isConnected('deployments'))
    api.standing[0]?.destroy()
    await until(() => api.asked('watch').length > 3)
    expect(api.informer.isConnected('deployments')).to.equal(false)
    back = true
    await until(() => api.informer.isConnected('deployments'))
    expect(api.asked('list')).to.have.length(1)
  })

  it('tells listeners at once when it breaks, and when it is connected again', async () => {
    const told: string[] = []
    api.informer.onConnection((kind, connected) => {
      if (kind === 'deployments') told.push(connected ? 'stands' : 'broke')
    })
    await api.started()
    api.standing[0]?.destroy()
    await until(() => api.standing.length === 2 && told.length === 3)
    expect(told).to.deep.equal(['stands', 'broke', 'stands'])
  })

  it('that the server ends as usual stays connected for listeners', async () => {
    const told: boolean[] = []
    api.informer.onConnection((kind, connected) => {
      if (kind === 'deployments') told.push(connected)
    })
    await api.started()
    api.standing[0]?.end()
    await until(() => api.standing.length === 2)
    expect(told).to.deep.equal([true])
  })

  it('is replaced, after a pause, when a call cannot reach the cluster: it may not have noticed', async () => {
    await api.started()
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '150' })))
    await until(() => api.changes.length === 2)
    const nobody = () =>
      new ClusterRefusal('CLUSTER_UNAVAILABLE', 'nobody', { status: 0, noAnswer: 'unreachable' })
    for (let standing = 2; standing <= 5; standing++) {
      api.informer.suspect(nobody())
      expect(api.missing()).to.have.members(KINDS)
      await until(() => api.standing.length === standing && api.informer.isConnected('deployments'))
    }
    expect(api.asked('watch').at(-1)?.query.get('resourceVersion')).to.equal('150')
    expect(api.restarts()).to.deep.equal(Array.from({ length: 4 }, () => 'deployments unreachable'))
    expect(api.pauses.at(-1)).to.be.above(api.pauses[0]!)
  })

  it('is soon connected when the cluster answers again, even if its first answers are refusals', async () => {
    const away: Handler = (_, response) => response.destroy()
    const starting: Handler = (_, response) =>
      answer(response, 403, failure(403, 'no roles yet', 'Forbidden'))
    const expired: Handler = (_, response) => answer(response, 410, failure(410, 'too old', 'Expired'))
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
    api.standing[0]?.write(line('MODIFIED', deployment('web', { resourceVersion: '102' })))
    await until(() => heard.length === 2)
    expect(heard).to.deep.equal(['10', '102'])
    expect(api.observer.listenerFailures).to.equal(2)
    expect(api.restarts()).to.deep.equal([])
  })

  it('tells listeners of our own writes once', async () => {
    await api.started()
    const written: Workload = workload('web', { resourceVersion: '102', replicas: 0, ready: 3 })
    api.informer.applied(written)
    api.standing[0]?.write(
      line('MODIFIED', deployment('web', { resourceVersion: '102', replicas: 0, ready: 3 })),
    )
    api.standing[0]?.write(
      line('MODIFIED', deployment('web', { resourceVersion: '104', replicas: 0, ready: 0 })),
    )
    await until(() => api.changes.includes('102 > 104 web'))
    expect(api.changes).to.deep.equal(['- > 10 web', '10 > 102 web', '102 > 104 web'])
  })

  it('keeps what we wrote after the version of the list', async () => {
    await api.started()
    api.informer.applied(workload('web', { resourceVersion: '300', replicas: 0 }))
    api.lists = [list('200', deployment('web', { resourceVersion: '150' }))]
    api.standing[0]?.end(line('ERROR', failure(410, 'too old resource version', 'Expired')))
    await until(() => api.standing.length === 2)
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('300')
  })

  it('takes one socket for each watch, and leaves none when stopped', async () => {
    await api.informer.start()
    await until(() => api.informer.isConnected('deployments'))
    expect(api.observer.calls.filter((call) => call.startsWith('watch'))).to.have.members(
      KINDS.map((kind) => `watch ${kind} 200`),
    )
    await api.close()
    expect(api.server.sockets.size).to.equal(0)
  })
})
