import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse } from 'yaml'
import { BUILT_IN, readLanguages } from '../../../src/waker/page/texts.ts'

describe('the documented texts of the page', () => {
  let docs = ''
  before(async () => {
    docs = await readFile(new URL('../../../docs/wake-on-traffic.md', import.meta.url), 'utf8')
  })

  it('are all that there are, each with what is filled in', () => {
    const [table = ''] = docs.split('| Keys')[1]?.split('\n\n') ?? []
    const rows = table.split('\n')
    for (const [key, text] of Object.entries(BUILT_IN.get('en') ?? {})) {
      const row = rows.find((line) => line.split('|')[1]?.includes(`\`${key}\``))
      const filled = [...new Set(text.match(/\{\w+\}/g))].sort()
      expect([...(row?.split('|')[2]?.match(/\{\w+\}/g) ?? [])].sort(), key).to.deep.equal(filled)
      expect(row, key).not.to.equal(undefined)
    }
  })

  it('are read as written', () => {
    const file = /<!-- file: page\.yaml -->\n\n```yaml\n([^]*?)```/.exec(docs)?.[1] ?? ''
    const { fr } = parse(file) as { fr: object }
    expect(readLanguages('page.yaml', file).get('fr')).to.deep.include(fr)
  })
})
