import { expect } from 'chai'
import type { Call } from '../../src/kubernetes/api-calls.ts'
import { EventRecorder } from '../../src/kubernetes/events.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { createLogger } from '../../src/process/logger.ts'
import { RecordingObserver, until } from './fake-api-server.ts'
import { workload } from './objects.ts'

interface Body {
  metadata: { name: string }
  message: string
  count: number
}

const web = workload('web')
const refusal = (status: number, code: 'NOT_FOUND' | 'CLUSTER_UNAVAILABLE' | 'CLUSTER_REJECTED') =>
  new ClusterRefusal(code, 'no', { status })

describe('the recorder of Events', () => {
  let calls: Call[]
  let failures: Error[]
  let held: Promise<void> | undefined
  let now: number
  let waits: number
  let logged: string[]
  let observer: RecordingObserver
  let recorder: EventRecorder

  const bodies = () => calls.map(({ body }) => body as Body)

  beforeEach(() => {
    calls = []
    failures = []
    held = undefined
    now = 0
    waits = 0
    logged = []
    observer = new RecordingObserver()
    recorder = new EventRecorder({
      client: {
        call: async <Answer>(call: Call): Promise<Answer> => {
          calls.push(call)
          await held
          const failure = failures.shift()
          if (failure) throw failure
          return {} as Answer
        },
      },
      observer,
      logger: createLogger('warn', { write: (line) => void logged.push(line) }),
      clock: () => Date.UTC(2026, 0, 5, 18) + now,
      now: () => now,
      delay: async (milliseconds) => {
        waits++
        now += milliseconds
      },
    })
  })

  afterEach(() => recorder.stop())

  const woken = () => recorder.record(web, 'Normal', 'Woken', 'awake')
  const snoozed = (of = web) => recorder.record(of, 'Normal', 'Snoozed', 'asleep')
  const wave = (count: number) => {
    for (let index = 0; index < count; index++) snoozed(workload(`w${index}`))
  }

  it('writes an Event on the workload', async () => {
    recorder.record(web, 'Normal', 'Snoozed', 'put to sleep')
    await until(() => calls.length === 1)
    expect(calls[0]).to.include({ method: 'POST', resource: 'events' })
    expect(calls[0]?.path).to.equal('/api/v1/namespaces/shop/events')
    expect(bodies()[0]).to.deep.include({
      involvedObject: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        uid: 'uid-web',
        resourceVersion: '10',
      },
      type: 'Normal',
      reason: 'Snoozed',
      message: 'put to sleep',
      count: 1,
      firstTimestamp: '2026-01-05T18:00:00Z',
      source: { component: 'dormouse' },
      reportingComponent: 'dormouse',
    })
    expect(bodies()[0]?.metadata.name).to.match(/^web\.[0-9a-f]{16}$/)
  })

  it('adds an equal one to the count of the same Event', async () => {
    recorder.record(web, 'Warning', 'InvalidState', 'bad JSON')
    await until(() => calls.length === 1)
    now += 60_000
    recorder.record(web, 'Warning', 'InvalidState', 'bad JSON')
    recorder.record(web, 'Warning', 'InvalidState', 'bad JSON')
    await until(() => calls.length === 2)
    expect(calls[1]).to.include({ method: 'PATCH', contentType: 'application/merge-patch+json' })
    expect(calls[1]?.path.split('/').at(-1)).to.equal(bodies()[0]?.metadata.name)
    expect(bodies()[1]).to.deep.equal({ count: 3, lastTimestamp: '2026-01-05T18:01:00Z' })
  })

  it('begins a new Event after ten quiet minutes, and when the old one has expired', async () => {
    woken()
    await until(() => calls.length === 1)
    now += 11 * 60_000
    woken()
    await until(() => calls.length === 2)
    expect(calls[1]?.method).to.equal('POST')
    failures = [refusal(404, 'NOT_FOUND')]
    woken()
    await until(() => calls.length === 4)
    expect(calls.slice(2).map(({ method }) => method)).to.deep.equal(['PATCH', 'POST'])
  })

  const written = async (message: string) => {
    recorder.record(web, 'Warning', 'InvalidSetting', message)
    await until(() => calls.length === 1)
    return bodies()[0]?.message
  }

  it('quotes nobody who steers a terminal, or turns the direction of what follows', async () =>
    expect(await written('found \u001B]0;owned\u0007\u001B[2J\u009B31m\u202Etxet\u2066\n')).to.equal(
      'found  ]0;owned  [2J 31m txet  ',
    ))

  it('cuts a message at 1024 characters', async () =>
    expect(await written('x'.repeat(2000))).to.equal('x'.repeat(1024)))

  it('sends 20 at once and then five in a second: a wave gets all of its Events in time', async () => {
    wave(200)
    await until(() => calls.length === 200)
    expect(waits).to.equal(180)
    expect(now).to.be.closeTo(36_000, 500)
    expect(observer.dropped).to.equal(0)
  })

  it('drops and counts Events beyond its queue of 1000', async () => {
    let release = () => {}
    held = new Promise((resolve) => (release = resolve))
    wave(1100)
    expect(observer.dropped).to.equal(100)
    release()
  })

  it('tries again while the cluster is away, five times, and then drops', async () => {
    failures = Array.from({ length: 5 }, () => refusal(503, 'CLUSTER_UNAVAILABLE'))
    woken()
    await until(() => observer.dropped === 1)
    expect(calls).to.have.length(5)
    failures = [refusal(503, 'CLUSTER_UNAVAILABLE')]
    snoozed()
    await until(() => calls.length === 7)
    expect(observer.dropped).to.equal(1)
  })

  it('never throws: what the cluster refuses is dropped at once, and the next goes on', async () => {
    failures = [refusal(403, 'CLUSTER_REJECTED')]
    woken()
    snoozed()
    await until(() => calls.length === 2)
    expect(observer.dropped).to.equal(1)
  })

  it('warns of the first of several that the cluster refuses, so that a missing right is seen', async () => {
    const fail = async (...refusals: Error[]) => {
      failures = refusals
      const before = calls.length
      recorder.record(workload(`w${before}`), 'Normal', 'Woken', 'awake')
      await until(() => calls.length > before && failures.length === 0)
    }
    const forbidden = refusal(403, 'CLUSTER_REJECTED')
    await fail(forbidden)
    await until(() => logged.length === 1)
    await fail(forbidden)
    await fail()
    await fail(forbidden)
    await until(() => logged.length === 2)
    for (const line of logged) expect(line).to.include('an Event could not be written')
  })

  it('sends its queue when it is stopped, faster than its rate', async () => {
    wave(50)
    await recorder.stop()
    expect(calls).to.have.length(50)
    recorder.record(web, 'Normal', 'Woken', 'too late')
    expect(observer.dropped).to.equal(1)
  })
})
