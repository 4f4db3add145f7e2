import { expect } from 'chai'
import {
  clocksOf,
  isTimezone,
  TIMEZONE_PATTERN,
  timezoneAdvice,
  timezoneFault,
  Zone,
} from '../../../src/domain/schedule/zone.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The same from the day itself and, as a window past midnight needs it, from the day before. */
function instant(zone: string, local: string): string | undefined {
  const time = Date.parse(`${local}Z`)
  const midnight = Math.floor(time / DAY) * DAY
  const at = Zone.named(zone)
    ?.day(midnight)
    .instantOf((time - midnight) / MINUTE)
  const before = midnight - DAY
  expect(
    Zone.named(zone)
      ?.day(before)
      .instantOf((time - before) / MINUTE),
  ).to.equal(at)
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 16)
}

function hasDay(zone: string, date: string): boolean | undefined {
  return Zone.named(zone)?.day(Date.parse(date)).exists()
}

describe('zones', () => {
  for (const name of 'UTC Europe/Berlin America/Argentina/Buenos_Aires US/Eastern Etc/GMT+1 utc'.split(' '))
    it(`${name} is a time zone`, () => expect(isTimezone(name)).to.equal(true))

  for (const name of [
    '',
    ' UTC',
    ...'Mars/Base +01:00 -05 UTC+3 local system Europe/'.split(' '),
    'x'.repeat(99),
  ])
    it(`${JSON.stringify(name.slice(0, 20))} is none`, () => {
      expect(isTimezone(name)).to.equal(false)
      expect(Zone.named(name)).to.equal(undefined)
    })

  // ICU takes these, and means Dhaka by BST; the tz database, by `zoneinfo.available_timezones()` of Python, has none.
  const LEGACY =
    'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST ' +
    'SystemV/PST8PDT SystemV/AST4 US/Pacific-New Canada/East-Saskatchewan bst systemv/pst8pdt us/pacific-new'
  for (const name of LEGACY.split(' '))
    it(`${name} is none, since the tz database does not have it`, () => {
      expect(isTimezone(name)).to.equal(false)
      expect(Zone.named(name)).to.equal(undefined)
    })

  it('are all names of the tz database, abbreviations among them', () => {
    const links =
      'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland ' +
      'Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ' +
      'ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu Arctic/Longyearbyen Brazil/East Canada/Newfoundland ' +
      'Chile/EasterIsland Etc/GMT-14 Mexico/BajaNorte US/East-Indiana America/North_Dakota/New_Salem'
    const names = [...Intl.supportedValuesOf('timeZone'), ...links.split(' ')]
    expect(names.filter((name) => !isTimezone(name))).to.deep.equal([])
    expect(names.filter((name) => !new RegExp(TIMEZONE_PATTERN).test(name))).to.deep.equal([])
  })

  it('that are abbreviations are refused with the places that people mean by them', () => {
    const fault = (name: string) => timezoneFault(name)
    expect(fault('BST')).to.equal("unknown time zone 'BST': write an IANA time zone such as Europe/London")
    expect(fault('ist')).to.match(/such as Asia\/Kolkata, Europe\/Dublin or Asia\/Jerusalem$/)
    expect(fault('GMT+2')).to.match(/such as Europe\/Berlin$/)
  })

  it('that are named instead of an abbreviation are time zones', () => {
    for (const name of LEGACY.split(' '))
      for (const place of timezoneAdvice(name)?.match(/[A-Z]\w+\/\w+(?:\/\w+)?/g) ?? [])
        expect(isTimezone(place), place).to.equal(true)
  })

  it('a local time that comes once is that instant', () => {
    expect(instant('Asia/Kathmandu', '2024-05-01T08:00')).to.equal('2024-05-01T02:15')
    expect(instant('Pacific/Chatham', '2024-07-01T08:00')).to.equal('2024-06-30T19:15')
  })

  describe('a local time that is skipped moves forward by the length of the gap', () => {
    const cases: [zone: string, local: string, instant: string][] = [
      ['Europe/Berlin', '2024-03-31T02:00', '2024-03-31T01:00'],
      ['Europe/Berlin', '2024-03-31T02:30', '2024-03-31T01:30'],
      ['Europe/Berlin', '2024-03-31T03:00', '2024-03-31T01:00'],
      ['America/New_York', '2024-03-10T02:30', '2024-03-10T07:30'],
      ['Australia/Lord_Howe', '2024-10-06T02:15', '2024-10-05T15:45'],
      ['Australia/Lord_Howe', '2024-10-06T02:30', '2024-10-05T15:30'],
      ['Pacific/Chatham', '2024-09-29T03:00', '2024-09-28T14:15'],
      ['Asia/Beirut', '2024-03-31T00:00', '2024-03-30T22:00'],
      ['Africa/Cairo', '2024-04-26T00:30', '2024-04-25T22:30'],
      ['America/Havana', '2024-03-10T00:59', '2024-03-10T05:59'],
      ['Pacific/Apia', '2011-12-30T06:00', '2011-12-30T16:00'],
    ]
    for (const [zone, local, expected] of cases)
      it(`${local} in ${zone}`, () => expect(instant(zone, local)).to.equal(expected))
  })

  describe('a local time that comes twice is the first of the two', () => {
    const cases: [zone: string, local: string, instant: string][] = [
      ['Europe/Berlin', '2024-10-27T02:00', '2024-10-27T00:00'],
      ['Europe/Berlin', '2024-10-27T02:59', '2024-10-27T00:59'],
      ['Europe/Berlin', '2024-10-27T03:00', '2024-10-27T02:00'],
      ['America/New_York', '2024-11-03T01:30', '2024-11-03T05:30'],
      ['Australia/Lord_Howe', '2024-04-07T01:45', '2024-04-06T14:45'],
      ['America/Asuncion', '2023-03-25T23:30', '2023-03-26T02:30'],
      ['America/Havana', '2024-11-03T00:00', '2024-11-03T04:00'],
      ['America/St_Johns', '2010-11-07T00:00', '2010-11-07T02:30'],
    ]
    for (const [zone, local, expected] of cases)
      it(`${local} in ${zone}`, () => expect(instant(zone, local)).to.equal(expected))
  })

  it('a name is looked up once: each Event of a wave needs that of its workload', () => {
    const { DateTimeFormat } = Intl
    let made = 0
    const counting = function (...of: ConstructorParameters<typeof DateTimeFormat>) {
      made += 1
      return new DateTimeFormat(...of)
    }
    Intl.DateTimeFormat = counting as unknown as typeof DateTimeFormat
    try {
      for (let index = 0; index < 100; index += 1)
        expect([clocksOf('Pacific/Fiji'), clocksOf('Pacific/Nowhere')]).to.deep.equal(['Pacific/Fiji', 'UTC'])
    } finally {
      Intl.DateTimeFormat = DateTimeFormat
    }
    expect(made).to.be.at.most(2)
  })

  it('a day that was left out is no day', () => {
    expect(hasDay('Pacific/Apia', '2011-12-29')).to.equal(true)
    expect(hasDay('Pacific/Apia', '2011-12-30')).to.equal(false)
    expect(hasDay('Pacific/Apia', '2011-12-31')).to.equal(true)
    expect(hasDay('Africa/Cairo', '2024-04-26')).to.equal(true)
  })
})
