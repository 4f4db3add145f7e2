import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { nameOf, type ImportedObject } from '../../src/import/plan/imported-object.ts'

/** An import's result, as `imported` gives it. */
interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Named {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** The parts of the document that are compared. */
interface Document {
  readonly items?: readonly (Named & { verdict: string; says: readonly string[]; became?: string })[]
  readonly failures?: readonly (Named & { why: string })[]
  readonly counts: readonly (Named & {
    before: number
    kept: number
    by: string | null
    hours: string | null
  })[]
  readonly messages: readonly string[]
  readonly error?: { readonly code: string; readonly message: string }
}

/** The one document of an import's output; JSON is YAML, too. */
export function documentOf({ out }: Pick<Result, 'out'>): Document {
  const all = parseAllDocuments(out)
  expect(all.length, out).to.equal(1)
  expect(all[0]?.errors, out).to.deep.equal([])
  return all[0]?.toJS()
}

/** Expects that `-o` said what the same import says to people: verdicts, outcomes, counts and errors. */
export function expectSameResult(forPeople: Result, forPrograms: Result): void {
  const { items = [], counts, messages, error } = documentOf(forPrograms)
  expect(forPrograms.code).to.equal(forPeople.code)
  const [plan = '', table = ''] = [
    forPeople.out.split('\n\n', 1)[0],
    forPeople.out.split('\n\n').find((each) => each.startsWith('WORKLOAD')),
  ]
  const lines = plan.split('\n').filter((each) => /^(mapped|approximated|refused) /.test(each))
  expect(
    items.map((each) => `${each.verdict.padEnd(12)}  ${named(each)}: ${each.says.join('; ')}`),
  ).to.deep.equal(lines)
  const cells = table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((each) => each.split(/ {3,}/))
  const rows = counts.map((each) =>
    [named(each), each.before, each.kept, each.by ?? 'nobody', each.hours ?? '']
      .map(String)
      .filter((cell) => cell !== ''),
  )
  expect(rows).to.deep.equal(cells)
  const said = forPeople.err.trimEnd().split('\n').slice(1)
  // The program's own last lines are the error of the document.
  const ended = said.at(-1) === `error: ${error?.message ?? ''}` ? said.slice(0, -1) : said
  expect(messages).to.deep.equal(ended)
  expect(error === undefined).to.equal(forPeople.code === 0)
}

function named({ kind, namespace, name }: Named): string {
  const metadata = { name, ...(namespace !== undefined && { namespace }) }
  return nameOf({ kind, metadata } as ImportedObject)
}
