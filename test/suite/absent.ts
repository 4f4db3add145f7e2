// Run by `need.test.ts`, not by itself: suites whose need is not there, and one that needs nothing.
import { describeWith, itWith, type Need } from './need.ts'

const nothing: Need<string> = {
  phrase: 'with a unicorn',
  quick: true,
  gotten: 'by nobody',
  find: () => undefined,
}

describeWith(nothing, 'a herd', (unicorn) => {
  before(() => {
    throw new Error(`a hook ran with ${unicorn}`)
  })
  after(() => {
    throw new Error(`a hook ran with ${unicorn}`)
  })
  it('grazes', () => {})
})

describe('a stable', () => {
  itWith(nothing, 'has one', () => {
    throw new Error('a test ran')
  })
  it('stands', () => {})
})
