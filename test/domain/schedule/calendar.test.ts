import { expect } from 'chai'
import {
  calendarNames,
  calendarOf,
  InvalidCalendar,
  parseDates,
  parseHours,
  type Calendar,
} from '../../../src/domain/schedule/calendar.ts'
import { compileSchedule, ScheduleCompiler } from '../../../src/domain/schedule/schedule.ts'
import { InvalidSchedule } from '../../../src/domain/schedule/syntax.ts'
import { edges } from './every-minute.ts'

const DAY = 24 * 60 * 60_000

describe('a calendar', () => {
  it('replaces the windows that start on its dates: by none, or by hours of its own', () => {
    const calendar = calendarOf('de', { '2026-12-24..2026-12-25': '', '2026-12-26': '9:00-14:00' })
    const schedule = compileSchedule('8:00-18:00', 'UTC', [calendar])
    expect(edges(schedule, '2026-12-23T12:00', '2026-12-27T12:00')).to.deep.equal([
      '2026-12-23T18:00 asleep',
      '2026-12-26T09:00 awake',
      '2026-12-26T14:00 asleep',
      '2026-12-27T08:00 awake',
    ])
    expect(schedule.calendar).to.equal('de')
  })

  it("lets last night's window end in the morning of a holiday, and starts none in its evening", () => {
    const schedule = compileSchedule('22:00-6:00', 'UTC', [calendarOf('de', { '2026-12-25': '' })])
    expect(edges(schedule, '2026-12-24T12:00', '2026-12-27T00:00')).to.deep.equal([
      '2026-12-24T22:00 awake',
      '2026-12-25T06:00 asleep',
      '2026-12-26T22:00 awake',
    ])
  })

  it('takes its dates alone out of a window over days', () => {
    const calendar = calendarOf('de', { '2026-05-25': '', '2026-05-27': '9:00-12:00' })
    const schedule = compileSchedule('Mon 7:00-Fri 20:00', 'UTC', [calendar])
    expect(edges(schedule, '2026-05-24T00:00', '2026-06-02T00:00')).to.deep.equal([
      // Whit Monday has none, and the week begins on Tuesday.
      '2026-05-26T00:00 awake',
      '2026-05-27T00:00 asleep',
      '2026-05-27T09:00 awake',
      '2026-05-27T12:00 asleep',
      '2026-05-28T00:00 awake',
      '2026-05-29T20:00 asleep',
      '2026-06-01T07:00 awake',
    ])
    expect(() => parseHours('Mon 7:00-Fri 20:00')).to.throw(InvalidSchedule, 'hours without days')
  })

  it('that means awake adds hours, also to dates without any, and takes none away', () => {
    const windows = [
      {
        start: Date.UTC(2026, 11, 25, 22),
        end: Date.UTC(2026, 11, 26, 2),
        isFloating: false,
        event: 'Release',
      },
    ]
    const releases = calendarOf('releases', { '2026-12-27': '22:00-1:00' }, { windows, means: 'awake' })
    const de = calendarOf('de', {}, { days: [[Date.UTC(2026, 11, 25), 'Christmas']] })
    const schedule = compileSchedule('8:00-18:00', 'Europe/Berlin', [de, releases])
    expect(edges(schedule, '2026-12-25T00:00', '2026-12-28T00:30')).to.deep.equal([
      '2026-12-25T22:00 awake',
      '2026-12-26T02:00 asleep',
      '2026-12-26T07:00 awake',
      '2026-12-26T17:00 asleep',
      '2026-12-27T07:00 awake',
      '2026-12-27T17:00 asleep',
      '2026-12-27T21:00 awake',
      '2026-12-28T00:00 asleep',
    ])
    const eventAt = (time: string) => schedule.eventAt(Date.parse(time))
    expect(eventAt('2026-12-25T12:00Z')).to.equal('Christmas')
    expect(eventAt('2026-12-25T22:00Z')).to.equal('Release')
    expect(eventAt('2026-12-26T02:00Z')).to.equal(undefined)
    expect(eventAt('2026-12-27T22:00Z')).to.equal(undefined)
    expect(compileSchedule('8:00-18:00', 'UTC', []).eventAt(0)).to.equal(undefined)
  })

  it('can open a day on which the schedule has no window, overnight too', () => {
    const schedule = compileSchedule('8:00-18:00,Mon-Fri', 'UTC', [
      calendarOf('fair', { '2026-11-28': '22:00-4:00' }),
    ])
    expect(edges(schedule, '2026-11-28T00:00', '2026-11-30T00:00')).to.deep.equal([
      '2026-11-28T22:00 awake',
      '2026-11-29T04:00 asleep',
    ])
  })

  it('counts only if no calendar before it in the list has the date', () => {
    const [fair, de] = [
      calendarOf('fair', { '2026-12-24': '9:00-12:00' }),
      calendarOf('de', { '2026-12-24': '' }),
    ]
    const at = Date.parse('2026-12-24T10:00Z')
    expect(compileSchedule('8:00-18:00', 'UTC', [fair, de]).stateAt(at)).to.equal('awake')
    expect(compileSchedule('8:00-18:00', 'UTC', [de, fair]).stateAt(at)).to.equal('asleep')
  })

  it('has hours of its own where both its dates and closed days have the date', () => {
    const at = Date.parse('2026-12-24T10:00Z')
    const calendar = calendarOf(
      'de',
      { '2026-12-24': '9:00-14:00' },
      {
        days: [[Date.UTC(2026, 11, 24), 'Eve']],
      },
    )
    expect(compileSchedule('8:00-18:00', 'UTC', [calendar]).stateAt(at)).to.equal('awake')
  })

  it('moves the next edge up to a year away; beyond, it finds none and returns', () => {
    const longest = calendarOf('closed', { '2026-01-01..2026-12-20': '' })
    const t = Date.parse('2026-01-02T00:00Z')
    expect(compileSchedule('8:00-18:00', 'UTC', [longest]).nextEdge(t)?.at).to.equal(
      Date.parse('2026-12-21T08:00Z'),
    )
    const endless = compileSchedule('8:00-18:00', 'UTC', [
      calendarOf('closed', { '2020-01-01..2029-12-31': '' }),
    ])
    expect(endless.nextEdge(Date.parse('2026-01-02T00:00Z'))).to.equal(undefined)
    expect(endless.latestEdge(Date.parse('2026-01-02T00:00Z'))).to.equal(undefined)
    expect(endless.stateAt(Date.parse('2026-01-02T00:00Z'))).to.equal('asleep')
    expect(endless.nextEdge(Date.parse('2029-06-02T00:00Z'))?.at).to.equal(Date.parse('2030-01-01T08:00Z'))
    expect(endless.latestEdge(Date.parse('2020-11-30T00:00Z'))?.at).to.equal(Date.parse('2019-12-31T18:00Z'))
  })

  it('searches what was searched before without computing it again', () => {
    const closed = calendarOf('closed', { '2020-01-01..2029-12-31': '' })
    let asked = 0
    const counted: Calendar = { ...closed, hoursOn: (midnight) => (asked++, closed.hoursOn(midnight)) }
    const endless = compileSchedule('8:00-18:00', 'UTC', [counted])
    const t = Date.parse('2026-01-02T00:00Z')
    endless.nextEdge(t)
    endless.latestEdge(t)
    expect(asked).to.be.above(2 * 366)
    asked = 0
    for (let i = 0; i < 1000; i += 1) {
      endless.nextEdge(t + i)
      endless.latestEdge(t + i)
    }
    expect(asked).to.equal(0)
  })
})

