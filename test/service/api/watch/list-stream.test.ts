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

  const endOf = (read: () => Promise<void>) => read().catch((error: unknown) => error)
  const CHANGED = 'what you may list has changed: connect again for the whole list'

  it('ends when a right is taken away while the list is told', async () => {
    const told: string[] = []
    const read = async () => {
      for await (const text of await open()) {
        told.push(text)
        mayList = false
        await pause(1)
      }
    }
    expect(await endOf(read))
      .to.be.instanceOf(BeginAnew)
      .with.property('message', CHANGED)
    expect(told.length).to.be.below(workloads.length)
  })

  it('ends although there is always another change to tell', async () => {
    let count = 0
    const read = async () => {
      for await (const text of await open()) {
        count += 1
        if (text.startsWith('event: changed')) mayList = false
        const next = workloads[count % workloads.length]
        if (next) log.add(next)
        if (!mayList) await pause(1)
      }
    }
    expect(await endOf(read))
      .to.be.instanceOf(BeginAnew)
      .with.property('message', CHANGED)
    expect(count).to.be.below(3 * workloads.length)
  })

  it('ends when more has changed than the log keeps', async () => {
    log = new ChangeLog(() => true, 10)
    const read = async () => {
      for await (const text of await open())
        if (text.startsWith('event: listed')) for (const each of workloads) log.add(each)
    }
    expect(await endOf(read))
      .to.be.instanceOf(BeginAnew)
      .with.property('message')
      .that.matches(/^more has changed/)
  })
})
