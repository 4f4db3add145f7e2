import { expect } from 'chai'
import fc from 'fast-check'
import { listedObjects } from '../../src/kubernetes/list-stream.ts'
import { anyText, isReadAsKey } from './tricky-json.ts'
import { propertyRuns } from '../support/property-runs.ts'

/** Cut at each of these many bytes after the cut before. */
async function* cutUp(text: string, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let rest = Buffer.from(text)
  for (const cut of cuts) {
    yield rest.subarray(0, cut)
    rest = rest.subarray(cut)
  }
  yield rest
}

async function read(text: string, cuts: readonly number[] = []) {
  const { metadata, items } = await listedObjects(cutUp(text, cuts))
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return { metadata, items: all }
}

/** Objects that hold others like themselves, and texts that look like the ends of objects. */
const text = anyText(['},{"metadata":', '"items":[', ']}', '{"metadata":{}},', '😀', '\n'])
const key = fc.oneof(fc.constantFrom('metadata', 'items', 'kind', 'spec', 'a-b'), text).filter(isReadAsKey)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))
const object = fc.tuple(value, value).map(([metadata, spec]) => ({ metadata, spec }))
const cuts = fc.array(fc.nat(60))

describe('a page of a list', () => {
  it('reads as JSON.parse reads it, however it is cut into chunks', async () => {
    const list = fc.record({
      kind: text,
      metadata: fc.record({ resourceVersion: fc.constant('7'), continue: text }),
      items: fc.array(fc.oneof(object, value)),
    })
    await fc.assert(
      fc.asyncProperty(list, cuts, fc.constantFrom('', '\n'), async (expected, at, end) => {
        const { metadata, items } = expected
        expect(await read(JSON.stringify(expected) + end, at)).to.deep.equal({ metadata, items })
      }),
      propertyRuns(1000),
    )
  })

  it('reads the same whatever the order of its keys, and with blanks between them', async () => {
    const metadata = { resourceVersion: '7' }
    const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b', items: [{ metadata: {} }] } }]
    const lists = [
      { items, metadata },
      { metadata, items, kind: 'List' },
      { metadata, extra: { items: [{ metadata: 1 }] }, items },
    ]
    for (const list of lists)
      for (const indent of [0, 2])
        expect(await read(JSON.stringify(list, null, indent), [9, 20, 20])).to.deep.equal({ metadata, items })
  })

  it('may be empty', async () => {
    const metadata = { resourceVersion: '7' }
    for (const items of [[], null])
      expect(await read(JSON.stringify({ metadata, items }), [45])).to.deep.equal({ metadata, items: [] })
  })

  it('gives the objects that have arrived before the body fails', async () => {
    const whole = JSON.stringify({
      metadata: { resourceVersion: '7' },
      items: [{ metadata: 1 }, { metadata: 2 }],
    })
    const { items } = await listedObjects(
      (async function* () {
        yield Buffer.from(whole.slice(0, -3))
        throw new Error('cut')
      })(),
    )
    const got: unknown[] = []
    let fault: unknown
    try {
      for await (const each of items) got.push(each)
    } catch (error) {
      fault = error
    }
    expect(got).to.deep.equal([{ metadata: 1 }])
    expect(fault).to.have.property('message', 'cut')
  })

  it('that is not JSON throws SyntaxError', async () => {
    for (const broken of [
      '{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{}},{"meta',
      'no list',
      '',
    ])
      expect(await read(broken).catch((error: unknown) => error)).to.be.instanceOf(SyntaxError)
  })
})
