import { mkdtempSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { allDay, icsOf } from '../service/calendars/ics-text.ts'
import { describeOn } from '../support/clusters.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const KIND = 'deployments'
const HOUR = 3_600_000
const DAY = 24 * HOUR
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10)
const compact = (instant: number) => dateOf(instant).replaceAll('-', '')

describeOn('calendars and awake-until', function (on) {
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
  })
})
