import { expect } from 'chai'
import { merged } from '../../src/client/merged.ts'

describe('several sources read as one', () => {
  it('give each item as it comes, and of none more than are read', async () => {
    const made: string[] = []
    const counting = async function* (name: string) {
      for (let count = 1; count <= 3; count++) {
        made.push(`${name}${count}`)
        yield `${name}${count}`
      }
    }
    // oxlint-disable-next-line require-yield
    const never = async function* (signal: AbortSignal): AsyncGenerator<string> {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve())
      await promise
    }
    const stop = new AbortController()
    const all = merged([counting('a'), never(stop.signal), counting('b')])
    const read: unknown[] = []
    for (let count = 0; count < 4; count++) read.push((await all.next()).value)
    expect(read).to.have.members(['a1', 'b1', 'a2', 'b2'])
    expect(made).to.not.include.members(['a3', 'b3'])
    for (let count = 0; count < 2; count++) read.push((await all.next()).value)
    const end = all.next()
    stop.abort()
    expect(await end).to.deep.equal({ done: true, value: undefined })
    expect(read).to.have.members(['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
  })

  it('fail as the first of them', async () => {
    const failing = async function* () {
      yield 'one'
      throw new Error('no more')
    }
    const all = merged([failing()])
    expect((await all.next()).value).to.equal('one')
    const error = await all.next().catch((thrown: Error) => thrown)
    expect(error).to.have.property('message', 'no more')
  })
})
