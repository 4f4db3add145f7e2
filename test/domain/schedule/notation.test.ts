import { expect } from 'chai'
import { assert, array, constantFrom, property, string } from 'fast-check'
import { adviceFor } from '../../../src/domain/schedule/notation.ts'
import { InvalidSchedule, parseSchedule } from '../../../src/domain/schedule/syntax.ts'

function faultOf(text: string): string {
  try {
    parseSchedule(text)
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
  throw new Error(`no fault found in ${text}`)
}

describe("a schedule in another tool's notation", () => {
  const berlin = '; the zone Europe/Berlin goes into the setting timezone'
  const cases: Record<string, string> = {
    // downscalers
    'Mon-Fri 08:00-18:00 Europe/Berlin': `8:00-18:00,Mon-Fri${berlin}`,
    'Mon-Fri 08:00-20:00 UTC': '8:00-20:00,Mon-Fri; the zone UTC goes into the setting timezone',
    'Mon-Fri 08:00-18:00': '8:00-18:00,Mon-Fri',
    'Mon-Thu 08:00-18:00 Europe/Berlin, Fri-Fri 08:00-16:00 Europe/Berlin': `8:00-18:00,Mon-Thu;8:00-16:00,Fri${berlin}`,
    'Sun-Fri 20:00-08:00 Europe/Berlin': `20:00-8:00,Sun-Fri, each until the morning after${berlin}`,
    // a zone, or days, where there is none to be
    '8:00-18:00,Mon-Fri Europe/Berlin': `8:00-18:00,Mon-Fri${berlin}`,
    'Europe/Berlin 8:00-18:00,Mon-Fri': `8:00-18:00,Mon-Fri${berlin}`,
    'CET 8:00-18:00': '8:00-18:00; the zone CET goes into the setting timezone',
    '8:00-18:00 Mon-Fri': '8:00-18:00,Mon-Fri',
    '8:00-18:00 Mon-Fri; 10:00-14:00 Sat': '8:00-18:00,Mon-Fri;10:00-14:00,Sat',
    'Mon,Wed,Fri 8:00-18:00': '8:00-18:00,Mon,Wed,Fri',
    // days and hours as others write them
    'Mo-Fr 08:00-18:00': '8:00-18:00,Mon-Fri',
    '8:00-18:00,Tues,Thurs': '8:00-18:00,Tue,Thu',
    '8:00-18:00,1-5': '8:00-18:00,Mon-Fri',
    '8:00-18:00,0,6': '8:00-18:00,Sun,Sat',
    '8-18': '8:00-18:00',
    'Mon-Fri 8-18': '8:00-18:00,Mon-Fri',
    '9am-5:30pm,Mon-Fri': '9:00-17:30,Mon-Fri',
    '9 am - 12 am': '9:00-0:00, each until the morning after',
    '8.00-18.00': '8:00-18:00',
    '8:00–18:00,Mon–Fri': '8:00-18:00,Mon-Fri',
    '08:00:00-18:00:00': '8:00-18:00',
    always: '0:00-24:00',
  }
  for (const [text, expected] of Object.entries(cases))
    it(`is told with what to write instead: ${text}`, () => {
      expect(faultOf(text)).to.match(/^at \d+: expected .*, found '.*': write the hours awake as /)
      expect(faultOf(text).split(': write the hours awake as ')[1]).to.equal(expected)
      parseSchedule(expected.split(/, each|; the zone/)[0] ?? '')
    })

  for (const [text, hours] of [
    ['0 8 * * 1-5', '8:00-<end>,Mon-Fri'],
    ['30 7 * * MON,WED', '7:30-<end>,Mon,Wed'],
    ['0 8 * * *', '8:00-<end>'],
    ['CRON_TZ=Europe/Berlin 0 8 * * 1-5', '8:00-<end>,Mon-Fri'],
    ['*/5 8-18 * * 1-5', '8:00-18:00,Mon-Fri'],
    ['0 8 1 * *', '8:00-18:00,Mon-Fri'],
  ] as const) {
    it(`is told that it is cron: ${text}`, () => {
      const [, advice] = faultOf(text).split(
        ': this is cron. A schedule here lists the hours awake, for example ',
      )
      expect(advice).to.equal(hours)
    })
  }

  for (const text of [
    '8:00-18:00,Mon-Fry',
    '8:00-x',
    'Mon-Fri',
    'Mars/Olympus 8:00-18:00',
    '8:00-18:00 Europe/Berlin;9:00-10:00 America/Chicago',
    '25-26',
    '8:00-18:00 daily at work',
    '9:00-9:00 Mon',
    '13pm-15pm',
    'never',
  ])
    it(`gets no advice where it is not clear what is meant: ${text}`, () => {
      expect(faultOf(text)).not.to.contain(': write the hours')
    })

  it('gets no advice where there is another already', () => {
    expect(faultOf('8:00-12:00,13:00-18:00')).to.match(/found '13:00-18:00': join windows by ';'$/)
  })

  it('gets only advice that is a schedule, and short', () => {
    const parts = constantFrom('8:00', '-', '18', ',', ';', ' ', 'Mon', 'fr', 'Europe/Berlin', 'pm', '*', '0')
    for (const texts of [string({ unit: 'binary' }), array(parts).map((some) => some.join(''))])
      assert(
        property(texts, (text) => {
          const advice = adviceFor(text) ?? ''
          expect(advice.length).to.be.at.most(200)
          const [, schedule] = /^write the hours awake as ([^ ]+?)(?:[,;] .*)?$/.exec(advice) ?? []
          if (schedule !== undefined) parseSchedule(schedule)
        }),
      )
  })
})
