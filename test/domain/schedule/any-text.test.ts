import { expect } from 'chai'
import fc from 'fast-check'
import { compileSchedule, InvalidTimezone } from '../../../src/domain/schedule/schedule.ts'
import {
  canonical,
  InvalidSchedule,
  isTimezone,
  parseSchedule,
  SCHEDULE_PATTERN,
} from '../../../src/domain/schedule/syntax.ts'
import { readsOrRefuses } from '../../support/notations.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, DAY } from '../../support/rules.ts'

const TEXTS = [
  '8:00-18:00,Mon-Fri',
  '22:00-6:00,Fri-Mon;10:00-14:00,Sat',
  ' 08:00 - 18:30 , monday - Wed, FRI ;\n0:00-24:00,Sun',
  'Mon-Fri 08:00-18:00 Europe/Berlin',
  '0 8 * * 1-5',
  'Mon 7:00-Fri 20:00;10:00-14:00,Sat',
]

describe('whatever stands in dormouse.dev/schedule', () => {
  readsOrRefuses({
    read: (text) => {
      const windows = parseSchedule(text)
      expect(text, 'the pattern of the chart').to.match(new RegExp(SCHEDULE_PATTERN))
      return windows
    },
    write: canonical,
    refusal: InvalidSchedule,
    longest: 512,
    texts: TEXTS,
    parts: [
      ...'8:00 08:00 0:00 24:00 23:59 18:0 9am - - – , , ; ;'.split(' '),
      'Mon 7:00-Fri 20:00',
      ...'8:00-18:00 8:00-18:00 ;8:00-18:00 ,Mon Mon friday SUN Fri-Mon Tues 1-5'.split(' '),
      ...[' ', '\t', 'Europe/Berlin', 'UTC', 'always', '* *', '\u00a0', '\ufeff'],
    ],
  })
})

describe('the pattern of schedules, for programs that cannot parse them', () => {
  const pattern = new RegExp(SCHEDULE_PATTERN)
  const blank = fc.constantFrom('', '', ' ', '\t', '\n', '\u00a0', '\u2003', '\ufeff')
  const spaced = (...parts: fc.Arbitrary<string>[]) =>
    fc.tuple(...parts.flatMap((part) => [blank, part, blank])).map((all) => all.join(''))
  const minute = fc.integer({ min: 0, max: 59 }).map((each) => String(each).padStart(2, '0'))
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.nat(2), minute)
    .map(([hour, width, rest]) => `${String(hour).padStart(width, '0')}:${rest}`)
  const day = fc
    .tuple(fc.constantFrom('mon', 'Tuesday', 'WED', 'thursday', 'Fri', 'sAt', 'Sunday'), fc.boolean())
    .map(([name, upper]) => (upper ? name.toUpperCase() : name))
  const days = fc.oneof(day, spaced(day, fc.constant('-'), day))
  const window = fc
    .tuple(
      spaced(time, fc.constant('-'), fc.oneof(time, fc.constant('24:00'))),
      fc.array(days, { maxLength: 3 }),
    )
    .map((parts) => parts.flat().join(','))
  const schedule = fc.array(spaced(window), { minLength: 1, maxLength: 4 }).map((all) => all.join(';'))

  it('matches each that is one', () => {
    let read = 0
    fc.assert(
      fc.property(schedule, (text) => {
        try {
          parseSchedule(text)
        } catch {
          return
        }
        read += 1
        expect(text).to.match(pattern)
      }),
      propertyRuns(1000),
    )
    expect(read).to.be.above(0)
  })

  for (const text of [
    ...['8-18', '8:00', '8:00-18', '8:0-18:00', '25:00-9:00', '24:00-9:00', '8:60-9:00', '8:00–18:00'],
    ...['8:00-18:00 Mon-Fri', '8:00-18:00,', '8:00-18:00;', ';8:00-18:00', '8:00-18:00,Tues', 'Mon-Fri'],
    ...['8:00-18:00,Mon-Tue-Wed', '8:00-12:00,13:00-18:00', '8am-6pm', 'always', '0 8 * * 1-5', '8:00-24:01'],
    Array.from({ length: 33 }, () => '8:00-9:00').join(';'),
  ])
    it(`refuses ${text.slice(0, 30)}`, () => {
      expect(() => parseSchedule(text)).to.throw(InvalidSchedule)
      expect(text).to.not.match(pattern)
    })
})

describe('whatever stands in dormouse.dev/timezone', () => {
  const known = fc.constantFrom('UTC', 'Europe/Berlin', 'europe/berlin', 'US/Pacific', 'Etc/GMT+5', 'CET')
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    known,
    fc.tuple(known, fc.nat(12), fc.string({ maxLength: 2 })).map(([zone, place, other]) => {
      return zone.slice(0, place) + other + zone.slice(place)
    }),
    fc.constantFrom(
      '__proto__',
      'constructor',
      '../../etc/localtime',
      '+01:00',
      'UTC+1',
      'utc\0',
      'x'.repeat(300),
    ),
  )

  it('is a zone whose edges alternate, or is refused as unknown', () => {
    fc.assert(
      fc.property(name, fc.integer({ min: -20_000 * DAY, max: 50_000 * DAY }), (zone, since) => {
        if (!isTimezone(zone)) {
          expect(() => compileSchedule('8:00-18:00', zone)).to.throw(InvalidTimezone)
          return
        }
        const schedule = compileSchedule('8:00-18:00', zone)
        const now = at('Mon 12:00') + since
        const [latest, next] = [schedule.latestEdge(now), schedule.nextEdge(now)]
        expect(latest?.at).to.be.at.most(now)
        expect(next?.at).to.be.above(now)
        expect(latest?.to).to.equal(schedule.stateAt(now))
        expect(next?.to).to.not.equal(latest?.to)
      }),
      propertyRuns(500),
    )
  })
})
