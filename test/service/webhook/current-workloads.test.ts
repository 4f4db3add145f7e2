import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { CurrentWorkloads } from '../../../src/service/webhook/current-workloads.ts'
import { aDeployment } from '../../support/workloads.ts'

const nth = (number: number) => aDeployment(`shop/web-${number}`).with({ resourceVersion: '7' })

describe('current workloads', () => {
  let reads: number
  let open: () => void

  /** An informer with copies of the first `known` workloads, over a cluster that answers once `open` is called. */
  const aCluster = ({ known, synced }: { known: number; synced: boolean }) => {
    const copies = new Map(Array.from({ length: known }, (_, number) => [keyOf(nth(number)), nth(number)]))
    const { promise: gate, resolve } = Promise.withResolvers<void>()
    open = resolve
    reads = 0
    const read = async () => {
      reads += 1
      await gate
      return undefined
    }
    return new CurrentWorkloads({ get: (key) => copies.get(keyOf(key)), isConnected: () => synced }, { read })
  }
  const ask = async (current: CurrentWorkloads, number: number, uid = nth(number).uid) =>
    current.at(nth(number), { uid, resourceVersion: '8' }).then(
      () => 'answered',
      (error: Error) => error.name,
    )
  const soon = () => new Promise<string>((resolve) => setImmediate(resolve, 'waits'))

  it('are read for at most 264 reviews at once: one more is refused', async () => {
    const current = aCluster({ known: 1001, synced: true })
    const asked = Array.from({ length: 8 + 256 }, (_, number) => ask(current, number))
    expect(await Promise.race([ask(current, 1000), soon()])).to.equal('Crowded')
    expect(reads).to.equal(8)
    open()
    // Reviews that wait for too long get that answer.
    expect(new Set(await Promise.all(asked))).to.deep.equal(new Set(['answered', 'TimeoutError']))
  })

  it('are read a hundred times at once and fifty times a second', async () => {
    const current = aCluster({ known: 200, synced: true })
    open()
    const begun = performance.now()
    const asked = Array.from({ length: 150 }, (_, number) => ask(current, number))
    expect(await Promise.all(asked)).to.deep.equal(asked.map(() => 'answered'))
    const seconds = (performance.now() - begun) / 1000
    expect(seconds).to.be.above(0.9)
    expect(reads).to.equal(150)
  })

  it('are read for a review that names the uid of the copy, however many forged reviews wait', async () => {
    const current = aCluster({ known: 1, synced: false })
    const forged = Array.from({ length: 1000 }, (_, number) => ask(current, number + 1))
    await soon()
    expect(reads).to.equal(2)
    const genuine = ask(current, 0)
    await soon()
    expect(reads).to.equal(3)
    open()
    expect(await genuine).to.equal('answered')
    await Promise.all(forged)
    expect(reads).to.be.below(1 + 64 + 2 + 1)
  })

  it('are not read for 10,000 forged reviews while the informer is synced', async () => {
    const current = aCluster({ known: 5000, synced: true })
    const forged = Array.from({ length: 10_000 }, (_, number) => ask(current, number, 'made up'))
    expect(new Set(await Promise.all(forged))).to.deep.equal(new Set(['answered']))
    expect(reads).to.equal(0)
  })
})
