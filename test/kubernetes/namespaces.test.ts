import { expect } from 'chai'
import type { Namespace } from '../../src/domain/policy/inheritance.ts'
import { NamespaceInformer } from '../../src/kubernetes/namespaces.ts'
import {
  answer,
  failure,
  FakeApiServer,
  silentLogger,
  until,
  type FakeCollection,
} from './fake-api-server.ts'

const object = (name: string, metadata: object = {}) => ({
  metadata: { name, uid: `uid-of-${name}`, ...metadata },
})
const scheduled = (text: string) => ({
  annotations: { 'dormouse.dev/schedule': text, other: 'x'.repeat(99) },
})

describe('the informer of Namespaces', () => {
  let server: FakeApiServer
  let collection: FakeCollection
  let informer: NamespaceInformer
  /** `before > after`, by their schedules. */
  let changes: string[]

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    collection = server.collection('/api/v1/namespaces')
    collection.put(object('shop', scheduled('8:00-18:00')))
    const { client, observer } = server
    informer = new NamespaceInformer({ client, observer, logger: silentLogger, delay: async () => {} })
    changes = []
    const shown = (each: Namespace | undefined) =>
      each ? `${each.name} ${each.annotations.schedule}${each.deleting ? ' deleting' : ''}` : '-'
    informer.onChange((before, after) => changes.push(`${shown(before)} > ${shown(after)}`))
  })

  afterEach(async () => {
    await informer.stop()
    await server.close()
  })

  it('asks for metadata alone, and keeps what the rules read of it', async () => {
    await informer.start()
    expect(informer.get('shop')).to.deep.include({
      name: 'shop',
      annotations: { schedule: '8:00-18:00' },
      labels: undefined,
      deleting: false,
    })
    expect(informer.get('web')).to.equal(undefined)
    expect(changes).to.deep.equal(['- > shop 8:00-18:00'])
    expect(server.received[0]?.headers.accept).to.contain('as=PartialObjectMetadataList')
    await until(() => collection.watches.size === 1)
    expect(server.received[1]?.headers.accept).to.contain('as=PartialObjectMetadata;')
  })

  it('tells of what the rules read, and of nothing else', async () => {
    await informer.start()
    await until(() => collection.watches.size === 1)
    collection.put(object('shop', { ...scheduled('8:00-18:00'), managedFields: [] }))
    collection.put(object('shop', scheduled('9:00-17:00')))
    collection.put(object('shop', { ...scheduled('9:00-17:00'), deletionTimestamp: '2026-03-02T00:00:00Z' }))
    collection.delete('shop')
    collection.put({ metadata: { name: 'shop', uid: 'another' } })
    await until(() => changes.length === 5)
    expect(changes.slice(1)).to.deep.equal([
      'shop 8:00-18:00 > shop 9:00-17:00',
      'shop 9:00-17:00 > shop 9:00-17:00 deleting',
      'shop 9:00-17:00 deleting > -',
      '- > shop undefined',
    ])
    expect(informer.get('shop')?.uid).to.equal('another')
  })

  it('knows none while the cluster refuses to show them, and goes on trying', async () => {
    collection.refuse = (_, response) => {
      answer(response, 403, failure(403, 'namespaces is forbidden', 'Forbidden'))
      return true
    }
    await informer.start()
    expect([informer.synced, informer.get('shop'), [...informer.list()]]).to.deep.equal([
      false,
      undefined,
      [],
    ])
    collection.refuse = () => false
    await until(() => informer.synced)
    expect(informer.get('shop')?.name).to.equal('shop')
  })
})
