import { expect } from 'chai'
import { age, durationOption, minutesTo, parseUntil } from '../../src/client/times.ts'
import { shortTime, worded } from '../../src/client/text/local-time.ts'
import { UsageError } from '../../src/process/errors.ts'
import { failureOf } from '../support/failure-of.ts'

const ZONE = 'Europe/Berlin'
/** Monday, 13:00 in Berlin. */
const NOON = Date.parse('2026-03-02T12:00:00Z')

describe('times that people type and read', () => {
  for (const [text, instant] of [
    ['18:00', '2026-03-02T17:00:00Z'],
    ['8:00', '2026-03-03T07:00:00Z'],
    ['tomorrow 8:00', '2026-03-03T07:00:00Z'],
    ['tomorrow', '2026-03-03T23:00:00Z'],
    ['wed 9:30', '2026-03-04T08:30:00Z'],
    ['Monday 9:30', '2026-03-09T08:30:00Z'],
    ['fri', '2026-03-06T23:00:00Z'],
    ['2026-03-05', '2026-03-05T23:00:00Z'],
    ['2026-03-05T10:00', '2026-03-05T09:00:00Z'],
    ['2026-03-05T10:00Z', '2026-03-05T10:00:00Z'],
    // The night in which clocks go forward has no 2:30.
    ['2026-03-29T02:30', '2026-03-29T01:30:00Z'],
  ] as const)
    it(`--until '${text}'`, async () => {
      expect(new Date(await parseUntil(text, NOON, ZONE)).toISOString()).to.equal(
        instant.replace('Z', '.000Z'),
      )
    })

  it('refuses what is no time, has passed or is too far', async () => {
    for (const text of ['', 'soon', '24:30', 'today 8:00', '2026-02-30', '2026-03-01', '2028-01-01']) {
      const { message } = await failureOf(parseUntil(text, NOON, ZONE), UsageError)
      if (text === 'soon') expect(message).to.include("18:00, 'mon 8:00', fri, tomorrow, 2026-11-24")
    }
  })

  it('refuses a duration with its option and what is expected', () => {
    expect(durationOption('--for', '1h30m')).to.equal(90 * 60_000)
    expect(() => durationOption('--for', '4')).to.throw(
      UsageError,
      "--for: expected a duration such as 90s, 1h30m or 2d, from 1m to 365d, found '4': did you mean 4m or 4h?",
    )
  })

  it('rounds up to whole minutes', () => {
    expect(minutesTo(NOON + 61_000, NOON)).to.equal(120_000)
  })

  it('writes ages and times as people read them', () => {
    expect([5_000, 119_000, 180_000, 3 * 3_600_000 + 60_000, 50 * 3_600_000].map(age)).to.deep.equal([
      '5s',
      '119s',
      '3m',
      '3h1m',
      '2d',
    ])
    const times = { now: NOON, zone: ZONE }
    expect(shortTime(NOON + 3_600_000, times)).to.equal('14:00')
    expect(shortTime(NOON + 24 * 3_600_000, times)).to.equal('Tue 13:00')
    expect(shortTime(NOON + 30 * 24 * 3_600_000, times)).to.equal('Wed 2026-04-01 14:00')
    expect(worded('asleep until 2026-03-02T17:00:00Z', times)).to.equal('asleep until 18:00')
    expect(worded('by 8:00-18:00 (Asia/Tokyo) until 2026-03-02T17:00:00Z', times)).to.equal(
      'by 8:00-18:00 (Asia/Tokyo) until 18:00 (Europe/Berlin)',
    )
    expect(worded('by 8:00-18:00 (Europe/Paris) until 2026-03-02T17:00:00Z', times)).to.match(/ 18:00$/)
  })
})
