import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { ChangeLog } from '../../../../src/service/api/watch/change-log.ts'
import { BeginAnew, ListStream } from '../../../../src/service/api/watch/list-stream.ts'
import { keyOf, type Workload } from '../../../../src/domain/workload/workload.ts'
import { aWorkload } from '../../../support/fake-cluster.ts'

describe('a stream that is read slowly', function () {
  this.timeout(60_000)
  const workloads = Array.from({ length: 500 }, (_, n) => aWorkload({ name: `w${n}` }))
  const copies = new Map(workloads.map((each) => [keyOf(each), each]))
  let mayList: boolean
  let log: ChangeLog
  let end: AbortController

  beforeEach(() => {
    mayList = true
    log = new ChangeLog(() => true)
    end = new AbortController()
  })
  afterEach(() => end.abort())

  const open = async () => {
    const shared = {
      log,
      textOf: ({ name }: Workload) => JSON.stringify({ name }),
      changed: async () => undefined,
    }
    const list = {
      workloads: { get: (key: Parameters<typeof keyOf>[0]) => copies.get(keyOf(key)) },
      all: () => workloads,
      includes: () => true,
      chosen: () => true,
      visible: async () => async () => mayList,
      beat: 10,
      signal: end.signal,
    }
    return (await ListStream.open(list, shared)).events()
  }

  /** The end of a stream whose reader does this with each text. */
  const endOf = async (reads: (text: string) => Promise<void> | void) => {
    try {
      for await (const text of await open()) await reads(text)
      return undefined
    } catch (error) {
      expect(error).to.be.instanceOf(BeginAnew)
      return (error as BeginAnew).message
    }
  }
  const CHANGED = 'what you may list has changed: connect again for the whole list'

  it('ends when a right is taken away while the list is told', async () => {
    let told = 0
    const end = await endOf(async () => {
      told += 1
      mayList = false
      await pause(1)
    })
    expect(end).to.equal(CHANGED)
    expect(told).to.be.below(workloads.length)
  })

  it('ends although there is always another change to tell', async () => {
    let count = 0
    const end = await endOf(async (text) => {
      count += 1
      if (text.startsWith('event: changed')) mayList = false
      log.add(workloads[count % workloads.length]!)
      if (!mayList) await pause(1)
    })
    expect(end).to.equal(CHANGED)
    expect(count).to.be.below(3 * workloads.length)
  })

  it('ends when more has changed than the log keeps', async () => {
    log = new ChangeLog(() => true, 10)
    const end = await endOf((text) => {
      if (text.startsWith('event: listed')) for (const each of workloads) log.add(each)
    })
    expect(end).to.match(/^more has changed/)
  })
})
