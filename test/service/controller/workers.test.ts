import { expect } from 'chai'
import { Workers } from '../../../src/service/controller/workers.ts'
import { Told } from './told.ts'

/** Workers that note what they are given, and whether there is room in either lane. */
function workersWith(slow: ReadonlySet<string>) {
  const room = { slow: 0, ordinary: Number.POSITIVE_INFINITY }
  const given: string[] = []
  const pace = {
    isSlow: (key: string) => slow.has(key),
    hasRoom: (_: unknown, isSlow: boolean) => room[isSlow ? 'slow' : 'ordinary'] > 0,
    onRoom: () => {},
  }
  const work = async (key: string) => {
    room[slow.has(key) ? 'slow' : 'ordinary']--
    given.push(key)
    await new Promise(() => {})
  }
  const workers = new Workers(work, { concurrency: 32, pace, monotonic: () => 0, observer: new Told() })
  workers.open()
  return { workers, given, room }
}

const TASK = { priority: 'snooze' } as const

describe('the workers', () => {
  const sick = Array.from({ length: 1000 }, (_, index) => `sick-${index}`)

  it('let those whose last write was slow wait beside the others, not before them', () => {
    const { workers, given } = workersWith(new Set(sick))
    for (const key of [...sick, 'web', 'api']) workers.add(key, TASK)
    expect(given).to.deep.equal(['web', 'api'])
    expect(workers.depth).to.equal(1000)
  })

  it('hand out as many of them as their lane has places, the first first', () => {
    const { workers, given, room } = workersWith(new Set(sick))
    room.slow = 2
    for (const key of sick) workers.add(key, TASK)
    expect(given).to.deep.equal(['sick-0', 'sick-1'])
  })

  it('forget one that waits there', async () => {
    const { workers } = workersWith(new Set(sick))
    workers.add('sick-0', TASK)
    workers.delete('sick-0')
    expect(workers.depth).to.equal(0)
    workers.add('sick-1', TASK)
    await workers.close()
    expect(workers.depth).to.equal(0)
  })

  it('move one to the other lane where its latest write was answered soon', () => {
    const slow = new Set(['web'])
    const { workers, given } = workersWith(slow)
    workers.add('web', TASK)
    slow.delete('web')
    workers.add('web', TASK)
    expect([given, workers.depth]).to.deep.equal([['web'], 0])
  })
})
