import { expect } from 'chai'
import { applyMergePatch, applyStrategicMergePatch } from '../../../src/sandbox/store/merge-patch.ts'

describe('JSON merge patch', () => {
  it('follows the examples of RFC 7386', () => {
    const cases: [unknown, unknown, unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    for (const [document, patch, expected] of cases)
      expect(applyMergePatch(document, patch)).to.deep.equal(expected)
  })

  it('refuses a patch that is no object', () => {
    expect(() => applyMergePatch({}, [1])).to.throw('is an object')
  })
})

describe('strategic merge patch', () => {
  const pod = () => ({
    containers: [
      {
        name: 'web',
        image: 'web:1',
        env: [{ name: 'A', value: '1' }],
        ports: [{ containerPort: 80, protocol: 'TCP' }],
      },
      { name: 'proxy', image: 'proxy:1' },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'a' }],
    nodeSelector: { disk: 'ssd' },
  })

  it('merges containers, their env and their ports by key', () => {
    const patched = applyStrategicMergePatch(pod(), {
      containers: [
        {
          name: 'web',
          env: [{ name: 'B', value: '2' }],
          ports: [{ containerPort: 80, name: 'http' }],
        },
      ],
    })
    expect(patched).to.deep.equal({
      ...pod(),
      containers: [
        {
          name: 'web',
          image: 'web:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
          ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
        },
        { name: 'proxy', image: 'proxy:1' },
      ],
    })
  })

  it('deletes an item of a list by its directive, and a key by null', () => {
    const patch = { containers: [{ name: 'proxy', $patch: 'delete' }], nodeSelector: { disk: null } }
    const { containers, nodeSelector } = pod()
    expect(containers).to.have.length(2)
    expect(applyStrategicMergePatch(pod(), patch)).to.deep.include({ containers: [containers[0]] })
    expect(nodeSelector).to.deep.equal({ disk: 'ssd' })
    expect(applyStrategicMergePatch(pod(), patch)).to.deep.include({ nodeSelector: {} })
  })

  it('replaces tolerations and other lists without a merge key whole', () => {
    const patch = { tolerations: [{ key: 'b' }] }
    expect(applyStrategicMergePatch(pod(), patch)).to.deep.include({ tolerations: [{ key: 'b' }] })
  })

  it('replaces a map when told to', () => {
    const map = applyStrategicMergePatch(pod(), { nodeSelector: { $patch: 'replace', zone: 'a' } })
    expect(map).to.deep.include({ nodeSelector: { zone: 'a' } })
  })

  it('writes no directive into the object', () => {
    const patch = { '$setElementOrder/volumes': [{ name: 'more' }], volumes: [{ name: 'more' }] }
    expect(JSON.stringify(applyStrategicMergePatch(pod(), patch))).not.to.contain('$')
  })
})
