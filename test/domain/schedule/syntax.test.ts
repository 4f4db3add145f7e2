import { expect } from 'chai'
import { assert, constantFrom, integer, property, record, subarray, array } from 'fast-check'
import {
  canonical,
  InvalidSchedule,
  parseSchedule,
  scheduleDoubt,
  SCHEDULE_PATTERN,
} from '../../../src/domain/schedule/syntax.ts'

const WEEK = [1, 2, 3, 4, 5, 6, 7]
const PATTERN = new RegExp(SCHEDULE_PATTERN)

function tidy(text: string): string {
  return canonical(parseSchedule(text))
}

function fault(text: string): InvalidSchedule {
  try {
    parseSchedule(text)
  } catch (error) {
    if (error instanceof InvalidSchedule) return error
    throw error
  }
  throw new Error(`no fault found in ${text}`)
}

describe('the syntax of schedules', () => {
  describe('reads', () => {
    it('a window with a range of days', () => {
      expect(parseSchedule('8:00-18:30,Mon-Fri')).to.deep.equal([
        { start: 480, end: 1110, days: [1, 2, 3, 4, 5] },
      ])
    })

    it('a window over days, with its last day', () => {
      expect(parseSchedule('Mon 7:00-Fri 20:00')).to.deep.equal([
        { start: 420, end: 1200, days: [1], lastDay: 5 },
      ])
      expect(parseSchedule('Sat 9:00-Sat 8:59')).to.deep.equal([
        { start: 540, end: 539, days: [6], lastDay: 6 },
      ])
    })

    it('no days as every day', () => {
      expect(parseSchedule('0:00-24:00')).to.deep.equal([{ start: 0, end: 1440, days: WEEK }])
    })

    it('windows past midnight as an end at or before the start', () => {
      expect(parseSchedule('22:00-6:00,Fri')).to.deep.equal([{ start: 1320, end: 360, days: [5] }])
      expect(parseSchedule('8:00-0:00,Fri')).to.deep.equal([{ start: 480, end: 0, days: [5] }])
    })

    it('several windows, in the order given', () => {
      const starts = parseSchedule('10:00-14:00,Sat;8:00-12:00,Mon-Fri').map(({ start }) => start)
      expect(starts).to.deep.equal([600, 480])
    })

    it('names of days, short and whole, in any case', () => {
      expect(tidy('8:00-9:00,MON,tuesday,tHu-SATURDAY')).to.equal('8:00-9:00,Mon-Tue,Thu-Sat')
    })

    it('days in any order', () => {
      assert(
        property(subarray(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], { minLength: 1 }), (days) => {
          const [window] = parseSchedule(`8:00-9:00,${days.toReversed().join(',')}`)
          expect(window?.days.toSorted()).to.deep.equal(parseSchedule(`8:00-9:00,${days.join(',')}`)[0]?.days)
        }),
      )
    })

    it('white space around everything', () => {
      expect(tidy(' 8:00 - 18:00 , Mon - Wed, Fri ;\n10:00-14:00,Sat\n')).to.equal(
        '8:00-18:00,Mon-Wed,Fri;10:00-14:00,Sat',
      )
    })

    it('512 characters and 32 windows, and no more', () => {
      const windows = Array.from({ length: 32 }, () => '8:00-18:00,Mon').join(';')
      expect(parseSchedule(windows.padEnd(512))).to.have.length(32)
      expect(fault(windows.padEnd(513))).to.include({ position: 513, expected: 'at most 512 characters' })
      expect(fault(`${windows};1:00-2:00`)).to.include({ position: 481, expected: 'at most 32 windows' })
    })

    it('nothing whose canonical form it could not read again', () => {
      const text = Array.from({ length: 23 }, () => '0:00-1:00,Wed,Mon-Fri').join(';')
      expect(text.length).to.be.at.most(512)
      expect(fault(text).message).to.contain('the canonical form of this has 597')
    })
  })

  describe('writes', () => {
    const cases = {
      '08:00-09:05': '8:00-9:05',
      '8:00-18:00,Fri-Mon': '8:00-18:00,Fri-Mon',
      '8:00-18:00,Mon-Sun': '8:00-18:00',
      '8:00-18:00,Tue-Mon': '8:00-18:00',
      '8:00-18:00,Mon,Tue,Wed,Fri': '8:00-18:00,Mon-Wed,Fri',
      '8:00-18:00,Mon,Mon-Wed,Tue': '8:00-18:00,Mon-Wed',
      '8:00-18:00,Fri,Mon-Tue': '8:00-18:00,Fri,Mon-Tue',
      '8:00-18:00,Wed,Mon-Fri': '8:00-18:00,Wed-Fri,Mon-Tue',
      '8:00-18:00,Sat,Mon,Sun': '8:00-18:00,Sat-Mon',
      '8:00-18:00,Mon-Fri,Sun': '8:00-18:00,Mon-Fri,Sun',
      '8:00-18:00,Wed-Wed': '8:00-18:00,Wed',
      'monday07:00 - FRI 20:00 ; 8:00-9:00,sat': 'Mon 7:00-Fri 20:00;8:00-9:00,Sat',
      'Mon 0:00-Sun 24:00': 'Mon 0:00-Sun 24:00',
      'Mon 8:00-Tue 8:00': 'Mon 8:00-Tue 8:00',
      'Fri 7:00-Thu 24:00': 'Fri 7:00-Thu 24:00',
      // within 24 hours
      'Fri 22:00-Sat 6:00': '22:00-6:00,Fri',
      'Mon 8:00-Mon 18:00': '8:00-18:00,Mon',
      'Sun 0:00-Mon 0:00': '0:00-24:00,Sun',
      'Sun 0:00-Sun 24:00': '0:00-24:00,Sun',
      'Sun 8:00-Mon 7:59': '8:00-7:59,Sun',
      '8:00-12:00;10:00-18:00': '8:00-12:00;10:00-18:00',
      '8:00-12:00;8:00-12:00': '8:00-12:00;8:00-12:00',
    }
    for (const [text, expected] of Object.entries(cases))
      it(`${text} as ${expected}`, () => expect(tidy(text)).to.equal(expected))

    it('a canonical form that it reads as the same windows and writes as itself', () => {
      const minute = integer({ min: 0, max: 59 })
      const window = record({
        hours: array(integer({ min: 0, max: 23 }), { minLength: 2, maxLength: 2 }),
        minutes: array(minute, { minLength: 2, maxLength: 2 }),
        over: constantFrom(undefined, 'Mon', 'thursday'),
        days: array(constantFrom('mon', 'Tuesday', 'WED', 'Thu', 'fri', 'Sat', 'sun', 'Fri-Mon'), {
          maxLength: 5,
        }),
      }).filter(({ hours, minutes }) => hours[0] !== hours[1] || minutes[0] !== minutes[1])
      assert(
        property(array(window, { minLength: 1, maxLength: 9 }), (windows) => {
          const text = windows
            .map(({ hours, minutes, days, over }) => {
              const [start, end] = hours.map((hour, i) => `${hour}:${String(minutes[i]).padStart(2, '0')}`)
              if (over !== undefined) return `${over} ${start} - Fri ${end}`
              return [`${start}-${end}`, ...days].join(',')
            })
            .join(';')
          const once = tidy(text)
          expect(parseSchedule(once)).to.deep.equal(parseSchedule(text))
          expect(tidy(once)).to.equal(once)
          expect([text, once]).to.satisfy((texts: string[]) => texts.every((each) => PATTERN.test(each)))
        }),
      )
    })
  })

  describe('faults', () => {
    const cases: Record<string, [position: number, message: string]> = {
      '': [1, 'expected a window such as 8:00-18:00,Mon-Fri, found the end'],
      '   ': [4, 'expected a window'],
      ';8:00-9:00': [1, "expected a window such as 8:00-18:00,Mon-Fri, found ';'"],
      '8:00-9:00;': [11, "found the end: remove the ';' at the end"],
      '8:00-9:00;;9:00-10:00': [11, "expected a window such as 8:00-18:00,Mon-Fri, found ';': remove it"],
      '8-18': [1, "expected a time H:MM from 0:00 to 24:00, found '8-18'"],
      '8:00-x': [6, "expected a time H:MM from 0:00 to 24:00, found 'x'"],
      '8:5-18:00': [1, 'expected a time'],
      '8:000-18:00': [1, 'expected a time'],
      '-8:00-18:00': [1, "expected a time H:MM from 0:00 to 24:00, found '-'"],
      '8:00-24:01': [6, 'expected a time'],
      '8:00-9:60': [6, 'expected a time'],
      '25:00-9:00': [1, 'expected a time'],
      '24:00-9:00': [1, "expected a start from 0:00 to 23:59, found '24:00-9:00': 24:00 is an end only"],
      '8:00': [5, "expected '-' and the end of the window, found the end"],
      '8:00,Mon': [5, "expected '-' and the end of the window, found ','"],
      '8:00-8:00,Mon': [6, "an end other than the start, found '8:00': for all day write 0:00-24:00"],
      '8:00-18:00 Mon': [12, "expected ',' before days, ';' before another window, or the end, found 'Mon'"],
      '8:00-6:00pm': [10, "found 'pm'"],
      '8:00-18:00,': [12, 'expected a day such as Mon or Monday, found the end'],
      '8:00-18:00,Mon-': [16, 'expected a day such as Mon or Monday, found the end'],
      '8:00-18:00,Mon,,Tue': [16, "expected a day such as Mon or Monday, found ','"],
      '8:00-18:00,Mon;Tue': [16, "expected a time H:MM from 0:00 to 24:00, found 'Tue'"],
      '8:00-18:00,Mon-Fry': [16, "expected a day such as Mon or Monday, found 'Fry'"],
      '8:00-18:00,Tues': [12, "found 'Tues'"],
      '8:00-12:00,13:00-18:00': [12, "found '13:00-18:00': join windows by ';'"],
      'Mon 7:00-Fri 20:00,Sat': [19, "found ',': a window over days takes no more days"],
      'Mon 7:00-Fri 20:00 Sat': [20, "expected ';' before another window, or the end, found 'Sat'"],
      'Mon 7:00-Fri': [10, "expected the day on which it ends, such as Fri 20:00, found 'Fri'"],
      'Mon 7:00-20:00': [10, "expected the day on which it ends, such as Fri 20:00, found '20:00'"],
      '7:00-Fri 20:00': [6, 'a window over days has a day before each of its times: Mon 7:00-Fri 20:00'],
      'Mon 7:00-Mon 7:00': [10, "found 'Mon': for the whole week write 0:00-24:00"],
      'Mon 24:00-Fri 7:00': [5, 'expected a start from 0:00 to 23:59'],
      'Fry 7:00-Sat 8:00': [1, "expected a day such as Mon or Monday, found 'Fry'"],
      'Mon 7:00-Fry 8:00': [10, "expected a day such as Mon or Monday, found 'Fry'"],
      'Mon 7:00': [9, "expected '-' and the end of the window, found the end"],
    }
    for (const [text, [position, message]] of Object.entries(cases))
      it(`${JSON.stringify(text)} at ${position}`, () => {
        const found = fault(text)
        expect(found.position).to.equal(position)
        expect(found.message)
          .to.match(new RegExp(`^at ${position}: expected `))
          .and.contain(message)
        expect(found.message).to.contain(found.expected)
      })

    it('that an expression can see have not the pattern of the grammar', () => {
      const seen = Object.keys(cases).filter((text) => PATTERN.test(text))
      expect(seen).to.deep.equal(['', '   ', '8:00-8:00,Mon', 'Mon 7:00-Mon 7:00'])
    })

    it('an empty text without advice about signs that it does not have', () => {
      expect(fault('').message).to.equal('at 1: expected a window such as 8:00-18:00,Mon-Fri, found the end')
    })
  })
})

describe('what people rarely mean by a schedule', () => {
  it('is one minute asleep, at the end of a day or between two windows, as they start and stop everything', () => {
    for (const [text, at] of [
      ['0:00-23:59', '23:59'],
      ['0:00-23:59,Sun-Fri', '23:59'],
      ['8:00-11:59;12:00-18:00,Mon-Fri', '11:59'],
      ['Mon 0:00-Sun 23:59', '23:59'],
    ] as const)
      expect(scheduleDoubt(text), text).to.include(`asleep for one minute from ${at} on`)
  })

  it('is no longer rest, and nothing that cannot be read', () => {
    for (const text of [
      '8:00-23:59',
      '0:00-24:00',
      '0:00-23:58',
      '0:00-0:01',
      '8:00-18:00,Mon-Fri',
      '',
      'always',
    ])
      expect(scheduleDoubt(text), text).to.equal(undefined)
  })
})
