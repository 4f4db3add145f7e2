import { expect } from 'chai'
import { answer, until, type Handler } from './fake-api-server.ts'
import {
  EXPIRED,
  informedDeployments,
  type InformedDeployments,
  list,
  page,
  web,
} from './informed-deployments.ts'
import { WEB, workload } from './objects.ts'

/** Its versions go on above all that were seen, as Kubernetes advises (`--bump-revision`), or go back. */
describe('a cluster that was restored from a backup', () => {
  let api: InformedDeployments
  let restored: string[]
  informedDeployments((opened) => (api = opened))

  beforeEach(() => {
    restored = []
    api.informer.onRestored((kind) => {
      restored.push(`${kind}${api.informer.isConnected(kind) ? ' connected' : ''}`)
    })
  })

  /** Its copy is of version 150. */
  async function seen(...lists: Handler[]): Promise<void> {
    api.lists = [list('100', web('10')), ...lists]
    await api.started()
    api.tell('MODIFIED', web('150'))
    await until(() => api.changes.includes('10 > 150 web'))
  }
  /** The watch expires, and these are answered in turn. */
  async function relisted(...lists: Handler[]): Promise<void> {
    await seen(...lists)
    api.tell('ERROR', EXPIRED)
    await api.stood(2)
  }
  const copy = () => api.informer.get(WEB)?.resourceVersion

  const torn: Handler = (_, response) => answer(response, 200, page('1000000100', [web('10')], 'token'))
  const gone: Handler = (_, response) => answer(response, 410, EXPIRED)
  const BELIEVED: Readonly<Record<string, readonly Handler[]>> = {
    'where its version is above all that were seen and its object is older than the copy': [
      list('1000000100', web('10')),
    ],
    'also where others have written to it until its version is just that of the copy': [
      list('150', web('10')),
    ],
    'of an object that was created again in the time that is lost': [
      list('1000000100', web('10', { uid: 'a former one' })),
    ],
    'and told of once, where the list that proves it fails and is begun anew': [
      torn,
      gone,
      list('1000000200', web('10')),
    ],
    'by a list older than what is known once a second one agrees': [list('50', web('10'))],
  }
  for (const [where, lists] of Object.entries(BELIEVED))
    it(`is believed ${where}`, async () => {
      await relisted(...lists)
      expect(copy()).to.equal('10')
      expect(api.changes.at(-1)).to.match(/> 10 web$/)
      expect(restored, 'told before anything is written by it').to.deep.equal(['deployments'])
    })

  const written: Handler = (received, response) => {
    api.informer.applied(workload('web', { resourceVersion: '170' }))
    list('160', web('150'))(received, response)
  }
  const NOT_BELIEVED: Readonly<
    Record<string, readonly [lists: readonly Handler[], version: string | undefined]>
  > = {
    'where our own write is newer than the list': [[written], '170'],
    'for what the list lacks: that was deleted': [[list('160')], undefined],
    'by one list alone that is older: that server lagged': [
      [list('50', web('10')), list('160', web('150'))],
      '150',
    ],
  }
  for (const [where, [lists, version]] of Object.entries(NOT_BELIEVED))
    it(`is not believed ${where}`, async () => {
      await relisted(...lists)
      expect(copy()).to.equal(version)
      expect(api.changes).to.not.include('150 > 10 web')
      expect(restored).to.deep.equal([])
    })

  it('is not believed by two such lists with a newer one in between', async () => {
    await relisted(
      list('50', web('5')),
      list('160', web('150')),
      list('50', web('5')),
      list('170', web('150')),
    )
    api.tell('ERROR', EXPIRED)
    await api.stood(3)
    expect([copy(), restored]).to.deep.equal(['150', []])
  })

  const away: Handler = (_, response) => void setTimeout(() => response.destroy(), 1100)
  const cut = () => api.standing[0]?.destroy()
  const LOOKED_FOR: Readonly<Record<string, () => void>> = {
    'where it was away for more than a second, although its versions have overtaken ours'() {
      api.watches = [away, api.stand]
      cut()
    },
    'after this process stood still, at the next event'() {
      api.stoodStillAt = performance.now()
      api.tell('MODIFIED', web('400'))
    },
    'after this process stood still, at the end of the watch'() {
      api.stoodStillAt = performance.now()
      cut()
    },
  }
  for (const [where, happens] of Object.entries(LOOKED_FOR))
    it(`is looked for by a list ${where}`, async () => {
      await seen(list('300', web('10')))
      happens()
      await api.stood(2)
      expect([copy(), restored, api.asked('list').length]).to.deep.equal(['10', ['deployments'], 2])
    })

  it('is not looked for when a watch alone was cut', async () => {
    await api.started()
    cut()
    await api.stood(2)
    expect(api.asked('list')).to.have.length(1)
  })

  it('has no say any more by the watch that it ended: that is closed before the list is asked for', async () => {
    let open = true
    await relisted((received, response) => {
      // The client's end of it is closed at once; here that is seen a moment later.
      api.standing[0]?.on('close', () => (open = false))
      api.tell('MODIFIED', web('999'))
      list('1000000100', web('10'))(received, response)
    })
    await until(() => !open)
    expect(copy()).to.equal('10')
    expect(api.changes.join()).to.not.include('999')
  })
})
