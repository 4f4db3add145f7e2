import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { drawn, MADE } from '../../docs/generator/made.ts'
import { withPart } from '../../docs/generator/page.ts'
import { HTTP_STATUS } from '../../src/process/errors.ts'
import { page } from './pages.ts'

describe('what npm run docs makes', () => {
  for (const [name, part] of Object.entries(MADE)) {
    it(`docs/${name} is as the code says now`, async () => {
      const { text } = page(`docs/${name}`)
      expect(text).to.equal(await withPart(text, await part()))
    })
  }

  it('docs/performance has the charts of the results of the bench, and no others', () => {
    const folder = new URL('../../docs/performance/', import.meta.url)
    const names = readdirSync(folder).map((name) => `performance/${name}`)
    expect(names).to.have.members(drawn().map(([name]) => name))
    for (const [name, text] of drawn()) expect(page(`docs/${name}`).text, name).to.equal(text)
  })
})

describe('docs/api.md', () => {
  it('says of every error when it comes and what to do', () => {
    const rows = page('docs/api.md').text.matchAll(/^\| (\d{3}) +\| `([A-Z_]+)` +\| \S.*\| \S.*\|$/gm)
    const told = Object.fromEntries(Array.from(rows, ([, status, code = '']) => [code, Number(status)]))
    expect(told).to.deep.equal({ ...HTTP_STATUS })
  })
})
