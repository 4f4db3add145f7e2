import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { expect } from 'chai'
import { PROJECT } from './support/dormouse.ts'
import { nodesOf, type Node } from './support/syntax.ts'

const OF_TEXTS = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'match',
  'matchAll',
  'search',
  'split',
])
const OF_PATTERNS = new Set(['test', 'exec'])
const REPLACES = new Set(['replace', 'replaceAll'])
/** Names of sentences: of a record, a refusal, an answer, a warning. */
const SENTENCES = new Set(['reason', 'message', 'messages', 'warning', 'warnings', 'said', 'says'])

/** Files that may test a sentence, and whose sentences these are. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/client/cluster/failures.ts': "Kubernetes' own: a Status of it has no other place for what lacks",
  'src/client/http/http-dormouse.ts': 'what the API puts before the message of a dry run',
  'src/client/commands/for-each-workload.ts': 'a name that the message may begin with, and no words',
  'src/client/several.ts': 'the place that the message may begin with, and no words',
}

/** `reason` of `record.reason`, of `reason` and of `String(reason)`. */
function nameOf(value: unknown): string {
  const { type, value: name, property, arguments: given } = (value ?? {}) as Node
  if (type === 'Identifier') return String(name)
  if (type === 'MemberExpression') return nameOf(property)
  if (type === 'CallExpression') return nameOf((given as readonly Node[])[0]?.['expression'])
  return ''
}

/** Whether a literal decides; a comparison with a value of ours is no test of a sentence. */
function isLiteral(value: unknown): boolean {
  const { type } = (value ?? {}) as Node
  return type === 'StringLiteral' || type === 'RegExpLiteral' || type === 'TemplateLiteral'
}

function testsSentence({ type, callee, arguments: given }: Node): boolean {
  const { type: kind, object, property } = (callee ?? {}) as Node
  if (type !== 'CallExpression' || kind !== 'MemberExpression') return false
  const [argument] = (given as readonly Node[]).map((each) => each['expression'])
  const method = nameOf(property)
  if (OF_PATTERNS.has(method)) return SENTENCES.has(nameOf(argument))
  if (OF_TEXTS.has(method)) return SENTENCES.has(nameOf(object))
  return REPLACES.has(method) && SENTENCES.has(nameOf(object)) && isLiteral(argument)
}

function tests(source: string): boolean {
  const tree = parseSync(source, { syntax: 'typescript', target: 'esnext' })
  return [...nodesOf(tree)].some(testsSentence)
}

describe('comments', () => {
  it('begin with their subject, never with Of, What, Who or Where', () => {
    const files = globSync('{src,test,bench,packaging,charts,.github,docs}/**/*.ts', { cwd: PROJECT })
    expect(files).to.have.length.above(1000)
    const found = files.flatMap((file) => {
      const text = readFileSync(join(PROJECT, file), 'utf8')
      return (text.match(/\/(?:\/|\*\*\s+(?:\* )?) ?(?:Of|What|Who|Where)\b.*/g) ?? []).map(
        (line) => `${file}: ${line}`,
      )
    })
    expect(found).to.deep.equal([])
  })
})

describe('client and console', () => {
  it('go by codes and values: they test no sentence of Dormouse', () => {
    const files = globSync('src/{client,console}/**/*.ts', { cwd: PROJECT })
    expect(files).to.have.length.above(80)
    const found = files.filter((file) => tests(readFileSync(join(PROJECT, file), 'utf8')))
    expect(found.toSorted()).to.deep.equal(Object.keys(ALLOWED).toSorted())
  })

  for (const source of [
    "record.reason.startsWith('pinned')",
    '/^pinned/.exec(record.reason)',
    'PATTERN.test(error.message)',
    "reason.replace('POST', '')",
  ])
    it(`would be found out: ${source}`, () => expect(tests(source)).to.equal(true))
})
