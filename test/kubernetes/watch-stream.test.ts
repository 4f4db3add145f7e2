import { expect } from 'chai'
import fc from 'fast-check'
import { lines } from '../../src/kubernetes/watch-stream.ts'
import { propertyRuns } from '../support/property-runs.ts'

async function read(chunks: Iterable<Buffer>): Promise<string[]> {
  const body = (async function* () {
    yield* chunks
  })()
  const all: string[] = []
  for await (const line of lines(body)) all.push(line)
  return all
}

describe('the lines of a watch', () => {
  it('are the same however the body is cut', async () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll('\n', ' '))
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(20)), async (expected, cuts) => {
        const body = Buffer.from(expected.map((each) => `${each}\n`).join(''))
        const chunks: Buffer[] = []
        let at = 0
        for (const cut of cuts) {
          chunks.push(body.subarray(at, at + cut))
          at += cut
        }
        chunks.push(body.subarray(at))
        expect(await read(chunks)).to.deep.equal(expected)
      }),
      propertyRuns(200),
    )
  })

  it('leave out half a line at the end', async () => {
    expect(await read([Buffer.from('whole\nha'), Buffer.from('lf')])).to.deep.equal(['whole'])
  })

  it('may be huge', async () => {
    const chunk = Buffer.alloc(65_536, 'x')
    const [line] = await read([...Array.from({ length: 100 }, () => chunk), Buffer.from('\n')])
    expect(line).to.have.length(6_553_600)
  })
})
