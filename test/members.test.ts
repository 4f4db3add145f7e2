import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { expect } from 'chai'
import { PROJECT } from './support/dormouse.ts'
import { nodesOf, type Node } from './support/syntax.ts'

/** Members that JSON.stringify and undici call. */
const CALLED_ELSEWHERE = new Set([
  'toJSON',
  'onRequestStart',
  'onResponseStart',
  'onResponseData',
  'onResponseEnd',
  'onResponseError',
])

function nameOf(key: unknown): string[] {
  const { type, value } = (key ?? {}) as Node
  return type === 'Identifier' && typeof value === 'string' ? [value] : []
}

const nodes = globSync('src/**/*.ts', { cwd: PROJECT }).flatMap((file) => {
  const source = readFileSync(join(PROJECT, file), 'utf8')
  return Array.from(nodesOf(parseSync(source, { syntax: 'typescript', target: 'esnext' })))
})

/** The members read from an object: `a.b`, `{ b } = a`, `{ b: c } = a`. */
const taken = new Set(
  nodes.flatMap(({ type, property, key }) => {
    if (type === 'MemberExpression') return nameOf(property)
    return type === 'AssignmentPatternProperty' || type === 'KeyValuePatternProperty' ? nameOf(key) : []
  }),
)

describe('the methods of our classes', () => {
  it('are each called by somebody: knip looks at exports alone', () => {
    const methods = nodes.filter(({ type }) => type === 'ClassMethod').flatMap(({ key }) => nameOf(key))
    expect(methods).to.have.length.above(100)
    const known = (name: string) => taken.has(name) || CALLED_ELSEWHERE.has(name)
    expect(methods.filter((name) => !known(name))).to.deep.equal([])
  })
})
