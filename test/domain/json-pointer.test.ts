import { expect } from 'chai'
import fc from 'fast-check'
import jsonPatch from 'fast-json-patch'
import { nameOf, stepOf } from '../../src/domain/json-pointer.ts'

describe('steps of JSON pointers', () => {
  it('are escaped as RFC 6901 says, and read back', () => {
    expect(['a/b', 'm~n', '~1', '', 'dormouse.dev/state'].map(stepOf)).to.deep.equal([
      'a~1b',
      'm~0n',
      '~01',
      '',
      'dormouse.dev~1state',
    ])
    const names = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })
    fc.assert(fc.property(names, (name) => nameOf(stepOf(name)) === name))
    fc.assert(fc.property(names, (name) => stepOf(name) === jsonPatch.escapePathComponent(name)))
  })
})
