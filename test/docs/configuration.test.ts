import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Schema } from '../../src/domain/json-schema.ts'
import { CONFIG_SCHEMA } from '../../src/service/config/schema.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const rows = new Map(
  [...page.matchAll(/^\| `([^`]+)` +\| (.*?) +\|/gm)].map(
    ([, key = '', value = '']) => [key, value] as const,
  ),
)

/** Every key that is no section, with its default as written in a configuration. */
function* keys(schema: Schema, path: string[] = []): Generator<[string, unknown]> {
  if (!schema.properties || [schema.type].flat().includes('null'))
    return void (yield [path.join('.'), schema.default])
  for (const [name, key] of Object.entries(schema.properties)) yield* keys(key, [...path, name])
}

function written(value: unknown): string[] {
  if (value === undefined) return []
  return [value].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
}

describe('docs/configuration.md', () => {
  for (const [key, value] of keys(CONFIG_SCHEMA)) {
    it(`has ${key} with its default`, () => {
      expect(rows.has(key), key).to.equal(true)
      for (const each of written(value)) expect(rows.get(key)).to.include(`\`${each}\``)
    })
  }

  it('has no key that the configuration does not know', () => {
    const known = [...keys(CONFIG_SCHEMA)].map(([key]) => key)
    expect([...rows.keys()].filter((key) => !known.includes(key))).to.deep.equal([])
  })
})
