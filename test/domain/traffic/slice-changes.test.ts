import { expect } from 'chai'
import { RAW_PORTS, type Slice } from '../../../src/domain/traffic/slices.ts'
import { sliceChanges } from '../../../src/domain/traffic/slice-changes.ts'
import type { SliceCopy } from '../../../src/domain/traffic/copies.ts'

const SLICE: Slice = {
  metadata: { name: 'web-zzzzz-dormouse-1', namespace: 'shop', labels: { a: 'b' }, annotations: { c: 'd' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 20_001, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.1.2.3'], conditions: { ready: true, serving: true, terminating: false }, zone: 'z' },
  ],
}
const standing = (metadata: Partial<Slice['metadata']> = {}, change: Partial<Slice> = {}): SliceCopy => {
  const key = { namespace: 'shop', name: 'web-zzzzz-dormouse-1', uid: 'u', resourceVersion: '1' }
  const own = { ...SLICE, ...change, metadata: { ...SLICE.metadata, ...key, ...metadata } }
  return { ...key, service: 'web', own, readyPods: [], wakers: [] }
}

describe('changes of slices', () => {
  it('create what is missing and remove what should not stand', () => {
    const other = { ...standing(), name: 'web-zzzzz-dormouse-2' }
    expect(sliceChanges([other], [SLICE])).to.deep.equal({ create: [SLICE], replace: [], remove: [other] })
  })

  it('leave what is as planned, whatever others added to its labels and annotations', () => {
    const present = standing({ labels: { a: 'b', x: 'y' }, annotations: { c: 'd', x: 'y' } })
    expect(sliceChanges([present], [SLICE])).to.deep.equal({ create: [], replace: [], remove: [] })
  })

  it('replace what was edited', () => {
    const edited = [
      standing({ labels: {} }),
      standing({ annotations: { c: 'd', [RAW_PORTS]: 'http' } }),
      standing({}, { ports: [] }),
      standing({}, { endpoints: [] }),
    ]
    for (const each of edited)
      expect(sliceChanges([each], [SLICE]).replace).to.deep.equal([{ standing: each, slice: SLICE }])
  })
})