describe('the dates of a calendar', () => {
  it('are a date, or a range with both ends', () => {
    expect(parseDates('2026-12-24')).to.deep.equal([Date.UTC(2026, 11, 24)])
    expect(parseDates('2028-02-28..2028-03-01')).to.deep.equal([
      Date.UTC(2028, 1, 28),
      Date.UTC(2028, 1, 29),
      Date.UTC(2028, 2, 1),
    ])
  })

  for (const [range, says] of [
    ['2026-02-30', 'expected a date such as 2026-12-24'],
    ['24.12.2026', "found '24.12.2026'"],
    ['2026-12-24..', 'expected a date such as'],
    ['2026-12-24...2026-12-25', 'expected a date such as'],
    ['2027-01-01..2026-12-24', 'a range whose first date comes first'],
    ['2026-01-01..2099-01-01', 'a range of ten years at most'],
  ] as const)
    it(`are refused as ${range}`, () => expect(() => parseDates(range)).to.throw(InvalidSchedule, says))

  it('have no hours, or windows without days', () => {
    expect(parseHours(' ')).to.deep.equal([])
    expect(parseHours('9:00-12:00;22:00-2:00')).to.deep.equal([
      { start: 540, end: 720 },
      { start: 1320, end: 120 },
    ])
    expect(() => parseHours('9:00-14:00,Mon')).to.throw(InvalidSchedule, 'hours without days')
    expect(() => parseHours('closed')).to.throw(InvalidSchedule, 'at 1: expected a time')
  })
})

