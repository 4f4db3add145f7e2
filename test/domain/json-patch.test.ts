import { expect } from 'chai'
import { carryOut } from '../../src/domain/json-patch.ts'

describe('operations on an object of ours', () => {
  it('are carried out where their tests hold', () => {
    const object = { a: 1, 'b/c': { d: 2, e: 3 } }
    const isDone = carryOut(object, [
      { op: 'test', path: '/a', value: 1 },
      { op: 'test', path: '/x/y', value: null },
      { op: 'replace', path: '/a', value: 4 },
      { op: 'remove', path: '/b~1c/d' },
      { op: 'add', path: '/b~1c/f', value: { g: 5 } },
    ])
    expect([isDone, object]).to.deep.equal([true, { a: 4, 'b/c': { e: 3, f: { g: 5 } } }])
  })

  for (const [what, operation] of [
    ['an object that is absent', { op: 'add', path: '/x/y', value: 1 }],
    ['a field that is absent', { op: 'replace', path: '/x', value: 1 }],
    ['a field that only the prototype has', { op: 'remove', path: '/toString' }],
    ['a list', { op: 'add', path: '/list/-', value: 1 }],
    ['an object on which a test fails', { op: 'test', path: '/list', value: null }],
  ] as const)
    it(`are not for ${what}`, () => {
      expect(carryOut({ list: [] }, [operation])).to.equal(false)
    })
})
