import { expect } from 'chai'
import type { Allocation } from '../../src/domain/traffic/allocation.ts'
import { AllocatedSlices } from '../../src/kubernetes/allocated-slices.ts'
import { ServiceEndpoints } from '../../src/kubernetes/ready-endpoints.ts'
import { FakeApiServer, silentLogger, until, type FakeCollection } from './fake-api-server.ts'

const OURS = { 'endpointslice.kubernetes.io/managed-by': 'dormouse.dev' }
const slice = (name: string, service: string, labels: object = {}, more: object = {}) => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-of-${name}`,
    labels: { 'kubernetes.io/service-name': service, ...labels },
    annotations: { 'dormouse.dev/wake-on-traffic': 'any', 'dormouse.dev/wakes': `deployments/${service}` },
  },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 20_001 }],
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ...more,
})

describe('the slices that wakers read', () => {
  let server: FakeApiServer

  beforeEach(async () => (server = await new FakeApiServer().start()))
  afterEach(() => server.close())

  describe('of ours', () => {
    let collection: FakeCollection
    let slices: AllocatedSlices
    let changes: [string, Allocation | undefined][]

    beforeEach(() => {
      collection = server.collection('/apis/discovery.k8s.io/v1/endpointslices')
      const { client, observer } = server
      slices = new AllocatedSlices({ client, observer, logger: silentLogger, delay: async () => {} })
      changes = []
      slices.onAllocation((...change) => changes.push(change))
    })
    afterEach(() => slices.stop())

    it('are all that is asked for, and are told with what they allocate', async () => {
      collection.put(slice('ours', 'web', OURS))
      collection.put(slice('theirs', 'web'))
      await slices.start()
      expect(server.received[0]?.query.get('labelSelector')).to.equal(
        'endpointslice.kubernetes.io/managed-by=dormouse.dev',
      )
      expect([...slices.list()].map(([name, { service }]) => [name, service])).to.deep.equal([
        ['shop/ours', 'web'],
      ])
      collection.delete('ours')
      await until(() => changes.length === 2)
      expect(changes[1]).to.deep.equal(['shop/ours', undefined])
    })

    it('are as if they were gone once an edit makes them say nothing', async () => {
      collection.put(slice('ours', 'web', OURS))
      await slices.start()
      const { metadata, ...rest } = slice('ours', 'web', OURS)
      collection.put({ ...rest, metadata: { ...metadata, annotations: { 'dormouse.dev/wakes': '?' } } })
      await until(() => changes.length === 2)
      expect(changes[1]).to.deep.equal(['shop/ours', undefined])
    })
  })

  it('of one Service lead to its ready pods, never to one that ends, and not to ourselves', async () => {
    const collection = server.collection('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices')
    collection.put(slice('ours', 'web', OURS))
    collection.put(slice('other', 'api'))
    const { client } = server
    const endpoints = new ServiceEndpoints(
      { client, logger: silentLogger },
      { namespace: 'shop', service: 'web' },
    )
    const changed = Promise.withResolvers<void>()
    endpoints.onChange(changed.resolve)
    try {
      await until(() => collection.watches.size > 0)
      expect(endpoints.of('http')).to.deep.equal([])
      collection.put(
        slice(
          'theirs',
          'web',
          {},
          {
            ports: [
              { name: 'http', port: 8080 },
              { name: 'grpc', port: 9090 },
            ],
            endpoints: [
              { addresses: ['10.0.0.2'], conditions: { ready: true } },
              { addresses: ['10.0.0.3'], conditions: { ready: false } },
              { addresses: ['10.0.0.4'], conditions: { ready: true, terminating: true } },
              { addresses: ['10.0.0.5'] },
            ],
          },
        ),
      )
      await changed.promise
      expect(endpoints.of('http')).to.deep.equal([
        { host: '10.0.0.2', port: 8080 },
        { host: '10.0.0.5', port: 8080 },
      ])
      expect(endpoints.of('grpc').map(({ port }) => port)).to.deep.equal([9090, 9090])
      expect(endpoints.of('admin')).to.deep.equal([])
    } finally {
      endpoints.close()
    }
  })
})