describe('schedules with a list of calendars', () => {
  const known = new Map<string, Calendar | string>([
    ['de', calendarOf('de', { '2026-12-25': '' })],
    ['fr', calendarOf('fr', { '2026-07-14': '' })],
    ['broken', 'company.ics is missing'],
  ])
  const compiler = () =>
    new ScheduleCompiler(100, { find: (name) => known.get(name), names: [...known.keys()] })

  it('are shared where text, zone and list mean the same', () => {
    const schedules = compiler()
    const schedule = schedules.compile('8:00-18:00', 'UTC', 'de,fr')
    expect(schedules.compile('08:00-18:00', 'UTC', ' de , fr,de ')).to.equal(schedule)
    expect(schedules.compile('8:00-18:00', 'UTC', 'fr,de')).not.to.equal(schedule)
    expect(schedules.compile('8:00-18:00', 'UTC')).not.to.equal(schedule)
    expect(schedules.compile('8:00-18:00', 'UTC', '')).to.equal(schedules.compile('8:00-18:00', 'UTC'))
    expect(schedule.calendar).to.equal('de,fr')
  })

  it('are compiled again once a calendar has changed, and only those that use it', () => {
    const schedules = compiler()
    const [de, fr] = [
      schedules.compile('8:00-18:00', 'UTC', 'de'),
      schedules.compile('8:00-18:00', 'UTC', 'fr'),
    ]
    known.set('de', calendarOf('de', {}, { days: [[Date.UTC(2026, 0, 1), '']], revision: 1 }))
    const again = schedules.compile('8:00-18:00', 'UTC', 'de')
    expect(again.stateAt(Date.UTC(2026, 11, 25, 12))).to.equal('awake')
    expect(de.stateAt(Date.UTC(2026, 11, 25, 12))).to.equal('asleep')
    expect(schedules.compile('8:00-18:00', 'UTC', 'fr')).to.equal(fr)
    expect(again.key).not.to.equal(de.key)
  })

  it('are refused with an unknown calendar, and with one that cannot be used', () => {
    expect(() => compiler().compile('8:00-18:00', 'UTC', 'de,at')).to.throw(
      InvalidCalendar,
      "there is no calendar 'at': write one of de, fr, broken",
    )
    expect(() => compiler().compile('8:00-18:00', 'UTC', 'broken')).to.throw(
      InvalidCalendar,
      'calendar broken cannot be used: company.ics is missing',
    )
    expect(() => new ScheduleCompiler().compile('8:00-18:00', 'UTC', 'de')).to.throw(
      InvalidCalendar,
      'the configuration has no calendars',
    )
  })

  it('take names from a text with any blanks', () => {
    expect(calendarNames(' a ,,b, a')).to.deep.equal(['a', 'b'])
  })
})

it('ten years of dates in a calendar cost little', () => {
  const calendar = calendarOf('long', { '2020-01-01..2029-12-31': '' })
  expect(calendar.hoursOn(Date.UTC(2029, 11, 31))).to.deep.equal([])
  expect(calendar.hoursOn(Date.UTC(2029, 11, 31) + DAY)).to.equal(undefined)
})
