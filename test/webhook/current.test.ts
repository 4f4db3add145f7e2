import { expect } from 'chai'
import { CurrentWorkloads } from '../../src/webhook/current.ts'
import { aDeployment } from '../support/workloads.ts'

describe('workloads as they are now', () => {
  it('are read for at most 264 reviews at once: one more is answered as if it had come too late', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const read = async () => {
      await gate
      return undefined
    }
    const current = new CurrentWorkloads({ get: () => undefined }, { read })
    const ask = (number: number) => current.at(aDeployment(`shop/web-${number}`), '1')
    const asked = Array.from({ length: 8 + 256 }, (_, number) => ask(number))
    const more = ask(1000).then(
      () => 'read',
      (error: Error) => error.name,
    )
    const first = await Promise.race([more, new Promise((resolve) => setImmediate(resolve, 'it waits'))])
    open()
    expect(first).to.equal('TimeoutError')
    expect(await Promise.all(asked)).to.deep.equal(asked.map(() => undefined))
    expect(await ask(1001)).to.equal(undefined)
  })
})
