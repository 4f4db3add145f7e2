import { expect } from 'chai'
import { metricsTable } from '../../docs/generator/metrics-table.ts'
import type { Schema } from '../../src/domain/json-schema.ts'
import { CONFIG_SCHEMA } from '../../src/service/config/schema.ts'
import { PAUSED } from '../../src/domain/companions/companion.ts'
import { ANNOTATION, OWN_LABELS } from '../../src/domain/workload/workload.ts'
import { pages } from './pages.ts'

/** Sections of the configuration that nothing else has a name like. */
const SECTIONS = ['api', 'auth', 'backoff', 'controller', 'webhook']
/** Beside the annotations and the label: the DaemonSets' key, the claim of tokens, the mark of ScaledObjects. */
const OTHER_MARKS = ['dormouse.dev/snoozed', 'dormouse.dev/namespaces', PAUSED]

function* keys(schema: Schema, path: string[] = []): Generator<string> {
  yield path.join('.')
  for (const [name, key] of Object.entries(schema.properties ?? {})) yield* keys(key, [...path, name])
}

/** The pages' texts in the form of code, by page. */
function said(pattern: RegExp): [string, string][] {
  return pages().flatMap(({ path, text }) =>
    Array.from(text.matchAll(pattern), ([, name = '']): [string, string] => [path, name]),
  )
}

describe('the names in the documentation', () => {
  it('of configuration keys are known', () => {
    const known = new Set(keys(CONFIG_SCHEMA))
    const found = said(new RegExp(String.raw`\x60((?:${SECTIONS.join('|')})\.(?!ts\x60)[a-zA-Z.]+)\x60`, 'g'))
    expect(found.filter(([, key]) => !known.has(key))).to.deep.equal([])
    expect(found.length).to.be.greaterThan(10)
  })

  it('of metrics are known', async () => {
    const known = new Set(
      Array.from((await metricsTable()).matchAll(/`(dormouse_\w+)`/g), ([, name]) => name),
    )
    const found = said(/\b(dormouse_[a-z_]+[a-z])\b/g)
    const strange = found.filter(([, name]) => !known.has(name.replace(/_(?:bucket|count|sum)$/, '')))
    expect(strange).to.deep.equal([])
    expect(found.length).to.be.greaterThan(10)
  })

  it('of marks are known', () => {
    const known = new Set<string>([...Object.values(ANNOTATION), ...OWN_LABELS, ...OTHER_MARKS])
    const found = said(/(dormouse\.dev\/[a-z]+(?:-[a-z]+)*)/g)
    expect(found.filter(([, mark]) => !known.has(mark))).to.deep.equal([])
  })
})
