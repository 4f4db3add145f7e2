import { expect } from 'chai'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfiguredCalendars } from '../../../src/service/calendars/configured-calendars.ts'
import { systemLater } from '../../../src/process/clock.ts'
import { loadConfig } from '../../../src/service/config/config.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { calendarThreads } from '../../../src/wiring/calendar-thread.ts'
import { eventually } from '../../support/eventually.ts'
import { allDay, icsOf } from './ics-text.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const DAY = 24 * 60 * 60_000
const TODAY = Date.UTC(2026, 2, 2)
const CLOSED = Date.UTC(2026, 4, 1)

describe('the calendars of the configuration', function () {
  this.timeout(60_000)
  const path = temporaryFolder()
  const started: ConfiguredCalendars[] = []

  afterEach(async () => {
    await Promise.all(started.splice(0).map((each) => each.stop()))
  })

  const write = (name: string, text: string) => writeFile(path(name), text)

  interface Given extends Partial<ConstructorParameters<typeof ConfiguredCalendars>[0]> {
    /** Called while a file is being read, with how many were before; then no look comes but for an event. */
    readonly during?: (before: number) => Promise<void>
    /** Milliseconds that the reading of a file may take. */
    readonly longest?: number
  }

  async function calendars(yaml: string, { during, longest, ...given }: Given = {}) {
    const logged: { msg: string; fault?: string; level: string }[] = []
    const config = loadConfig({ text: yaml, environment: {} })
    const threads = calendarThreads(longest)
    let reads = 0
    const made = new ConfiguredCalendars({
      calendars: config.calendars,
      expander: {
        async expand(...asked) {
          await during?.(reads++)
          return await threads.expand(...asked)
        },
      },
      clock: () => TODAY,
      later: (callback, milliseconds) =>
        systemLater(callback, during ? milliseconds : Math.min(milliseconds, 300)),
      logger: createLogger('info', {
        write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[0]),
      }),
      ...given,
    })
    const changes: string[][] = []
    made.onChange((names) => changes.push([...names]))
    started.push(made)
    await made.start()
    const hours = (name: string, midnight = CLOSED) => {
      const found = made.find(name)
      return typeof found === 'object' ? found.hoursOn(midnight) : found
    }
    return { made, hours, changes, logged }
  }
  const ofFile = (...names: string[]) =>
    `calendars: { company: { files: [${names.map((name) => JSON.stringify(path(name))).join()}] } }`

  it('come from dates, and from all of their files; dates count first', async () => {
    await write('a.ics', icsOf(allDay('20260501')))
    await write('b.ics', icsOf(allDay('20260502'), allDay('20260503')))
    const { hours, made } = await calendars(
      `calendars: { de: { dates: { 2026-05-03: '9:00-14:00' }, files: ['${path('a.ics')}', '${path('b.ics')}'] }, fr: { dates: { 2026-07-14..2026-07-15: '' } } }`,
    )
    expect(hours('de')).to.deep.equal([])
    expect(hours('de', CLOSED + DAY)).to.deep.equal([])
    expect(hours('de', CLOSED + 2 * DAY)).to.deep.equal([{ start: 540, end: 840 }])
    expect(hours('fr', Date.UTC(2026, 6, 15))).to.deep.equal([])
    expect(made.find('at')).to.equal(undefined)
    expect(made.names).to.deep.equal(['de', 'fr'])
    expect([...made.readable()]).to.deep.equal([
      { name: 'de', readable: true },
      { name: 'fr', readable: true },
    ])
  })

  it('are read again when a file changes, and those that use them hear of it', async () => {
    await write('a.ics', icsOf())
    const { hours, changes } = await calendars(ofFile('a.ics'))
    expect(hours('company')).to.equal(undefined)
    await write('a.ics', icsOf(allDay('20260501')))
    await eventually('the change to be read', async () => hours('company') !== undefined)
    expect(changes.at(-1)).to.deep.equal(['company'])
  })

  it('are read again when a file changes while it is being read', async () => {
    await write('a.ics', icsOf())
    const during = async (before: number) => {
      if (before !== 1) return
      await write('a.ics', icsOf(allDay('20260501')))
      // The event of that change has come.
      await sleep(100)
    }
    const { hours } = await calendars(ofFile('a.ics'), { during })
    await write('a.ics', icsOf(allDay('20260601'), allDay('20260602')))
    await eventually('the last change to be read', async () => hours('company') !== undefined)
  })

  it('are read again after a listener has failed, which keeps no other from hearing', async () => {
    await write('a.ics', icsOf())
    const { made, hours, changes, logged } = await calendars(ofFile('a.ics'))
    made.onChange(() => {
      throw new TypeError('a bug of ours')
    })
    const last: unknown[] = []
    made.onChange(() => last.push(hours('company')))
    for (const date of ['20260501', '20260502']) {
      const { length } = last
      await write('a.ics', icsOf(allDay(date)))
      await eventually('the change to be read', async () => last.length > length)
    }
    expect(changes.length).to.be.at.least(2)
    expect(logged.some(({ msg }) => msg === 'a listener of the calendars failed')).to.equal(true)
  })

  it('are read again when Kubernetes swaps the folder of a ConfigMap by a symbolic link', async () => {
    const version = async (name: string, text: string) => {
      await mkdir(path(name))
      await write(`${name}/company.ics`, text)
      await symlink(name, path('..data_tmp'))
      await rename(path('..data_tmp'), path('..data'))
    }
    await version('..2026_1', icsOf())
    await symlink('..data/company.ics', path('company.ics'))
    const { hours } = await calendars(ofFile('company.ics'))
    expect(hours('company')).to.equal(undefined)
    await version('..2026_2', icsOf(allDay('20260501')))
    await eventually('the new version', async () => hours('company') !== undefined)
  })

  it('keep what a file said last when it vanishes, is emptied or is half-written, and say so', async () => {
    await write('a.ics', icsOf(allDay('20260501')))
    const { hours, logged, made } = await calendars(ofFile('a.ics'))
    for (const [spoil, says] of [
      [() => rm(path('a.ics')), 'there is no such file'],
      [() => write('a.ics', ''), 'it is empty, or half-written'],
      [() => write('a.ics', icsOf(allDay('20260502')).slice(0, -20)), 'half-written'],
    ] as const) {
      await spoil()
      await eventually(says, async () => logged.some(({ fault }) => fault?.includes(says)))
      expect(hours('company')).to.deep.equal([])
      expect([...made.readable()]).to.deep.equal([{ name: 'company', readable: false }])
      expect(logged.at(-1)?.msg).to.equal('a calendar file cannot be read; what it said before still counts')
    }
    await write('a.ics', icsOf(allDay('20260502')))
    await eventually('the new dates', async () => hours('company') === undefined)
    expect([...made.readable()]).to.deep.equal([{ name: 'company', readable: true }])
  })

  it('cannot be used while a file was never read, and can once it is there', async () => {
    const { hours } = await calendars(ofFile('later/a.ics'))
    expect(hours('company')).to.equal(`${path('later/a.ics')}: there is no such file`)
    await mkdir(path('later'))
    await write('later/a.ics', icsOf(allDay('20260501')))
    await eventually('the file to be read', async () => typeof hours('company') === 'object')
  })

  it('tell once what of a file does not count, and choose events of one file each by itself', async () => {
    const meeting = 'BEGIN:VEVENT\r\nDTSTART:20260501T100000Z\r\nDURATION:PT1H\r\nEND:VEVENT'
    await write('a.ics', icsOf(allDay('20260501', undefined, 'SUMMARY:Labour Day'), meeting))
    const file = `files: ['${path('a.ics')}']`
    const { made, hours, logged } = await calendars(
      `calendars: { all: { ${file} }, none: { ${file}, events: { summary: ['x*'] } }, up: { ${file}, means: awake } }`,
    )
    expect([hours('all'), hours('none'), hours('up')]).to.deep.equal([[], undefined, undefined])
    const up = made.find('up')
    expect(typeof up === 'object' && up.addedBetween?.(CLOSED, CLOSED + DAY)).to.have.length(2)
    const one = '1 event has times of day and does not count'
    expect(made.notices('all')).to.deep.equal([`${path('a.ics')}: ${one}`])
    expect(made.notices('none').join()).to.include('2 events of it do not match `events`')
    expect(made.notices('up')).to.deep.equal([])
    const warned = logged.filter(({ msg }) => msg === 'not all of a calendar file counts')
    expect(warned).to.have.length(2)
    expect(warned[0]).to.deep.include({ calendar: 'all', notices: [one] })
    await made.stop()
  })

  it('refuse a file of 5 MB with a reason', async () => {
    await write('big.ics', icsOf(...Array.from({ length: 50_000 }, () => allDay('20260501'))))
    const { hours } = await calendars(ofFile('big.ics'))
    expect(hours('company')).to.match(/MiB, more than the 1 MiB that is read: keep its all-day events alone/)
  })

  it('give up a file with a rule that matches no date', async () => {
    await write(
      'endless.ics',
      icsOf(allDay('20260101', '20260102', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')),
    )
    const { hours } = await calendars(ofFile('endless.ics'), { longest: 3000 })
    expect(hours('company')).to.include('take more than 3 s to read: look for an RRULE that matches no date')
  })

  it('read a file again that has not changed: ever more seldom if it could not be read, else every month', async () => {
    await write('a.ics', icsOf(allDay('20260501')))
    let now = TODAY
    let reads = 0
    let isSlow = true
    const expand = async () => {
      reads += 1
      if (isSlow) throw new Error('its events take more than 30 s to read')
      return { days: [[CLOSED, '']] as const, windows: [], notices: [] }
    }
    const { made } = await calendars(ofFile('a.ics'), {
      expander: { expand },
      clock: () => now,
      later: (callback) => systemLater(callback, 1),
    })
    const hour = 60 * 60_000
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = reads
      now += minutes * 60_000
      await eventually(`it to be read again after ${minutes} min`, async () => reads > before)
    }
    expect(reads).to.equal(9)
    expect(made.find('company')).to.be.a('string')
    isSlow = false
    now += hour
    await eventually('it to be read', async () => typeof made.find('company') === 'object')
    const before = reads
    now += hour
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reads, 'what could be read').to.equal(before)
    now += 30 * 24 * hour
    await eventually('the coming months to be read', async () => reads > before)
  })

  it('hold up a start no longer than it has patience, and a stop not at all', async () => {
    const ends = allDay('20260101', '20260102', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')
    await write('a.ics', icsOf(ends))
    await write('b.ics', icsOf(allDay('20260501')))
    const yaml = `calendars: { endless: { files: ['${path('a.ics')}'] }, company: { files: ['${path('b.ics')}'] } }`
    const expander = calendarThreads(600_000)
    const { made, logged } = await calendars(yaml, { expander, later: systemLater, patience: 500 })
    expect(made.find('company')).to.equal(`${path('b.ics')}: it is not read yet`)
    await made.stop()
    expect(logged, 'nothing is wrong with a file that nobody waits for').to.deep.equal([])
  })
})
