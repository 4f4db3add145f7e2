import { once } from 'node:events'
import { expect } from 'chai'
import type { Lease, LeaseRecord, LeaseStore } from '../../../src/kubernetes/ports.ts'
import { markedRecord } from '../../../src/service/leadership/release-mark.ts'
import { whileLeading } from '../../../src/service/leadership/while-leading.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { DURATION, NEVER_HELD, RENEW, RETRY, START } from './fake-replicas.ts'

describe('work that is done while leading', () => {
  let time: FakeTime
  let record: LeaseRecord | undefined
  let creatable: boolean
  let stop: AbortController
  let taken: string[]

  beforeEach(() => {
    time = new FakeTime(START)
    record = NEVER_HELD
    creatable = false
    stop = new AbortController()
    taken = []
  })

  const asLease = (read: LeaseRecord): Lease => ({
    record: read,
    update: async (next) => {
      if (record !== read) return undefined
      record = next
      return asLease(next)
    },
  })
  const write = async (next: LeaseRecord) => {
    record = next
    return asLease(next)
  }
  const stored = (): LeaseStore => ({
    creatable,
    read: async () => (record ? asLease(record) : undefined),
    create: write,
  })
  const lead = (work: (lost: AbortSignal) => Promise<void>, lease = stored()) =>
    whileLeading(
      {
        lease,
        identity: 'the command',
        leaseDuration: DURATION,
        renewDeadline: RENEW,
        retryPeriod: RETRY,
        clock: time.clock,
        now: () => time.clock() - START,
        later: (callback, milliseconds) => time.later(callback, milliseconds),
        logger: createLogger('silent'),
      },
      work,
      {
        stop: stop.signal,
        leaseTaken: (from, milliseconds) => void taken.push(`${from}: ${milliseconds}`),
        markedBy: 'ana',
      },
    )
  const untilAborted = async (signal: AbortSignal) => void (await once(signal, 'abort'))

  it('holds the Lease, and marks it as released once it is done', async () => {
    let holder: string | undefined
    const marking = await lead(async () => {
      holder = record?.holder
    })
    expect([holder, marking]).to.deep.equal(['the command', 'marked'])
    expect(record).to.include({ holder: 'released by ana', durationSeconds: 3600 })
  })

  it('says where the mark could not be written', async () => {
    const lease = stored()
    const refusing = (read: Lease): Lease => ({
      record: read.record,
      update: async (next, signal) => {
        if (next.holder.startsWith('released by')) throw new Error('refused')
        const written = await read.update(next, signal)
        return written && refusing(written)
      },
    })
    const read: LeaseStore['read'] = async (signal) => {
      const found = await lease.read(signal)
      return found && refusing(found)
    }
    expect(await lead(async () => {}, { ...lease, read })).to.equal('failed')
  })

  it('begins at once where the cluster is released already', async () => {
    record = markedRecord('bob', '2026-03-02T11:00:00.000000Z', 3)
    let begun = false
    await lead(async () => void (begun = true))
    expect([begun, taken]).to.deep.equal([true, []])
    expect(record).to.include({ holder: 'released by ana' })
  })

  it('fails as the work does, and marks the Lease all the same: what was done is not undone', async () => {
    const failure = await lead(async () => {
      throw new Error('no')
    }).catch((error: unknown) => error)
    expect(failure).to.have.property('message', 'no')
    expect(record).to.include({ holder: 'released by ana' })
  })

  it('begins only when a live leader can no longer act', async () => {
    record = { ...NEVER_HELD, holder: 'the service', durationSeconds: DURATION / 1000 }
    let begun = false
    const done = lead(async () => void (begun = true))
    await settled()
    await time.pass(DURATION - 1)
    expect([begun, taken]).to.deep.equal([false, [`the service: ${DURATION}`]])
    await time.pass(1)
    await done
    expect(begun).to.equal(true)
  })

  it('ends when the Lease is lost, and begins anew once that has expired', async () => {
    const runs: AbortSignal[] = []
    const done = lead(async (lost) => {
      runs.push(lost)
      if (runs.length === 1) await untilAborted(lost)
    })
    await settled()
    record = { ...NEVER_HELD, holder: 'another release', durationSeconds: DURATION / 1000 }
    await time.pass(DURATION)
    expect(runs.map(({ aborted }) => aborted)).to.deep.equal([true])
    expect(record.holder, 'never taken back by force').to.equal('another release')
    await time.pass(RETRY)
    await done
    expect(runs).to.have.length(2)
  })

  it('begins without a Lease where there is none and none may be created', async () => {
    record = undefined
    let begun = false
    await lead(async () => void (begun = true))
    expect([begun, record]).to.deep.equal([true, undefined])
  })

  it('ends when it is to stop, and the Lease is released', async () => {
    const done = lead(untilAborted)
    await settled()
    stop.abort()
    await done
    expect(record).to.include({ holder: '', durationSeconds: 1 })
  })

  it('never begins when it is to stop while the Lease is read', async () => {
    let begun = false
    const lease: LeaseStore = {
      creatable,
      create: write,
      read: async (signal) => {
        await untilAborted(signal)
        throw signal.reason
      },
    }
    const done = lead(async () => void (begun = true), lease)
    stop.abort()
    await done
    expect(begun).to.equal(false)
  })
})
