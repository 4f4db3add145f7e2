import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/dormouse.ts'
import { page } from './pages.ts'

/** `[shown](test/file.test.ts): _its title_, _another_`: a test file, and titles that it must have. */
const REFERENCE = /\]\(([\w./-]+)\): (_[^_]+_(?:, _[^_]+_)*)/g

interface Reference {
  readonly file: string
  readonly title: string
}

function referencesIn(text: string): Reference[] {
  return Array.from(text.matchAll(REFERENCE), ([, file = '', titles = '']) =>
    Array.from(titles.matchAll(/_([^_]+)_/g), ([, title = '']) => ({ file, title })),
  ).flat()
}

/** The titles of a file's tests, with `…` for parts that a test fills in; those of helm-unittest, too. */
function titlesOf(file: string): Set<string> {
  const text = readFileSync(join(PROJECT, file), 'utf8')
  const found = file.endsWith('.yaml')
    ? text.matchAll(/^ {2}- it: (?<title>.+)$/gm)
    : text.matchAll(/\bit\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/g)
  return new Set(
    Array.from(found, ({ groups }) =>
      (groups?.['title'] ?? '')
        .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
        .replaceAll(/\\(?<escaped>['"`])/g, '$<escaped>'),
    ),
  )
}

/** Why a reference shows nothing. */
function faultOf({ file, title }: Reference): string | undefined {
  if (!existsSync(join(PROJECT, file))) return `${file} is not there`
  return titlesOf(file).has(title) ? undefined : `${file} has no test "${title}"`
}

describe('the threat model of SECURITY.md', () => {
  const { text } = page('SECURITY.md')
  const [model = ''] = /^## Threat model\n[^]*?(?=^## )/m.exec(text) ?? []
  const claims = model.split('\n').filter((line) => line.startsWith('- '))

  it('names with each claim a test that shows it', () => {
    expect(claims).to.have.length.above(15)
    expect(claims.filter((claim) => referencesIn(claim).length === 0)).to.deep.equal([])
  })

  it('names only tests that there are', () => {
    const references = referencesIn(text)
    expect(references).to.have.length.above(claims.length)
    // Each link of the model is one of these references, so none of them is overlooked for its form.
    expect(model.match(/\]\((?:test|charts)\//g)).to.have.length(model.match(REFERENCE)?.length ?? 0)
    expect(references.map(faultOf).filter((fault) => fault !== undefined)).to.deep.equal([])
  })

  it('would miss a test that was renamed, moved or is skipped', () => {
    const file = 'test/docs/security.test.ts'
    expect(faultOf({ file, title: 'names only tests that there are' })).to.equal(undefined)
    expect(faultOf({ file, title: 'names only tests' })).to.equal(`${file} has no test "names only tests"`)
    expect(faultOf({ file: 'test/gone.test.ts', title: 'x' })).to.equal('test/gone.test.ts is not there')
  })
})
