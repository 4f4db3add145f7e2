import { expect } from 'chai'
import { rereadInTurns } from '../../../src/service/wiring/rereading.ts'
import { aDeployment } from '../../support/workloads.ts'

describe('workloads that are read again because something beside them has changed', () => {
  const all = Array.from({ length: 500 }, (_, index) => aDeployment(`shop/web-${index}`))

  it('are read some in a turn of the event loop, so that nothing else waits for all of them', async () => {
    const read: string[] = []
    const ended = rereadInTurns({
      workloads: all,
      reread: ({ name }) => void read.push(name),
      failed: () => expect.fail('none failed'),
    })
    expect(read.length).to.be.within(1, 100)
    await ended
    expect(read).to.deep.equal(all.map(({ name }) => name))
  })

  it('are all read though our own code fails over one of them', async () => {
    const failed: string[] = []
    let read = 0
    await rereadInTurns({
      workloads: all,
      reread: ({ name }) => {
        if (name === 'web-7') throw new TypeError('a bug of ours')
        read += 1
      },
      failed: ({ name }, error) => failed.push(`${name}: ${(error as Error).message}`),
    })
    expect([read, failed]).to.deep.equal([499, ['web-7: a bug of ours']])
  })
})
