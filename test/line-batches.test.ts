import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { LineBatches } from '../src/line-batches.ts'

describe('log lines in batches', () => {
  let written: string[]
  let batches: LineBatches
  beforeEach(() => {
    written = []
    batches = new LineBatches({ write: (text) => void written.push(text) })
  })

  it('go together in one write, in their order, and soon', async () => {
    for (const line of ['one\n', 'two\n', 'three\n']) batches.write(line)
    expect(written).to.deep.equal([])
    await sleep(200)
    expect(written).to.deep.equal(['one\ntwo\nthree\n'])
  })

  it('are written at once by a flush, and only once', async () => {
    batches.write('one\n')
    batches.flush()
    batches.flush()
    expect(written).to.deep.equal(['one\n'])
    batches.write('two\n')
    await sleep(200)
    expect(written).to.deep.equal(['one\n', 'two\n'])
  })
})
