import { expect } from 'chai'
import { closedDates } from '../../src/calendars/ics.ts'
import { dateOf } from '../../src/domain/schedule/calendar.ts'
import { allDay, icsOf } from './ics-text.ts'

const FROM = Date.UTC(2026, 0, 1)
const TO = Date.UTC(2027, 0, 1)

const dates = (text: string, from = FROM, to = TO) => closedDates(text, from, to).map(dateOf)

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
    const twice = allDay('20260105', '20260106', 'RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE;VALUE=DATE:20260112')
    expect(dates(icsOf(twice))).to.deep.equal(['2026-01-05', '2026-01-19'])
    const named = allDay('20260501', '20260502', 'RDATE;VALUE=DATE:20260701,20260801')
    expect(dates(icsOf(named))).to.deep.equal(['2026-05-01', '2026-07-01', '2026-08-01'])
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

  it('with a rule that makes no sense is refused with the event', () => {
    expect(() => dates(icsOf(allDay('20260101', '20260102', 'UID:odd', 'RRULE:FREQ=SECONDLY')))).to.throw(
      'its event odd cannot be read',
    )
  })

  it('whose events recur too often is refused', () => {
    const daily = Array.from({ length: 10 }, () => allDay('19900101', '19900102', 'RRULE:FREQ=DAILY'))
    expect(() => dates(icsOf(...daily))).to.throw('recur more than 100000 times')
  })
})
