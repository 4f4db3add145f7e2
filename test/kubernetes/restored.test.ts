import { expect } from 'chai'
import { answer, failure, until, type Handler } from './fake-api-server.ts'
import { InformedDeployments, line, list, page } from './informed-deployments.ts'
import { WEB, deployment, workload } from './objects.ts'

const web = (resourceVersion: string, parts: object = {}) => deployment('web', { resourceVersion, ...parts })
const expired = line('ERROR', failure(410, 'too old', 'Expired'))

/** Its versions go on above all that were seen, as Kubernetes advises (`--bump-revision`), or go back. */
describe('a cluster that was restored from a backup', () => {
  let api: InformedDeployments
  let restored: string[]

  beforeEach(async () => {
    api = new InformedDeployments()
    await api.open()
    restored = []
    api.informer.onRestored((kind) => {
      restored.push(`${kind}${api.informer.isConnected(kind) ? ' connected' : ''}`)
    })
  })

  afterEach(() => api.close())

  /** Its copy is of version 150; then the watch expires and `lists` are answered in turn. */
  async function relisted(...lists: Handler[]): Promise<void> {
    api.lists = [list('100', web('10')), ...lists]
    await api.started()
    api.standing[0]?.write(line('MODIFIED', web('150')))
    await until(() => api.changes.includes('10 > 150 web'))
    api.standing[0]?.write(expired)
    await until(() => api.standing.length === 2)
  }

  it('is believed where its version is above all that were seen and its object is older than the copy', async () => {
    await relisted(list('1000000100', web('10')))
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(api.changes.at(-1)).to.equal('150 > 10 web')
    expect(restored, 'told before anything is written by it').to.deep.equal(['deployments'])
  })

  it('is believed also where others have written to it until its version is just that of the copy', async () => {
    await relisted(list('150', web('10')))
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(restored).to.deep.equal(['deployments'])
  })

  it('is believed of an object that was created again in the time that is lost', async () => {
    await relisted(list('1000000100', web('10', { uid: 'a former one' })))
    expect(api.informer.get(WEB)).to.include({ resourceVersion: '10', uid: 'a former one' })
  })

  it('is told of once, also where the list that proves it fails and is begun anew', async () => {
    const torn: Handler = (_, response) => answer(response, 200, page('1000000100', [web('10')], 'token'))
    const gone: Handler = (_, response) => answer(response, 410, failure(410, 'too old', 'Expired'))
    await relisted(torn, gone, list('1000000200', web('10')))
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(restored).to.deep.equal(['deployments'])
  })

  it('is not suspected where our own write is newer than the list', async () => {
    const written: Handler = (received, response) => {
      api.informer.applied(workload('web', { resourceVersion: '170' }))
      list('160', web('150'))(received, response)
    }
    await relisted(written)
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('170')
    expect(restored).to.deep.equal([])
  })

  it('is not suspected for what the list lacks: that was deleted', async () => {
    await relisted(list('160'))
    expect(api.informer.get(WEB)).to.equal(undefined)
    expect(restored).to.deep.equal([])
  })

  it('is believed by a list older than what is known once a second one agrees', async () => {
    await relisted(list('50', web('10')))
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(api.asked('list')).to.have.length(3)
    expect(restored).to.deep.equal(['deployments'])
  })

  it('is not believed by one such list alone: that server lagged', async () => {
    await relisted(list('50', web('10')), list('160', web('150')))
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('150')
    expect(api.changes).to.not.include('150 > 10 web')
    expect(restored).to.deep.equal([])
  })

  it('is not believed by two such lists with a newer one in between', async () => {
    api.lists = [list('100', web('10')), list('50', web('5')), list('160', web('150')), list('50', web('5'))]
    api.lists.push(list('170', web('150')))
    await api.started()
    api.standing[0]?.write(expired)
    await until(() => api.standing.length === 2)
    api.standing[1]?.write(expired)
    await until(() => api.standing.length === 3)
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('150')
    expect(restored).to.deep.equal([])
  })

  it('is looked for by a list where it was away for more than a second, although its versions have overtaken ours', async () => {
    api.lists = [list('100', web('10')), list('300', web('10'))]
    const away: Handler = (_, response) => void setTimeout(() => response.destroy(), 1100)
    api.watches = [api.stand, away, api.stand]
    await api.started()
    api.standing[0]?.write(line('MODIFIED', web('150')))
    await until(() => api.changes.includes('10 > 150 web'))
    api.standing[0]?.destroy()
    await until(() => api.standing.length === 2)
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(restored).to.deep.equal(['deployments'])
  })

  for (const { title, noticed } of [
    { title: 'the next event', noticed: () => api.standing[0]?.write(line('MODIFIED', web('400'))) },
    { title: 'the end of the watch', noticed: () => api.standing[0]?.destroy() },
  ])
    it(`is looked for by a list after this process stood still, at ${title}`, async () => {
      api.lists = [list('100', web('10')), list('300', web('10'))]
      await api.started()
      api.standing[0]?.write(line('MODIFIED', web('150')))
      await until(() => api.changes.includes('10 > 150 web'))
      api.stoodStillAt = performance.now()
      noticed()
      await until(() => api.standing.length === 2)
      expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
      expect(restored).to.deep.equal(['deployments'])
      expect(api.asked('list')).to.have.length(2)
    })

  it('is not looked for when a watch alone was cut', async () => {
    await api.started()
    api.standing[0]?.destroy()
    await until(() => api.standing.length === 2)
    expect(api.asked('list')).to.have.length(1)
  })

  it('has no say any more by the watch that it ended: that is closed before the list is asked for', async () => {
    let open = true
    api.lists = [
      list('100', web('10')),
      (received, response) => {
        const [former] = api.standing
        // The client's end of it is closed at once; here that is seen a moment later.
        former?.on('close', () => (open = false))
        former?.write(line('MODIFIED', web('999')))
        list('1000000100', web('10'))(received, response)
      },
    ]
    await api.started()
    api.standing[0]?.write(line('MODIFIED', web('150')))
    await until(() => api.changes.includes('10 > 150 web'))
    api.standing[0]?.write(expired)
    await until(() => api.standing.length === 2 && !open)
    expect(api.informer.get(WEB)?.resourceVersion).to.equal('10')
    expect(api.changes.join()).to.not.include('999')
  })
})
