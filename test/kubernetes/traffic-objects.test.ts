import { expect } from 'chai'
import { trimService, trimSlice, type SliceObject } from '../../src/kubernetes/traffic-objects.ts'

const METADATA = { namespace: 'shop', name: 'web', uid: 'a', resourceVersion: '1' }
const slice = (change: Partial<SliceObject> = {}, labels: Record<string, string> = {}): SliceObject => ({
  metadata: { ...METADATA, labels: { 'kubernetes.io/service-name': 'web', ...labels } },
  addressType: 'IPv4',
  endpoints: [
    { addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name: 'web-1' }, nodeName: 'n' },
    { addresses: ['10.0.0.2'], conditions: { ready: true } },
    { addresses: ['10.0.0.3'], conditions: { ready: false }, targetRef: { kind: 'Pod', name: 'web-3' } },
  ],
  ...change,
})

describe('objects of traffic', () => {
  it('are Services with the defaults of Kubernetes', () => {
    const spec = { clusterIP: 'None', ipFamilies: ['IPv6', 'IPv4'], ports: [{ port: 80 }] }
    expect(trimService({ metadata: METADATA, spec })).to.deep.include({
      type: 'ClusterIP',
      isHeadless: true,
      families: ['IPv4', 'IPv6'],
      ports: [{ name: '', port: 80, protocol: 'TCP', appProtocol: undefined }],
    })
  })

  it("are others' slices with the pods that are ready, where nothing said means ready", () => {
    expect(trimSlice(slice(), () => false)).to.deep.include({ readyPods: ['web-1', ''], wakers: [] })
    expect(trimSlice(slice({ endpoints: null }), () => false)?.readyPods).to.deep.equal([])
  })

  it("have the wakers' addresses only where the Service is theirs", () => {
    const wakers = trimSlice(slice(), ({ namespace, name }) => namespace === 'shop' && name === 'web')?.wakers
    expect(wakers?.map(({ address, nodeName }) => [address, nodeName])).to.deep.equal([
      ['10.0.0.1', 'n'],
      ['10.0.0.2', undefined],
    ])
    expect(trimSlice(slice({ addressType: 'FQDN' }), () => true)?.wakers).to.deep.equal([])
  })

  it('are slices of ours whole, and none without a Service', () => {
    const own = slice({}, { 'endpointslice.kubernetes.io/managed-by': 'dormouse.dev' })
    expect(trimSlice(own, () => true)).to.deep.include({ own, readyPods: [], wakers: [] })
    expect(trimSlice({ ...slice(), metadata: METADATA }, () => true)).to.equal(undefined)
  })
})
