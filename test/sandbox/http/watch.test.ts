import { expect } from 'chai'
import { aWorkload, DEPLOYMENTS, freshSandbox } from '../cluster.ts'
import type { WatchEvent } from '../cluster.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const brief = (event: WatchEvent | undefined) => [event?.type, event?.object.metadata.name]

describe('sandbox API: watches', () => {
  const here = freshSandbox({ bookmarkEveryMs: 20 })
  const { client } = here

  const create = async (name: string, labels: object = {}) =>
    Number((await client.post(CONFIG_MAPS, { metadata: { name, labels } })).body.metadata.resourceVersion)

  it('begin after the version that they name', async () => {
    await create('before')
    const version = await create('at')
    await create('after')
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${version}`)
    expect(brief(await watch.next())).to.deep.equal(['ADDED', 'after'])
    await client.patch(`${CONFIG_MAPS}/after`, { data: { a: 'b' } })
    expect(brief(await watch.next())).to.deep.equal(['MODIFIED', 'after'])
    await client.delete(`${CONFIG_MAPS}/after`)
    const deleted = await watch.next()
    expect(brief(deleted)).to.deep.equal(['DELETED', 'after'])
    expect(Number(deleted?.object.metadata.resourceVersion)).to.be.greaterThan(version + 2)
    watch.close()
  })

  it('without a version show first what is there', async () => {
    await create('here')
    const watch = await client.watch(`${CONFIG_MAPS}?watch=1`)
    expect(brief(await watch.next())).to.deep.equal(['ADDED', 'here'])
    watch.close()
  })

  it('with a selector see coming in as ADDED and leaving as DELETED', async () => {
    const version = await create('web')
    const watch = await client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}&labelSelector=on`)
    await client.patch(`${CONFIG_MAPS}/web`, { metadata: { labels: { on: '1' } } })
    expect(brief(await watch.next())).to.deep.equal(['ADDED', 'web'])
    await client.patch(`${CONFIG_MAPS}/web`, { metadata: { labels: { on: null } } })
    expect(brief(await watch.next())).to.deep.equal(['DELETED', 'web'])
    watch.close()
  })

  it('get bookmarks only when they ask for them', async () => {
    const version = await create('web')
    const marked = await client.watch(
      `${CONFIG_MAPS}?watch=1&resourceVersion=${version}&allowWatchBookmarks=true`,
    )
    const plain = await client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`)
    await create('more')
    const bookmark = await marked.until(({ type }) => type === 'BOOKMARK')
    expect(bookmark.object.kind).to.equal('ConfigMap')
    expect(Number(bookmark.object.metadata.resourceVersion)).to.be.at.least(version)
    await marked.until(({ type }) => type === 'BOOKMARK')
    await create('last')
    expect(brief(await plain.next())).to.deep.equal(['ADDED', 'more'])
    expect(brief(await plain.next())).to.deep.equal(['ADDED', 'last'])
    marked.close()
    plain.close()
  })

  it('end when their time is up', async () => {
    const watch = await client.watch(
      `${CONFIG_MAPS}?watch=1&resourceVersion=${await create('x')}&timeoutSeconds=1`,
    )
    expect(await watch.next()).to.equal(undefined)
  })

  it('that ask for initial events in the stream are refused with 422, so that clients list', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const { status, body } = await client.get(`${CONFIG_MAPS}?${query}`)
    expect([status, body.reason]).to.deep.equal([422, 'Invalid'])
  })

  it('come as Tables and as metadata too', async () => {
    const query = `${DEPLOYMENTS}?watch=1`
    await client.post(DEPLOYMENTS, aWorkload('web'))
    const table = await client.as({ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }).watch(query)
    expect((await table.next())?.object.rows[0]?.cells[0]).to.equal('web')
    table.close()
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
    const bare = await client.as({ accept }).watch(query)
    expect((await bare.next())?.object.kind).to.equal('PartialObjectMetadata')
    bare.close()
  })
})
