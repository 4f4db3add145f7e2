import { expect } from 'chai'
import { pino } from 'pino'
import type { Knock, KnockAnswer } from '../../src/domain/traffic/knock.ts'
import { Knocks } from '../../src/waker/knocks.ts'
import type { ClaimedPort } from '../../src/waker/ports.ts'
import { answering } from './a-waker.ts'

const port = (change: Partial<ClaimedPort> = {}): ClaimedPort => ({
  namespace: 'shop',
  service: 'web',
  port: 'http',
  mode: 'page',
  workloads: ['deployments/web'],
  ...change,
})

describe('knocks of a waker', () => {
  let time = 0
  let sent: Knock[] = []
  let results: string[] = []
  let warnings = 0

  function knocks(send: (knock: Knock) => Promise<KnockAnswer>): Knocks {
    time = 1
    sent = []
    results = []
    warnings = 0
    return new Knocks({
      send: async (knock) => {
        sent.push(knock)
        return send(knock)
      },
      observer: {
        knocked: (result) => results.push(result),
        connected() {},
        refused() {},
        joined() {},
      },
      monotonic: () => time,
      logger: pino({ level: 'warn' }, { write: () => void warnings++ }),
      signal: new AbortController().signal,
    })
  }

  it('are one in flight of each Service, and one a second', async () => {
    const some = knocks(async () => answering('waking'))
    const { wake } = some.of(port())
    const answers = await Promise.all([wake(), wake(), some.of(port({ port: 'grpc' })).wake()])
    expect(new Set(answers).size).to.equal(1)
    expect(sent).to.have.length(1)
    time = 1001
    await wake()
    expect(sent).to.have.length(1)
    time = 1002
    await wake()
    await some.of(port({ service: 'api' })).wake()
    expect(sent).to.have.length(3)
  })

  it('look by the answer to a wake, and never wake by the answer to a look', async () => {
    const some = knocks(async () => answering('asleep')).of(port())
    await some.look()
    await some.wake()
    await some.look()
    expect(sent.map(({ wake }) => wake)).to.deep.equal([false, true])
  })

  it('are split where a Service has more workloads than one may name, and answered as one', async () => {
    const workloads = Array.from({ length: 65 }, (_, index) => `deployments/web-${index}`)
    const some = knocks(async (knock) =>
      knock.workloads.length === 64
        ? answering('held', { until: '2026-01-01T00:00:00Z', usual_seconds: 40 })
        : answering('asleep', { until: '2027-01-01T00:00:00Z', usual_seconds: 20, late: true }),
    )
    const answer = await some.of(port({ workloads })).look()
    expect(sent.map(({ workloads }) => workloads.length)).to.deep.equal([64, 1])
    expect(answer).to.deep.include({
      state: 'asleep',
      until: '2027-01-01T00:00:00Z',
      usual_seconds: 40,
      late: true,
    })
  })

  it('that fail are counted and warned of once in a row, and asked again a second later', async () => {
    let fails = true
    const some = knocks(async () => {
      if (fails) throw new Error('no answer')
      return answering('waking')
    })
    const { wake } = some.of(port())
    expect(await wake()).to.equal(undefined)
    time = 1002
    expect(await wake()).to.equal(undefined)
    expect(some.answered).to.equal(false)
    fails = false
    time = 2003
    expect(await wake()).to.deep.include({ state: 'waking' })
    expect(results).to.deep.equal(['failed', 'failed', 'waking'])
    expect(warnings).to.equal(1)
    expect(some.answered).to.equal(true)
  })

  it('of all Services together are bounded', async () => {
    const some = knocks(async () => answering('waking'))
    const answers = await Promise.all(
      Array.from({ length: 1100 }, (_, index) => some.of(port({ service: `s${index}` })).wake()),
    )
    expect(answers.filter((each) => each === undefined)).to.have.length(100)
    time = 100
    expect(await some.of(port({ service: 'later' })).wake()).to.deep.include({ state: 'waking' })
  })
})
