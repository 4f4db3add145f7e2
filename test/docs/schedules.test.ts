import { expect } from 'chai'
import { canonical, parseSchedule } from '../../src/domain/schedule/syntax.ts'
import { page } from './pages.ts'

const { text } = page('docs/schedules.md')

/** The rows of the first table after a heading whose first cell is code. */
function rows(heading: string): [string, string][] {
  const section = text.slice(text.indexOf(heading))
  const table = /(?:^\|.*\n)+/m.exec(section)?.[0] ?? ''
  return Array.from(table.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm), ([, code = '', rest = '']) => [
    code,
    rest,
  ])
}

describe('docs/schedules.md', () => {
  for (const [written] of rows('# Schedules')) {
    it(`shows ${written}, which is canonical`, () => {
      expect(canonical(parseSchedule(written))).to.equal(written)
    })
  }

  for (const [written, said] of rows('## Errors')) {
    it(`says of ${written} what the program says`, () => {
      expect(() => parseSchedule(written)).to.throw(said.replaceAll(/^`|`$/g, ''))
    })
  }

  it('has both tables', () => {
    expect(rows('# Schedules')).to.have.length.above(5)
    expect(rows('## Errors')).to.have.length.above(4)
  })
})
