import { expect } from 'chai'
import fc from 'fast-check'
import { readEvents } from '../../../src/service/calendars/ics.ts'
import type { EventFilter } from '../../../src/service/calendars/ports.ts'
import { dateOf } from '../../../src/domain/schedule/calendar.ts'
import { allDay, icsOf } from './ics-text.ts'

const FROM = Date.UTC(2026, 0, 1)
const TO = Date.UTC(2027, 0, 1)

const ALL: EventFilter = { summary: null, categories: null, description: null, means: 'asleep' }
const read = (text: string, filter: Partial<EventFilter> = {}) =>
  readEvents(text, { filter: { ...ALL, ...filter }, from: FROM, to: TO })
const dates = (text: string, filter?: Partial<EventFilter>) =>
  read(text, filter).days.map(([midnight]) => dateOf(midnight))

/** `20260105` is the day 0. */
const compact = (day: number) => isoDate(day).replaceAll('-', '')
const isoDate = (day: number) => dateOf(Date.UTC(2026, 0, 5 + day))

describe('an iCalendar file', () => {
  it('closes the dates of all-day events, the end left out', () => {
    const text = icsOf(allDay('20261224', '20261227'), allDay('20261003'), allDay('20260501', '20260501'))
    expect(dates(text)).to.deep.equal(['2026-05-01', '2026-10-03', '2026-12-24', '2026-12-25', '2026-12-26'])
  })

  it('closes none by events with a time of day, cancelled ones, and those of other kinds', () => {
    const timed = 'BEGIN:VEVENT\r\nUID:t\r\nDTSTART:20260501T080000Z\r\nDTEND:20260501T090000Z\r\nEND:VEVENT'
    const toDo = 'BEGIN:VTODO\r\nUID:d\r\nDTSTART;VALUE=DATE:20260502\r\nEND:VTODO'
    const noStart = 'BEGIN:VEVENT\r\nUID:n\r\nSUMMARY:none\r\nEND:VEVENT'
    expect(
      dates(icsOf(timed, toDo, noStart, allDay('20260503', '20260504', 'STATUS:CANCELLED'))),
    ).to.deep.equal([])
  })

  it('counts a holiday that is marked as free', () => {
    expect(dates(icsOf(allDay('20260501', '20260502', 'TRANSP:TRANSPARENT')))).to.deep.equal(['2026-05-01'])
  })

  it('closes every recurrence within the time asked for, without an end too', () => {
    const christmas = allDay('19901225', '19901227', 'RRULE:FREQ=YEARLY')
    expect(dates(icsOf(christmas))).to.deep.equal(['2026-12-25', '2026-12-26'])
    const thanksgiving = allDay('20001123', '20001124', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH')
    expect(dates(icsOf(thanksgiving))).to.deep.equal(['2026-11-26'])
  })

  it('follows a recurrence that was moved, cancelled, or given a time of day', () => {
    const weekly = allDay('20260105', '20260106', 'UID:w', 'RRULE:FREQ=WEEKLY;COUNT=4')
    const moved = allDay('20260114', '20260115', 'UID:w', 'RECURRENCE-ID;VALUE=DATE:20260112')
    const off = allDay(
      '20260119',
      '20260120',
      'UID:w',
      'RECURRENCE-ID;VALUE=DATE:20260119',
      'STATUS:CANCELLED',
    )
    expect(dates(icsOf(weekly, moved, off))).to.deep.equal(['2026-01-05', '2026-01-14', '2026-01-26'])
  })

  it('leaves out what EXDATE names with a time of day', () => {
    const exdates = ['EXDATE:20260112T000000', 'EXDATE;TZID=Own/Zone:20260119T000000']
    const weekly = allDay('20260105', '20260106', 'RRULE:FREQ=WEEKLY;COUNT=4', ...exdates)
    expect(dates(icsOf(weekly))).to.deep.equal(['2026-01-05', '2026-01-26'])
  })

  it('closes what a naive reader of RRULE, RDATE and EXDATE finds, whatever these name', () => {
    const some = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 })
    /** The first in a line of its own, the others in one. */
    const named = (name: string, [first, ...others]: readonly number[]) =>
      [first === undefined ? [] : [first], others]
        .filter((days) => days.length > 0)
        .map((days) => `${name};VALUE=DATE:${days.map(compact).join()}`)
    fc.assert(
      fc.property(
        fc.record({
          step: fc.integer({ min: 1, max: 9 }),
          count: fc.integer({ min: 1, max: 8 }),
          rdates: some,
          exdates: some,
        }),
        ({ step, count, rdates, exdates }) => {
          const lines = [
            `RRULE:FREQ=DAILY;INTERVAL=${step};COUNT=${count}`,
            ...named('RDATE', rdates),
            ...named('EXDATE', exdates),
          ]
          const expected = new Set([...Array.from({ length: count }, (_, index) => index * step), ...rdates])
          for (const day of exdates) expected.delete(day)
          const found = dates(icsOf(allDay(compact(0), undefined, ...lines)))
          expect(found).to.deep.equal([...expected].toSorted((a, b) => a - b).map(isoDate))
        },
      ),
    )
  })

  it('may begin with a byte order mark', () => {
    expect(dates(`\uFEFF${icsOf(allDay('20260501'))}`)).to.deep.equal(['2026-05-01'])
  })

  it('may have a moved occurrence without the event that recurs', () => {
    const alone = allDay('20260114', '20260115', 'UID:w', 'RECURRENCE-ID;VALUE=DATE:20260112')
    expect(dates(icsOf(alone))).to.deep.equal(['2026-01-14'])
  })

  it('has names, and a status, in any case, as RFC 5545 allows', () => {
    expect(dates(icsOf(allDay('20260503', '20260504', 'STATUS:Cancelled')))).to.deep.equal([])
    expect(dates(icsOf(allDay('20260503', '20260504', 'rrule:FREQ=WEEKLY;COUNT=2')))).to.deep.equal([
      '2026-05-03',
      '2026-05-10',
    ])
  })

  it('reads until, set positions and the start of a week', () => {
    const rule = (start: string, text: string) => dates(icsOf(allDay(start, undefined, `RRULE:${text}`)))
    expect(rule('20260105', 'FREQ=WEEKLY;UNTIL=20260119')).to.deep.equal([
      '2026-01-05',
      '2026-01-12',
      '2026-01-19',
    ])
    expect(rule('20260130', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3')).to.deep.equal([
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
    ])
    // RFC 5545, 3.8.5.3: WKST decides which weeks are every second one.
    const days = 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST='
    expect(rule('20260804', `${days}MO`)).to.deep.equal([
      '2026-08-04',
      '2026-08-09',
      '2026-08-18',
      '2026-08-23',
    ])
    expect(rule('20260804', `${days}SU`)).to.deep.equal([
      '2026-08-04',
      '2026-08-16',
      '2026-08-18',
      '2026-08-30',
    ])
  })

  it('may be folded anywhere, within a character of several bytes too, and have zones of its own', () => {
    const zone =
      'BEGIN:VTIMEZONE\r\nTZID:Own/Zone\r\nBEGIN:STANDARD\r\nDTSTART:16010101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE'
    const timed =
      'BEGIN:VEVENT\r\nUID:t\r\nDTSTART;TZID=Own/Zone:20260502T000000\r\nDTEND;TZID=Own/Zone:20260503T000000\r\nEND:VEVENT'
    const bytes = Buffer.from(
      icsOf(zone, timed, allDay('20260501', '20260502', 'SUMMARY:Fête', 'RRULE:FREQ=YE\r\n ARLY')),
    )
    const split = bytes.indexOf(0xc3) + 1
    const text = Buffer.concat([
      bytes.subarray(0, split),
      Buffer.from('\r\n '),
      bytes.subarray(split),
    ]).toString('utf8')
    expect(dates(text)).to.deep.equal(['2026-05-01', '2026-05-02'])
  })

  it('may hold several calendars, and be without any event', () => {
    expect(dates(`${icsOf(allDay('20260501'))}${icsOf(allDay('20260502'))}`)).to.deep.equal([
      '2026-05-01',
      '2026-05-02',
    ])
    expect(dates(icsOf())).to.deep.equal([])
  })

  it('with an event of years closes no more than was asked for', () => {
    expect(dates(icsOf(allDay('19000101', '29990101')))).to.have.length(365)
  })

  for (const [what, text, says] of [
    ['is empty', ' \n', 'it is empty, or half-written'],
    ['is half-written', icsOf(allDay('20260501')).slice(0, -20), 'it is no iCalendar file, or half-written'],
    [
      'is cut within an event',
      icsOf(allDay('20260501')).slice(0, 60),
      'it is no iCalendar file, or half-written',
    ],
    ['is another text', '<html>not found</html>', 'it is no iCalendar file'],
    ['is a card', 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:me\r\nEND:VCARD\r\n', 'expected a VCALENDAR'],
  ] as const)
    it(`that ${what} is refused with a reason`, () => expect(() => dates(text)).to.throw(says))

  it('whose events recur too often is refused', () => {
    const daily = Array.from({ length: 10 }, () => allDay('19900101', '19900102', 'RRULE:FREQ=DAILY'))
    expect(() => dates(icsOf(...daily))).to.throw('recur more than 100000 times')
  })
})
