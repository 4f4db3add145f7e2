import { expect } from 'chai'
import fc from 'fast-check'
import { dateOf } from '../../../src/domain/schedule/calendar.ts'
import { readEvents } from '../../../src/service/calendars/ics.ts'
import type { EventFilter, ReadEvents } from '../../../src/service/calendars/ports.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { icsOf } from './ics-text.ts'

// The forms in which programs and offices write their events, as people report them to the trackers of calendar programs.

const ALL: EventFilter = { summary: null, categories: null, description: null, means: 'asleep' }
const BERLIN = [
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
].join('\r\n')
const CUSTOM = BERLIN.replace('W. Europe Standard Time', 'Customized Time Zone')
const MARKED = 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'

const read = (text: string, filter: Partial<EventFilter> = {}): ReadEvents =>
  readEvents(text, {
    filter: { ...ALL, ...filter },
    from: Date.UTC(2026, 0, 1),
    to: Date.UTC(2027, 0, 1),
  })

let number = 0
function event(...lines: readonly string[]): string {
  const uid = lines.some((line) => line.startsWith('UID')) ? [] : [`UID:${++number}@forms`]
  return ['BEGIN:VEVENT', ...uid, 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'].join('\r\n')
}

/** `2026-12-24..26 Betriebsruhe`, by name. */
function daysOf({ days }: ReadEvents): string[] {
  return days.map(([midnight, name]) => `${dateOf(midnight).slice(5)}${name && ` ${name}`}`)
}

/** `12-05T22:00Z..23:30Z`; without Z by the clocks of the workload. */
function windowsOf({ windows }: ReadEvents): string[] {
  return windows.map(({ start, end, isFloating }) => {
    const [from, to] = [start, end].map((at) => new Date(at).toISOString().slice(5, 16))
    return isFloating ? `${from}..${to}` : `${from}Z..${to}Z`
  })
}

describe('a day off counts in the form of', () => {
  const cases: [form: string, days: string[], ...lines: string[]][] = [
    ['RFC 5545', ['12-24'], 'DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261225'],
    ['an office that writes no end', ['12-24'], 'DTSTART;VALUE=DATE:20261224'],
    [
      'an office that ends it on its first day',
      ['12-24'],
      'DTSTART;VALUE=DATE:20261224',
      'DTEND;VALUE=DATE:20261224',
    ],
    ['an office that writes a duration', ['12-24', '12-25'], 'DTSTART;VALUE=DATE:20261224', 'DURATION:P2D'],
    ['a small generator without VALUE=DATE', ['12-17'], 'DTSTART:20261217', 'DTEND:20261218'],
    [
      'VALUE=DATE before a time',
      ['12-22'],
      'DTSTART;VALUE=DATE:20261222T000000',
      'DTEND;VALUE=DATE:20261223T000000',
    ],
    ['ISO 8601', ['12-24'], 'DTSTART;VALUE=DATE:2026-12-24', 'DTEND;VALUE=DATE:2026-12-25'],
    ['a date with a zone', ['12-24'], 'DTSTART;TZID=Pacific Standard Time;VALUE=DATE:20261224'],
    ['midnight to midnight of nobody’s zone', ['12-24'], 'DTSTART:20261224T000000', 'DTEND:20261225T000000'],
    ['midnight to midnight in UTC', ['12-24'], 'DTSTART:20261224T000000Z', 'DTEND:20261225T000000Z'],
    ['a day that ends at 23:59', ['12-24'], 'DTSTART:20261224T000000', 'DTEND:20261224T235900'],
    ['a day that ends at 23:59:59', ['12-24'], 'DTSTART:20261224T000000', 'DTEND:20261224T235959'],
    [
      'Google',
      ['12-25 Christmas Day'],
      'DTSTART;VALUE=DATE:20261225',
      'DTEND;VALUE=DATE:20261226',
      'CLASS:PUBLIC',
      'DESCRIPTION:Public holiday',
      'STATUS:CONFIRMED',
      'SUMMARY:Christmas Day',
      'TRANSP:TRANSPARENT',
    ],
    [
      'Exchange, with a zone of Windows',
      ['12-24 Betriebsruhe'],
      'DTSTART;TZID=W. Europe Standard Time:20261224T000000',
      'DTEND;TZID=W. Europe Standard Time:20261225T000000',
      'SUMMARY:Betriebsruhe',
      MARKED,
    ],
    [
      'Outlook, with a zone of its own in quotes that nobody defines',
      ['12-24', '12-25'],
      'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin":20261224T000000',
      'DTEND;TZID="(UTC+01:00) Amsterdam, Berlin":20261226T000000',
      MARKED,
    ],
    [
      'Exchange in UTC, by the midnight that is nearest',
      ['12-24'],
      'DTSTART:20261223T230000Z',
      'DTEND:20261224T230000Z',
      MARKED,
    ],
    ['Exchange in UTC, west of it', ['07-03'], 'DTSTART:20260703T070000Z', 'DTEND:20260704T070000Z', MARKED],
    ['Outlook, marked and without an end', ['12-24'], 'DTSTART:20261224T000000', MARKED],
    [
      'Nextcloud, with comments and an alarm',
      ['12-24 Fête'],
      'CREATED:20260101T000000Z',
      'DTSTART;VALUE=DATE:20261224',
      'DTEND;VALUE=DATE:20261225',
      'SUMMARY;LANGUAGE=fr:Fête',
      'BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER;RELATED=START:-PT15H\r\nSUMMARY:no\r\nEND:VALARM',
    ],
    [
      'a name with commas and line ends',
      ['12-24 a, b; c d'],
      'DTSTART;VALUE=DATE:20261224',
      String.raw`SUMMARY:a\, b\; c\nd`,
    ],
    [
      'a text that is not folded',
      ['12-24'],
      'DTSTART;VALUE=DATE:20261224',
      'DESCRIPTION:first\r\nsecond: with a colon\r\nthird',
    ],
    [
      'an answer with a quote inside of quotes',
      ['12-24'],
      'DTSTART;VALUE=DATE:20261224',
      'ATTENDEE;X-RESPONSE-COMMENT="he said "no"":mailto:a@example.com',
    ],
    ['a line without a colon', ['12-24'], 'DTSTART;VALUE=DATE:20261224', 'X-APPLE-RADIUS=49.9'],
    ['lists that are empty', ['12-24'], 'DTSTART;VALUE=DATE:20261224', 'RDATE:', 'EXDATE:', 'RRULE:'],
    ['names in small letters', ['12-24'], 'dtstart;value=date:20261224'],
  ]
  for (const [form, days, ...lines] of cases)
    it(form, () => {
      const found = read(icsOf(BERLIN, event(...lines)))
      expect(daysOf(found)).to.deep.equal(days)
      expect(found.notices).to.deep.equal([])
    })

  for (const [ends, lineEnd] of [
    ['LF alone', '\n'],
    ['CR alone', '\r'],
  ] as const)
    it(`lines that end by ${ends}`, () => {
      const text = icsOf(event('DTSTART;VALUE=DATE:20261224', 'DESCRIPTION:one\r\n  two')).replaceAll(
        '\r\n',
        lineEnd,
      )
      expect(daysOf(read(text))).to.deep.equal(['12-24'])
    })

  it('a file whose zone is known, in UTC', () => {
    const day = event('DTSTART:20260703T220000Z', 'DTEND:20260704T220000Z')
    const ofBerlin = icsOf('X-WR-TIMEZONE:Europe/Berlin', day)
    expect(daysOf(read(ofBerlin))).to.deep.equal(['07-04'])
    expect(daysOf(read(icsOf(BERLIN, day)))).to.deep.equal(['07-04'])
    expect(read(icsOf(day)).notices[0]).to.equal('1 event has times of day and does not count')
  })
})

describe('recurrences of a day off leave out', () => {
  const weekly = (...lines: string[]) =>
    event('UID:w', 'DTSTART;VALUE=DATE:20260105', 'RRULE:FREQ=WEEKLY;COUNT=4', ...lines)
  const changed = (...lines: string[]) => event('UID:w', ...lines)
  const cases: [what: string, days: string[], ...events: string[]][] = [
    ['EXDATE as a date', ['01-05', '01-19', '01-26'], weekly('EXDATE;VALUE=DATE:20260112')],
    [
      'EXDATE as Exchange writes it, with a time and a zone',
      ['01-05', '01-19', '01-26'],
      weekly('EXDATE;TZID=W. Europe Standard Time:20260112T000000'),
    ],
    ['EXDATE in UTC, by the file’s zone', ['01-05', '01-19', '01-26'], weekly('EXDATE:20260111T230000Z')],
    [
      'EXDATE of several, in several lines',
      ['01-26'],
      weekly('EXDATE;VALUE=DATE:20260105,20260112', 'EXDATE;VALUE=DATE:20260119'),
    ],
    [
      'one that was moved',
      ['01-05', '01-14', '01-19', '01-26'],
      weekly(),
      changed('DTSTART;VALUE=DATE:20260114', 'RECURRENCE-ID;VALUE=DATE:20260112'),
    ],
    [
      'one that was moved, named by a time',
      ['01-05', '01-14', '01-19', '01-26'],
      weekly(),
      changed('DTSTART;VALUE=DATE:20260114', 'RECURRENCE-ID;TZID=W. Europe Standard Time:20260112T000000'),
    ],
    [
      'one that was cancelled',
      ['01-05', '01-12', '01-26'],
      weekly(),
      changed('DTSTART;VALUE=DATE:20260119', 'RECURRENCE-ID;VALUE=DATE:20260119', 'STATUS:CANCELLED'),
    ],
    [
      'all from one on, where these were moved together',
      ['01-05', '01-13', '01-20', '01-27'],
      weekly(),
      changed('DTSTART;VALUE=DATE:20260113', 'RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260112'),
    ],
  ]
  for (const [what, days, ...events] of cases)
    it(what, () => expect(daysOf(read(icsOf(BERLIN, ...events)))).to.deep.equal(days))

  it('what a rule’s UNTIL ends, as a date, a time, and a time in UTC', () => {
    const until = (text: string, start = 'DTSTART;VALUE=DATE:20260216') =>
      daysOf(read(icsOf(BERLIN, event(start, `RRULE:FREQ=DAILY;UNTIL=${text};INTERVAL=1`))))
    for (const text of ['20260218', '20260218T000000', '20260217T230000Z', '20260218T225959Z'])
      expect(until(text), text).to.deep.equal(['02-16', '02-17', '02-18'])
  })

  it('the former version of an event that is there twice', () => {
    const version = (sequence: number, date: string) =>
      event('UID:v', `SEQUENCE:${sequence}`, `DTSTART;VALUE=DATE:${date}`)
    expect(daysOf(read(icsOf(version(0, '20260504'), version(2, '20260505'))))).to.deep.equal(['05-05'])
    // Some offices give all their days one UID.
    expect(daysOf(read(icsOf(version(0, '20260504'), version(0, '20260505'))))).to.deep.equal([
      '05-04',
      '05-05',
    ])
  })

  it('the whole of a file that cancels', () => {
    expect(daysOf(read(icsOf('METHOD:CANCEL', event('DTSTART;VALUE=DATE:20260504'))))).to.deep.equal([])
  })
})

describe('an odd event', () => {
  const plain = event('SUMMARY:Plain day off', 'DTSTART;VALUE=DATE:20261210')
  const cases: [odd: string, notice: string | undefined, ...lines: string[]][] = [
    [
      'a meeting in ISO 8601',
      '1 event has times of day and does not count',
      'DTSTART;TZID=Europe/Berlin:2026-12-16T11:00:00',
    ],
    [
      'a meeting with a rule that there is not',
      "event 'Odd' of line 10: left out: its RRULE cannot be read: ",
      'DTSTART:20261216T110000',
      'RRULE:FREQ=FORTNIGHTLY',
    ],
    [
      'a day off with such a rule',
      "event 'Odd' of line 10: left out: its RRULE cannot be read: ",
      'DTSTART;VALUE=DATE:20261216',
      'RRULE:FREQ=FORTNIGHTLY',
    ],
    ['a start that is none', "left out: its DTSTART 'soon' is no date and no time", 'DTSTART:soon'],
    [
      'a date that there is not',
      "left out: its DTSTART '20260230' is no date and no time",
      'DTSTART;VALUE=DATE:20260230',
    ],
    [
      'an UNTIL that is none',
      "left out: the UNTIL 'x' of its RRULE is no date and no time",
      'DTSTART;VALUE=DATE:20261216',
      'RRULE:FREQ=DAILY;UNTIL=x',
    ],
    ['one without a start', undefined, 'STATUS:CONFIRMED'],
  ]
  for (const [odd, notice, ...lines] of cases)
    it(`costs itself, not the calendar, and is named: ${odd}`, () => {
      const found = read(icsOf(plain, event('SUMMARY:Odd', ...lines)))
      expect(daysOf(found)).to.deep.equal(['12-10 Plain day off'])
      expect(found.notices).to.have.length(notice === undefined ? 0 : 1)
      expect(found.notices[0] ?? '').to.include(notice ?? '')
    })

  it('counts where its meaning is plain, and is named: an end that is none', () => {
    for (const end of ['DTEND:None', 'DTEND;VALUE=DATE:2026']) {
      const found = read(icsOf(plain, event('SUMMARY:Odd', 'DTSTART;VALUE=DATE:20261216', end)))
      expect(daysOf(found)).to.deep.equal(['12-10 Plain day off', '12-16 Odd'])
      expect(found.notices).to.have.length(1)
      expect(found.notices[0]).to.match(/^event 'Odd' of line 10: its DTEND '.*' cannot be read/)
    }
    expect(read(icsOf(event('DTSTART;VALUE=DATE:20261216', 'DTEND;VALUE=DATE:'))).notices).to.deep.equal([])
  })

  it('with a rule that ical.js never ends costs itself', function () {
    this.timeout(60_000)
    const endless = event('DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')
    const found = read(icsOf(endless, plain, endless))
    expect(daysOf(found)).to.deep.equal(['12-10 Plain day off'])
    expect(found.notices).to.have.length(2)
    expect(found.notices[0]).to.include('its RRULE matches no date, or takes too long to read')
  })

  it('is one of twenty that are named at most', () => {
    const many = Array.from({ length: 25 }, () => event('DTSTART:soon'))
    const { notices } = read(icsOf(...many, plain))
    expect(notices).to.have.length(21)
    expect(notices.at(-1)).to.equal('5 more of its events are left out')
  })

  it('has no control characters in what is said of it', () => {
    const { notices } = read(icsOf(event('SUMMARY:\u001B[2J', 'DTSTART:so\u0007on')))
    expect(notices.join('')).to.not.match(/\p{Cc}/u)
  })

  it('that is the only one leaves a calendar that says that nothing counts', () => {
    const meeting = event('DTSTART:20261216T110000Z', 'DTEND:20261216T120000Z')
    expect(read(icsOf(meeting)).notices).to.deep.equal([
      '1 event has times of day and does not count',
      'none of its events counts for any date of this year or the next two',
    ])
    expect(read(icsOf()).notices).to.deep.equal(['it has no event'])
  })
})

describe('the events of a feed that count', () => {
  const feed = icsOf(
    event('SUMMARY:Christmas Day', 'DESCRIPTION:Public holiday', 'DTSTART;VALUE=DATE:20261225'),
    event(
      'SUMMARY:Day of the Teapot',
      String.raw`DESCRIPTION:Observance\nTo hide\, change a setting`,
      'DTSTART;VALUE=DATE:20261203',
    ),
    event('SUMMARY:Company closed on Monday', 'CATEGORIES:Büro,HOLIDAY', 'DTSTART;VALUE=DATE:20261207'),
    event('SUMMARY:Sprint 12', 'CATEGORIES:Work', 'DTSTART;VALUE=DATE:20261208'),
  )
  const names = (filter: Partial<EventFilter>) => read(feed, filter).days.map(([, name]) => name)

  it('are all, unless globs choose by summary, categories or description, in any case', () => {
    expect(names({})).to.have.length(4)
    expect(names({ description: ['public HOLIDAY'] })).to.deep.equal(['Christmas Day'])
    expect(names({ summary: ['*day*', 'company closed*'] })).to.deep.equal([
      'Day of the Teapot',
      'Company closed on Monday',
      'Christmas Day',
    ])
    expect(names({ categories: ['holiday', 'vacation'] })).to.deep.equal(['Company closed on Monday'])
    expect(names({ description: ['Observance*'] })).to.deep.equal(['Day of the Teapot'])
  })

  it('have to match each list that is given', () => {
    expect(names({ summary: ['Sprint*'], categories: ['holiday'] })).to.deep.equal([])
    expect(names({ summary: ['*closed*'], categories: ['holiday'] })).to.have.length(1)
  })

  it('are counted where others do not', () => {
    expect(read(feed, { description: ['Public holiday'] }).notices).to.deep.equal([
      '3 events of it do not match `events`',
    ])
  })
})

describe('events that mean awake', () => {
  const awake = (...events: string[]) => read(icsOf(...events), { means: 'awake' })
  const cases: [form: string, windows: string[], ...events: string[]][] = [
    [
      'a time in a zone of the tz database',
      ['07-04T20:00Z..07-05T00:00Z'],
      event('DTSTART;TZID=Europe/Berlin:20260704T220000', 'DTEND;TZID=Europe/Berlin:20260705T020000'),
    ],
    [
      'a time in UTC with a duration',
      ['07-04T20:00Z..07-04T21:30Z'],
      event('DTSTART:20260704T200000Z', 'DURATION:PT1H30M'),
    ],
    [
      'a time of nobody’s zone',
      ['07-04T22:00..07-04T23:00'],
      event('DTSTART:20260704T220000', 'DTEND:20260704T230000'),
    ],
    ['a day', ['07-04T00:00..07-05T00:00'], event('DTSTART;VALUE=DATE:20260704')],
    [
      'a zone of Windows that the file does not define',
      ['07-04T20:00Z..07-04T21:00Z'],
      event(
        'DTSTART;TZID=Romance Standard Time:20260704T220000',
        'DTEND;TZID=Romance Standard Time:20260704T230000',
      ),
    ],
    [
      'a zone that only the file knows',
      ['07-04T20:00Z..07-04T21:00Z'],
      CUSTOM,
      event(
        'DTSTART;TZID=Customized Time Zone:20260704T220000',
        'DTEND;TZID=Customized Time Zone:20260704T230000',
      ),
    ],
    [
      'a zone with the name of a vendor before it',
      ['07-04T20:00Z..07-04T21:00Z'],
      event(
        'DTSTART;TZID=/example.org/2026/Europe/Berlin:20260704T220000',
        'DTEND;TZID=/example.org/2026/Europe/Berlin:20260704T230000',
      ),
    ],
    [
      'an end in another zone',
      ['07-04T20:00Z..07-04T21:00Z'],
      event('DTSTART;TZID=Europe/Berlin:20260704T220000', 'DTEND;TZID=America/New_York:20260704T170000'),
    ],
    [
      'an offset, as ISO 8601 has it',
      ['07-04T20:00Z..07-04T21:00Z'],
      event('DTSTART:2026-07-04T22:00:00+02:00', 'DTEND:2026-07-04T23:00:00+02:00'),
    ],
    [
      'twice the same',
      ['07-04T20:00Z..07-04T21:00Z'],
      event('UID:a', 'DTSTART:20260704T200000Z', 'DURATION:PT1H'),
      event('UID:a', 'DTSTART:20260704T200000Z', 'DURATION:PT1H'),
    ],
  ]
  for (const [form, windows, ...events] of cases)
    it(`add hours: ${form}`, () => {
      const found = awake(...events)
      expect(windowsOf(found)).to.deep.equal(windows)
      expect([found.days, found.notices]).to.deep.equal([[], []])
    })

  it('recur by the clocks of their zone, across a change of the clocks, but for exceptions of any form', () => {
    const weekly = (...lines: string[]) =>
      event(
        'UID:r',
        'DTSTART;TZID=Europe/Berlin:20260310T180000',
        'DTEND;TZID=Europe/Berlin:20260310T190000',
        'RRULE:FREQ=WEEKLY;UNTIL=20260407T160000Z',
        ...lines,
      )
    const all = ['03-10T17', '03-17T17', '03-24T17', '03-31T16', '04-07T16']
    const starts = (...events: string[]) => windowsOf(awake(...events)).map((each) => each.slice(0, 8))
    expect(starts(weekly())).to.deep.equal(all)
    for (const exdate of [
      'EXDATE;TZID=Europe/Berlin:20260331T180000',
      'EXDATE:20260331T160000Z',
      'EXDATE;VALUE=DATE:20260331',
      'EXDATE;TZID=America/New_York:20260331T120000',
    ])
      expect(starts(weekly(exdate)), exdate).to.deep.equal(all.toSpliced(3, 1))
    for (const id of ['RECURRENCE-ID:20260331T160000Z', 'RECURRENCE-ID;TZID=Asia/Tokyo:20260401T010000']) {
      const moved = event('UID:r', id, 'DTSTART:20260401T080000Z', 'DTEND:20260401T090000Z')
      expect(starts(weekly(), moved), id).to.deep.equal(all.with(3, '04-01T08'))
    }
  })

  it('are left out, by name, without an end, and in a zone that nobody knows', () => {
    const found = awake(
      event('SUMMARY:Start', 'DTSTART:20260704T200000Z'),
      event('SUMMARY:Where', 'DTSTART;TZID=BST:20260704T200000', 'DURATION:PT1H'),
    )
    expect(found.windows).to.deep.equal([])
    expect(found.notices.slice(0, 2)).to.deep.equal([
      "event 'Start' of line 4: left out: it has no end",
      "event 'Where' of line 10: left out: its time zone 'BST' is unknown",
    ])
  })
})

describe('a text that is no calendar', () => {
  for (const [what, text] of [
    ['a page', '<!doctype html>\n<html><body>Sign in</body></html>'],
    ['half a file', icsOf(event('DTSTART;VALUE=DATE:20261224')).slice(0, -18)],
    ['components without end', 'BEGIN:VCALENDAR\n'.repeat(60_000)],
    ['half an event', icsOf(event('DTSTART;VALUE=DATE:20261224')).replace('END:VEVENT', '')],
    ['nothing', '\uFEFF \r\n'],
  ] as const)
    it(`stays an error: ${what}`, () =>
      expect(() => read(text)).to.throw(/it is empty, or half-written|it is no iCalendar file/))
})

describe('whatever stands in a calendar file', () => {
  const lines = icsOf(
    BERLIN,
    event(
      'UID:w',
      'SUMMARY:Week',
      'DTSTART;VALUE=DATE:20260105',
      'RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=MO',
      'EXDATE;VALUE=DATE:20260112',
    ),
    event(
      'UID:w',
      'RECURRENCE-ID;VALUE=DATE:20260119',
      'DTSTART;TZID=W. Europe Standard Time:20260120T080000',
      'DURATION:PT2H',
    ),
    event(
      'DTSTART:20261223T230000Z',
      'DTEND:20261224T230000Z',
      MARKED,
      'CATEGORIES:a,b',
      'RDATE:20260301T000000Z/PT1H',
    ),
  ).split('\r\n')
  const parts = [
    ...lines,
    ...'DTSTART: DTEND:x DTSTART;TZID=: EXDATE:, RRULE:FREQ=YEARLY;COUNT=2 DURATION:-P1D'.split(' '),
    '\u0000',
    ' ',
  ]
  const edit = fc.record({
    at: fc.nat(60),
    removed: fc.nat(2),
    put: fc.array(fc.constantFrom(...parts), { maxLength: 2 }),
  })

  it('is read, or refused as no calendar, with dates in order and notices without control characters', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), fc.constantFrom('asleep', 'awake'), (edits, means) => {
        const all = [...lines]
        for (const { at, removed, put } of edits) all.splice(at % all.length, removed, ...put)
        let found: ReadEvents
        try {
          found = read(all.join('\r\n'), { means })
        } catch (error) {
          refused += 1
          expect((error as Error).message).to.match(/^it is (?:empty, or half-written|no iCalendar file)/)
          return
        }
        const days = found.days.map(([midnight]) => midnight)
        expect(days).to.deep.equal([...new Set(days)].toSorted((a, b) => a - b))
        for (const { start, end } of found.windows) expect(start).to.be.below(end)
        expect(found.notices.join('')).to.not.match(/\p{Cc}/u)
      }),
      propertyRuns(300),
    )
    expect(refused).to.be.above(0)
  })
})
