import { expect } from 'chai'
import { calendarEffect } from '../../../src/domain/schedule/calendar-effect.ts'
import { calendarOf } from '../../../src/domain/schedule/calendar.ts'

const de = calendarOf('de', {
  '2026-12-24..2027-01-01': '',
  '2026-10-10': '9:00-14:00',
  '2026-06-01': '8:00-18:00',
})
const fr = calendarOf('fr', { '2026-12-24': '9:00-10:00', '2026-07-14': '' })
const effect = (calendars: (typeof de)[], days = 366) =>
  calendarEffect('8:00-18:00,Mon-Fri', calendars, Date.UTC(2026, 2, 2), days).map(
    ({ first, last, hours, calendar }) => `${first} ${last} ${hours || 'none'} ${calendar}`,
  )

describe('what a calendar changes', () => {
  it('is told in stretches of dates, without those on which it changes nothing', () => {
    expect(effect([de])).to.deep.equal([
      '2026-10-10 2026-10-10 9:00-14:00 de',
      // weekends between are part of it
      '2026-12-24 2027-01-01 none de',
    ])
  })

  it('names the calendar that counts', () => {
    expect(effect([fr, de]).slice(-2)).to.deep.equal([
      '2026-12-24 2026-12-24 9:00-10:00 fr',
      '2026-12-25 2027-01-01 none de',
    ])
  })

  it('ends with the days asked for', () => {
    expect(effect([de], 100)).to.deep.equal([])
    expect(effect([])).to.deep.equal([])
  })
})
