import { expect } from 'chai'
import { globSync } from 'node:fs'
import { dealtOut, LONGEST } from './order.ts'

describe('order of the suite', () => {
  it('each file is in one share, the longest are dealt out first and there and back', () => {
    const [first, second, third, fourth, fifth] = LONGEST
    const files = ['test/a.test.ts', ...[fifth, fourth, third, second, first].map(String)]
    expect(dealtOut(files, 2)).to.deep.equal([
      [first, fourth, fifth],
      [second, third, 'test/a.test.ts'],
    ])
  })

  it('each that is named there is a file', () => {
    expect(globSync('test/**/*.test.ts')).to.include.members([...LONGEST])
  })
})
