import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { KINDS, type Kind } from '../../src/domain/workload/workload.ts'
import type { WorkloadClient } from '../support/api-client.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print, printFigures } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { bucketOf, sumOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow, comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import { hasFollowed, served } from '../support/served.ts'
import { agree } from './agreement.ts'

const WAVE = 200
const REPLICAS = 2
const MINUTE = 60_000
/** Milliseconds from the choice of the edge until it comes, at least: time to set all schedules. */
const LEAD = 12_000

const NAMES = Array.from({ length: WAVE }, (_, index) => `wave-${String(index).padStart(3, '0')}`)
const countOf = (index: number) => 1 + (index % 10 === 0 ? 1 : 0)

/**
 * All tests that need to wait for a minute share one wait: an edge with a wave, and overrides and wakes that last
 * a minute.
 */
describeOnBoth('an edge', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s', wakeHold: '1m' })
  let edge: number
  let holdsEnd: number
  let overrideEnds: number
  let wave: StatusRecord[]

  const one = (name: string, kind: Kind = 'deployments') => here.workload(kind, name)

  before('the edge has passed, and all have acted', async function () {
    this.timeout(480_000)
    await holds()
    holdsEnd = Date.now() + MINUTE
    const begun = performance.now()
    await here.cluster.create(
      here.namespace,
      NAMES.map((name, index) =>
        manifest('deployments', name, { replicas: countOf(index), labels: { wave: 'yes' } }),
      ),
    )
    await eventually('the wave to be running', async () => (await waveObjects()).every(hasFollowed), {
      timeout: 120_000,
      pause: 500,
    })
    // On a slow machine, too, the rest takes less than to create the wave took.
    edge = comingMinute(Math.max(LEAD, performance.now() - begun))
    await atTheEdge()
    await inParallel(NAMES, (name) => one(name).enable({ schedule: sleepsAt(edge) }))
    expect(Date.now(), 'the time to prepare was too short').to.be.lessThan(edge)
    await sleep(edge - Date.now())
    await eventually(
      'the wave to be marked',
      async () => (await waveObjects('!dormouse.dev/asleep')).length === 0,
      {
        pause: 500,
      },
    )
    wave = await eventually(
      'the wave to sleep',
      async () => {
        const records = await listed()
        return (
          records.every(({ is_snoozed: asleep, operation_in_progress: busy }) => asleep && !busy) && records
        )
      },
      { pause: 200 },
    )
    await sleep(Math.max(0, holdsEnd - Date.now()))
  })

  /** Workloads with an override, a snooze or a wake that lasts a minute from now. */
  async function holds() {
    for (const name of ['expires', 'brief', 'held'])
      await here.create('deployments', name, { replicas: REPLICAS })
    await one('expires').enable({ schedule: awakeNow() })
    overrideEnds = Date.parse((await one('expires').override('1m')).manual_override_until ?? '')
    expect((await one('expires').schedule({ schedule: asleepNow() })).is_snoozed).to.equal(false)
    await one('brief').enable()
    expect((await one('brief').snooze('?for=1m')).is_snoozed).to.equal(true)
    expect((await one('held').enable({ schedule: asleepNow() })).is_snoozed).to.equal(true)
    expect((await one('held').wake()).is_snoozed).to.equal(false)
  }

  /** Workloads that meet the edge, beside the wave. */
  async function atTheEdge() {
    for (const kind of KINDS) {
      await here.create(kind, 'sleeps', { replicas: REPLICAS })
      await one('sleeps', kind).enable({ schedule: sleepsAt(edge) })
      await here.create(kind, 'wakes', { replicas: REPLICAS })
      expect((await one('wakes', kind).enable({ schedule: wakesAt(edge) })).is_snoozed).to.equal(true)
    }
    for (const name of ['pinned', 'overridden', 'kept-up']) {
      await here.create('deployments', name, { replicas: REPLICAS })
      await one(name).enable({ schedule: sleepsAt(edge) })
    }
    await one('pinned').pin()
    await one('overridden').override()
    await one('kept-up').wake('?for=2h')
    await here.create('deployments', 'kept-down', { replicas: REPLICAS })
    await one('kept-down').enable({ schedule: wakesAt(edge) })
    await one('kept-down').snooze('?for=2h')
  }

  const waveObjects = (selector = 'wave') =>
    here.list('deployments', `?labelSelector=wave%3Dyes,${encodeURIComponent(selector)}`)

  async function listed(): Promise<StatusRecord[]> {
    const { body } = await here.api.call<StatusRecord[]>(
      'GET',
      `/namespaces/${here.namespace}/deployments?limit=500&labelSelector=wave%3Dyes`,
    )
    return body.data
  }

  it(`puts a wave of ${WAVE} to sleep, each once and with its count kept`, async () => {
    expect(wave.map(({ name }) => name)).to.deep.equal(NAMES)
    for (const [index, record] of wave.entries()) {
      expect(record).to.include({
        is_snoozed: true,
        current_replicas: 0,
        ready_replicas: 0,
        last_replicas: countOf(index),
      })
      expect(record.operation_history).to.have.length(1)
      expect(record.operation_history[0]).to.include({
        type: 'snooze',
        trigger: 'schedule',
        result: 'succeeded',
        by: null,
      })
    }
    for (const { spec, metadata } of await waveObjects()) {
      expect(spec.replicas, metadata.name).to.equal(0)
    }
  })

  it('is never acted on before its second; the delay is printed', async () => {
    const decided = wave.map(({ snoozed_at: at }) => Date.parse(at ?? '') - edge)
    const patches = (await here.cluster.requestsSince(edge)).filter(
      ({ verb, url }) => verb === 'patch' && url.includes(`/namespaces/${here.namespace}/deployments/wave-`),
    )
    const first = new Map<string, number>()
    for (const { url, at } of patches) {
      const name = /wave-\d+/.exec(url)?.[0] ?? ''
      first.set(name, Math.min(first.get(name) ?? Infinity, at - edge))
    }
    const arrived = [...first.values()]
    const durations = wave.map(({ operation_history: [operation] }) => operation?.duration ?? Number.NaN)
    printFigures(`an edge of ${WAVE} workloads on ${here.cluster.name}`, [
      { name: 'edge to decision', values: decided },
      { name: 'edge to the patch at the API server', values: arrived },
      { name: 'patch to the last pod gone', values: durations },
    ])
    expect(Math.min(...decided)).to.be.at.least(0)
    expect(arrived).to.have.length(WAVE)
    expect(patches.length, 'a snooze and at most one completion each').to.be.at.most(2 * WAVE)
  })

  it('is measured by schedule_lag_seconds and operations_total', async () => {
    const metrics = await here.dormouse.metrics()
    const lag = 'dormouse_schedule_lag_seconds'
    print([
      `${lag}: p99 in the bucket up to ${bucketOf(metrics, lag, 0.99)} s, of ${sumOf(metrics, `${lag}_count`)}`,
    ])
    expect(sumOf(metrics, `${lag}_count`)).to.be.at.least(WAVE + KINDS.length)
    const snoozes = { type: 'snooze', trigger: 'schedule', kind: 'deployments', result: 'succeeded' }
    expect(sumOf(metrics, 'dormouse_operations_total', snoozes)).to.be.at.least(WAVE)
  })

  for (const kind of KINDS) {
    it(`puts ${kind} to sleep and wakes them`, async () => {
      await here.settled(kind, 'wakes')
      for (const [name, type] of [
        ['sleeps', 'snooze'],
        ['wakes', 'wake'],
      ] as const) {
        const record = await agree(here, kind, name)
        expect(record.is_snoozed).to.equal(name === 'sleeps')
        const [newest] = record.operation_history
        expect(newest).to.include({ type, trigger: 'schedule', by: null })
        expect(Date.parse(newest?.timestamp ?? '')).to.be.at.least(edge)
      }
    })
  }

  it('does not touch what is pinned or overridden; unpinned or cleared, they follow their schedule', async () => {
    expect(await agree(here, 'deployments', 'pinned')).to.include({ is_snoozed: false, pin_state: 'active' })
    expect(await agree(here, 'deployments', 'overridden')).to.include({
      is_snoozed: false,
      has_manual_override: true,
    })
    expect((await one('pinned').unpin()).is_snoozed).to.equal(true)
    expect((await one('overridden').clearOverride()).is_snoozed).to.equal(true)
  })

  it('does not touch what a request has woken or snoozed for a time', async () => {
    expect(await agree(here, 'deployments', 'kept-up')).to.include({
      is_snoozed: false,
      wake_requested: true,
    })
    expect(await agree(here, 'deployments', 'kept-down')).to.include({
      is_snoozed: true,
      snooze_requested: true,
    })
  })

  /** The newest operation, once it is one of the schedule's. */
  const afterTheHold = (workload: WorkloadClient, type: string) =>
    eventually(`a ${type} after the hold`, async () => {
      const {
        operation_history: [newest],
      } = await workload.status()
      return newest?.type === type && newest.trigger === 'schedule' && newest
    })

  it('when an override expires, the schedule counts again', async () => {
    const { timestamp } = await afterTheHold(one('expires'), 'snooze')
    expect(Date.parse(timestamp)).to.be.within(overrideEnds, overrideEnds + MINUTE)
    const record = await agree(here, 'deployments', 'expires')
    expect(record).to.include({ is_snoozed: true, has_manual_override: false, last_replicas: REPLICAS })
  })

  it('a snooze for a minute ends with a wake', async () => {
    await afterTheHold(one('brief'), 'wake')
    await here.settled('deployments', 'brief')
    expect(await agree(here, 'deployments', 'brief')).to.include({
      is_snoozed: false,
      current_replicas: REPLICAS,
    })
  })

  it('a wake outside the awake hours lasts for wakeHold, then the workload is snoozed again', async () => {
    await eventually('it to sleep again', async () => (await one('held').status()).is_snoozed)
    expect((await agree(here, 'deployments', 'held')).operation_history[0]).to.include({
      type: 'snooze',
      trigger: 'schedule',
    })
  })

  it('wake requests send their patch at once, and record how long the pods took', async () => {
    const woken = NAMES.slice(0, 50)
    const asked: number[] = []
    const answered: number[] = []
    for (const name of woken) {
      const began = Date.now()
      asked.push(began)
      expect((await one(name).wake()).wake_requested).to.equal(true)
      answered.push(Date.now() - began)
    }
    const records = await eventually(
      'the pods to be ready',
      async () => {
        const records = (await listed()).filter(({ name }) => woken.includes(name))
        return records.every(({ operation_in_progress: busy }) => !busy) && records
      },
      { pause: 200 },
    )
    const patches = (await here.cluster.requestsSince(asked[0] ?? 0)).filter(({ verb }) => verb === 'patch')
    const sent = woken.map((name, index) => {
      const patch = patches.find(({ url }) => url.includes(`/deployments/${name}`))
      return (patch?.at ?? Number.NaN) - (asked[index] ?? 0)
    })
    printFigures(`${woken.length} wake requests on ${here.cluster.name}`, [
      { name: 'request to the patch at the API server', values: sent },
      { name: 'request to the answer', values: answered },
      {
        name: 'patch to the last pod ready',
        values: records.map(({ operation_history: [newest] }) => newest?.duration ?? Number.NaN),
      },
    ])
    expect(sent.every((delay) => delay >= 0)).to.equal(true)
    for (const {
      operation_history: [newest],
      ready_replicas: ready,
      last_replicas: count,
    } of records) {
      expect(newest).to.include({ type: 'wake', trigger: 'api', result: 'succeeded', replicas: count })
      expect(ready).to.equal(count)
    }
  })
})
