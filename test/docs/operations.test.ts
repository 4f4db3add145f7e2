import { expect } from 'chai'
import { VERBS } from '../../src/domain/requests/annotation.ts'
import { ACTIONS, OPERATIONS } from '../../src/domain/requests/operations.ts'
import { page } from './pages.ts'

/** The names with which no code in a table of the page begins. */
function missing(path: string, names: readonly string[]): string[] {
  const rows =
    page(path)
      .text.match(/^\|.*$/gm)
      ?.join('\n') ?? ''
  return names.filter((name) => !new RegExp(String.raw`\x60${name}(?![\w-])`).test(rows))
}

describe('the tables of the documentation that are written by hand', () => {
  it('have each verb of dormouse.dev/request: docs/client.md', () => {
    expect(missing('docs/client.md', VERBS)).to.deep.equal([])
  })

  it('have each call: docs/api.md', () => {
    const calls = ACTIONS.flatMap((action) => OPERATIONS[action].call?.replace(' ', ' /') ?? [])
    expect(missing('docs/api.md', calls)).to.deep.equal([])
  })
})
