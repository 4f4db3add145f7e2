import { expect } from 'chai'
import { allocationOf } from '../../../src/domain/traffic/allocation.ts'
import { plannedSlices, type Traffic } from '../../../src/domain/traffic/slices.ts'

const TRAFFIC: Traffic = {
  service: {
    namespace: 'shop',
    name: 'web',
    uid: 'a',
    type: 'ClusterIP',
    isHeadless: false,
    selector: { app: 'web' },
    families: ['IPv4'],
    ports: [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'https', port: 443, protocol: 'TCP' },
    ],
  },
  selected: [{ kind: 'deployments', name: 'web', isAsleep: true, wantsPods: false, mode: 'page' }],
  readyPods: [],
  wakers: [{ address: '10.1.2.3', family: 'IPv4' }],
  stands: false,
}
const planned = () => {
  const ports = new Map(Object.entries({ http: 20_001, https: 20_002 }))
  const [slice] = plannedSlices(TRAFFIC, () => ({ ports, tag: '0a1b2c3d' }), { endpoints: 'ready' }) ?? []
  if (!slice) throw new TypeError('no slice is planned')
  return slice
}
const annotated = (annotations: Record<string, string>) => {
  const slice = planned()
  return { ...slice, metadata: { ...slice.metadata, annotations } }
}

describe('what a slice of ours allocates', () => {
  it('is what the leader wrote into it', () => {
    expect(allocationOf(planned())).to.deep.equal({
      namespace: 'shop',
      service: 'web',
      ports: [
        { name: 'http', number: 20_001, mode: 'page' },
        { name: 'https', number: 20_002, mode: 'any' },
      ],
      workloads: ['deployments/web'],
      addresses: ['10.1.2.3'],
    })
  })

  it('is nothing after an edit that leaves no mode or no workload', () => {
    const wakes = { 'dormouse.dev/wakes': 'deployments/web' }
    for (const mode of ['off', 'everything', ''])
      expect(allocationOf(annotated({ ...wakes, 'dormouse.dev/wake-on-traffic': mode })), mode).to.equal(
        undefined,
      )
    expect(allocationOf(annotated({ 'dormouse.dev/wake-on-traffic': 'any' }))).to.equal(undefined)
    expect(allocationOf({ metadata: {} })).to.equal(undefined)
  })

  it('leaves out workloads for which the knock of all others would be refused', () => {
    const wakes = 'deployments/web,,web, statefulsets/db ,deployments/a/b,pods/web'
    const found = allocationOf(
      annotated({ 'dormouse.dev/wake-on-traffic': 'any', 'dormouse.dev/wakes': wakes }),
    )
    expect(found?.workloads).to.deep.equal(['deployments/web', 'statefulsets/db'])
  })
})
