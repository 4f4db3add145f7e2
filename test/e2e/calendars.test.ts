import { mkdtempSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { allDay, icsOf } from '../service/calendars/ics-text.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow, awakeNow, comingMinute, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const KIND = 'deployments'
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Milliseconds from the choice of the edge until it comes: time for five requests. */
const LEAD = 15_000

const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10)
const compact = (instant: number) => dateOf(instant).replaceAll('-', '')

describeOnBoth('calendars, auto-wake, awake-until and wake-order', function (on) {
  this.timeout(150_000)
  const directory = mkdtempSync(join(tmpdir(), 'dormouse-calendars-'))
  const file = join(directory, 'company.ics')
  const here = served(on, {
    newWorkloadGrace: '0s',
    calendars: {
      closed: { dates: { [`${dateOf(Date.now() - 2 * DAY)}..${dateOf(Date.now() + 2 * DAY)}`]: '' } },
      company: { files: [file] },
    },
  })

  const ORDERS = { app: undefined, cache: '3', base: '0', asked: '9' }
  let edge: number

  before('an edge at which four wake comes beside the other tests', async () => {
    const ordered = Object.entries(ORDERS)
    for (const [name, order] of ordered) {
      const annotations = order === undefined ? {} : { [ANNOTATION.wakeOrder]: order }
      await here.create(KIND, name, { replicas: 2, annotations })
      await here.workload(KIND, name).enable({ schedule: asleepNow() })
    }
    for (const [name] of ordered) await becomes(name, 'asleep')
    // The slow part is done: five requests are left.
    edge = comingMinute(LEAD)
    for (const [name] of ordered) await here.workload(KIND, name).schedule({ schedule: wakesAt(edge) })
    expect((await here.workload(KIND, 'asked').wake()).is_snoozed).to.equal(false)
    expect(Date.now(), 'the time to prepare was too short').to.be.lessThan(edge)
  })

  after(() => rmSync(directory, { recursive: true, force: true }))

  const annotate = (name: string, annotation: string, value: string | undefined) =>
    here.annotate(KIND, name, { [annotation]: value ?? null })

  const becomes = (name: string, state: 'awake' | 'asleep') =>
    eventually(`${name} to be ${state}`, async () => {
      const record = await here.workload(KIND, name).status()
      return record.is_snoozed === (state === 'asleep') && record
    })

  const says = (name: string, text: string) =>
    eventually(`${name} to say ${text}`, async () => {
      const record = await here.workload(KIND, name).status()
      return record.reason.includes(text) && record
    })

  describe('a calendar', () => {
    before(async () => {
      await here.enabled(KIND, 'holiday', { replicas: 2, schedule: awakeNow() })
    })

    it('of dates puts a workload to sleep on them, and without it the schedule counts again', async () => {
      await annotate('holiday', ANNOTATION.calendar, 'closed')
      expect((await becomes('holiday', 'asleep')).reason).to.include('calendar closed')
      await annotate('holiday', ANNOTATION.calendar, undefined)
      await becomes('holiday', 'awake')
    })

    it('that does not exist stops what is automatic, with an Event and a reason', async () => {
      await annotate('holiday', ANNOTATION.calendar, 'clsoed')
      const text = "dormouse.dev/calendar: there is no calendar 'clsoed': write one of closed, company"
      expect(await says('holiday', text)).to.include({ is_snoozed: false, next_transition: null })
      await eventually('an Event that tells of it', async () =>
        (await here.events('holiday')).some(
          ({ reason, type, message }) =>
            reason === 'InvalidSchedule' && type === 'Warning' && message.includes('clsoed'),
        ),
      )
    })

    it('whose file is missing cannot be used; a file that comes, changes or breaks is noticed', async () => {
      await annotate('holiday', ANNOTATION.calendar, 'company')
      await says('holiday', `${file}: there is no such file`)
      const today = [-1, 0, 1].map((days) => allDay(compact(Date.now() + days * DAY)))
      await writeFile(file, icsOf(...today))
      await becomes('holiday', 'asleep')
      await writeFile(file, icsOf(allDay('20200101')))
      await becomes('holiday', 'awake')
      await writeFile(file, icsOf(...today))
      await becomes('holiday', 'asleep')
      await rm(file)
      await eventually('the log to say so', async () =>
        here.dormouse.log.some(
          ({ msg, fault }) =>
            msg?.includes('what it said before still counts') && fault === 'there is no such file',
        ),
      )
      expect(await here.workload(KIND, 'holiday').status()).to.include({ is_snoozed: true })
    })
  })

  describe('a calendar file that changes', () => {
    it('is told to those who watch a list, though nothing of their workload has changed', async () => {
      await writeFile(file, icsOf(allDay('20200101')))
      await here.enabled(KIND, 'watched', { replicas: 1, schedule: asleepNow() })
      await annotate('watched', ANNOTATION.calendar, 'company')
      const { next_transition: next } = await becomes('watched', 'asleep')
      await says('watched', 'calendar company')
      const list = `${here.api.url}/api/v1/workloads?watch=true&namespace=${here.namespace}`
      const stream = await EventStream.open(list, await here.dormouse.tokens.token())
      try {
        await stream.until('listed')
        const week = Array.from({ length: 9 }, (_, day) => allDay(compact(Date.now() + (day - 1) * DAY)))
        await writeFile(file, icsOf(...week))
        await stream.until('changed', ({ name, next_transition: then }) => {
          const { at } = (then ?? {}) as { at?: string }
          return name === 'watched' && at !== undefined && at > String(next?.at)
        })
      } finally {
        await stream.close()
      }
    })
  })

  describe('auto-wake "false"', () => {
    it('leaves asleep what its schedule would wake, and people wake it until the window ends', async () => {
      const workload = await here.enabled(KIND, 'on-demand', { replicas: 2, schedule: asleepNow() })
      await becomes('on-demand', 'asleep')
      await annotate('on-demand', ANNOTATION.autoWake, 'false')
      await annotate('on-demand', ANNOTATION.schedule, awakeNow())
      const record = await says('on-demand', 'only puts to sleep, next at')
      expect(record).to.include({ is_snoozed: true, next_transition: null })
      expect((await workload.wake('?wait=60s')).next_transition?.type).to.equal('snooze')
      await annotate('on-demand', ANNOTATION.autoWake, 'maybe')
      await says('on-demand', 'dormouse.dev/auto-wake: write "true" or "false"')
    })
  })

  describe('awake-until', () => {
    it('wakes what the schedule put to sleep, and ends', async () => {
      await here.enabled(KIND, 'late', { replicas: 2, schedule: asleepNow() })
      await becomes('late', 'asleep')
      const end = new Date(Date.now() + 4000)
      await annotate('late', ANNOTATION.awakeUntil, new Date(Date.now() + HOUR).toISOString())
      expect((await becomes('late', 'awake')).next_transition?.type).to.equal('snooze')
      await annotate('late', ANNOTATION.awakeUntil, end.toISOString())
      await becomes('late', 'asleep')
      await annotate('late', ANNOTATION.awakeUntil, dateOf(Date.now() + DAY))
      await becomes('late', 'awake')
    })

    it('leaves asleep what a person put to sleep', async () => {
      const workload = await here.enabled(KIND, 'kept-down', { replicas: 2, schedule: awakeNow() })
      await workload.snooze('?wait=60s')
      await annotate('kept-down', ANNOTATION.awakeUntil, new Date(Date.now() + HOUR).toISOString())
      await sleep(1000)
      expect(await workload.status()).to.include({ is_snoozed: true, snooze_requested: true })
    })
  })

  describe('wake-order', () => {
    it('at an edge wakes a higher number once the lower ones are ready; a request passes', async function () {
      this.timeout(300_000)
      await sleep(Math.max(0, edge - Date.now()))
      const records: Record<string, StatusRecord> = {}
      for (const name of ['base', 'cache', 'app'])
        records[name] = await eventually(`${name} to be awake`, async () => {
          const record = await here.workload(KIND, name).status()
          return !record.is_snoozed && !record.operation_in_progress && record
        })
      const span = (name: string) => {
        const [newest] = records[name]!.operation_history
        const start = Date.parse(newest!.timestamp)
        return { start, end: start + newest!.duration }
      }
      // The end is known to the second.
      expect(span('base').start).to.be.at.least(edge)
      expect(span('cache').start)
        .to.be.at.least(span('base').end - 1000)
        .and.above(span('base').start)
      expect(span('app').start)
        .to.be.at.least(span('cache').end - 1000)
        .and.above(span('cache').start)
    })
  })
})
