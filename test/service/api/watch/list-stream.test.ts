import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { ChangeLog } from '../../../../src/service/api/watch/change-log.ts'
import { EventIds } from '../../../../src/service/api/watch/event-ids.ts'
import { ListedRecords } from '../../../../src/service/api/watch/listed-records.ts'
import { ListStream } from '../../../../src/service/api/watch/list-stream.ts'
import { keyOf } from '../../../../src/domain/workload/workload.ts'
import { NOON, rules } from '../service.ts'
import { aWorkload } from '../fake-cluster.ts'

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
      records: new ListedRecords({
        rules,
        clock: () => NOON,
        monotonic: () => 0,
        onDue: () => undefined,
      }),
      ids: new EventIds(),
      changed: async () => undefined,
    }
    const list = {
      id: 'list',
      workloads: { get: (key: Parameters<typeof keyOf>[0]) => copies.get(keyOf(key)) },
      all: () => workloads,
      includes: () => true,
      chosen: () => true,
      isByState: false,
      visible: async () => async () => mayList,
      beat: 10,
      signal: end.signal,
    }
    return (await ListStream.open(list, shared, '')).events()
  }

  it('loses a right that is taken away while the list is told', async () => {
    const events = await open()
    const told: string[] = []
    for await (const text of events) {
      told.push(text)
      mayList = false
      if (text.startsWith('event: listed')) break
      await pause(1)
    }
    const of = (name: string) => told.filter((text) => text.startsWith(`event: ${name}`))
    expect(of('added').length).to.be.below(workloads.length)
    expect(of('removed').length).to.equal(of('added').length)
    expect(of('listed')).to.have.length(1)
    expect(of('listed')[0]).to.include('{"workloads":0}')
  })

  it('loses it although there is always another change to tell', async () => {
    const events = await open()
    let isGone = false
    let count = 0
    for await (const text of events) {
      count += 1
      if (text.startsWith('event: changed')) mayList = false
      if (text.startsWith('event: removed')) isGone = true
      if (isGone || count > 3 * workloads.length) break
      const next = workloads[count % workloads.length]
      if (next) log.add(next)
      if (!mayList) await pause(1)
    }
    expect(isGone).to.equal(true)
  })
})
