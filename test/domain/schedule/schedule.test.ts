import { expect } from 'chai'
import { compileSchedule, InvalidTimezone, ScheduleCompiler } from '../../../src/domain/schedule/schedule.ts'
import { InvalidSchedule } from '../../../src/domain/schedule/syntax.ts'
import { edges } from './every-minute.ts'

const DAY = 24 * 60 * 60_000

describe('a compiled schedule', () => {
  it('has its canonical text, its zone as given and a key of both', () => {
    const { text, zone, key } = compileSchedule('08:00-18:00, monday-friday', 'europe/berlin')
    expect(text).to.equal('8:00-18:00,Mon-Fri')
    expect(zone).to.equal('europe/berlin')
    expect(key).to.equal('8:00-18:00,Mon-Fri europe/berlin')
  })

  it('refuses a text or a zone that it cannot read', () => {
    expect(() => compileSchedule('8:00', 'UTC')).to.throw(InvalidSchedule, 'at 5: expected')
    expect(() => compileSchedule('8:00-9:00', 'Mars/Base')).to.throw(
      InvalidTimezone,
      "unknown time zone 'Mars/Base': write an IANA time zone such as Europe/Berlin",
    )
  })

  it('changes at the boundaries of its windows', () => {
    const schedule = compileSchedule('8:00-18:00,Mon-Fri', 'Europe/Berlin')
    expect(edges(schedule, '2024-05-03T00:00', '2024-05-06T23:00')).to.deep.equal([
      '2024-05-03T06:00 awake',
      '2024-05-03T16:00 asleep',
      '2024-05-06T06:00 awake',
      '2024-05-06T16:00 asleep',
    ])
  })

  it('is in its new state at the very instant of an edge, which is the latest then and no longer the next', () => {
    const schedule = compileSchedule('8:00-18:00', 'UTC')
    const at = Date.parse('2024-05-03T08:00Z')
    expect(schedule.stateAt(at - 1)).to.equal('asleep')
    expect(schedule.stateAt(at)).to.equal('awake')
    expect(schedule.nextEdge(at - 1)).to.deep.equal({ at, to: 'awake' })
    expect(schedule.latestEdge(at)).to.deep.equal({ at, to: 'awake' })
    expect(schedule.nextEdge(at)?.to).to.equal('asleep')
    expect(schedule.latestEdge(at - 1)?.to).to.equal('asleep')
  })

  it('is so at midnight of UTC on every day, too', () => {
    for (let at = Date.UTC(2024, 4); at < Date.UTC(2024, 5); at += DAY) {
      const opening = compileSchedule('0:00-8:00', 'UTC')
      expect(opening.stateAt(at - 1)).to.equal('asleep')
      expect(opening.latestEdge(at)).to.deep.equal({ at, to: 'awake' })
      expect(opening.nextEdge(at - 1)).to.deep.equal({ at, to: 'awake' })
      const closing = compileSchedule('16:00-24:00', 'UTC')
      expect(closing.stateAt(at - 1)).to.equal('awake')
      expect(closing.latestEdge(at)).to.deep.equal({ at, to: 'asleep' })
      expect(closing.nextEdge(at - 1)).to.deep.equal({ at, to: 'asleep' })
    }
  })

  it('runs past midnight from the days given into the morning after', () => {
    const schedule = compileSchedule('22:00-6:00,Fri', 'UTC')
    expect(edges(schedule, '2024-05-01T00:00', '2024-05-08T00:00')).to.deep.equal([
      '2024-05-03T22:00 awake',
      '2024-05-04T06:00 asleep',
    ])
  })

  it('has no edge where windows meet or overlap', () => {
    const schedule = compileSchedule('8:00-12:00;12:00-15:00;14:00-18:00', 'UTC')
    expect(edges(schedule, '2024-05-03T00:00', '2024-05-04T00:00')).to.deep.equal([
      '2024-05-03T08:00 awake',
      '2024-05-03T18:00 asleep',
    ])
  })

  for (const text of [
    '0:00-24:00',
    '8:00-7:00;7:00-8:00',
    '0:00-24:00,Mon-Fri;0:00-24:00,Sat-Sun',
    '12:00-0:00;0:00-12:00',
  ])
    it(`${text} is always awake and has no edges, whatever the clocks do`, () => {
      for (const zone of ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Apia']) {
        const schedule = compileSchedule(text, zone)
        for (let t = Date.UTC(2011, 11); t < Date.UTC(2012, 11); t += 5 * DAY) {
          expect(schedule.stateAt(t)).to.equal('awake')
          expect(schedule.latestEdge(t)).to.equal(undefined)
          expect(schedule.nextEdge(t)).to.equal(undefined)
        }
      }
    })

  it('finds the edges of one window a week from any time between them', () => {
    const schedule = compileSchedule('8:00-9:00,Wed', 'UTC')
    for (let t = Date.parse('2024-05-01T09:00Z'); t < Date.parse('2024-05-08T08:00Z'); t += DAY / 24) {
      expect(schedule.latestEdge(t)).to.deep.equal({ at: Date.parse('2024-05-01T09:00Z'), to: 'asleep' })
      expect(schedule.nextEdge(t)).to.deep.equal({ at: Date.parse('2024-05-08T08:00Z'), to: 'awake' })
    }
  })

  for (const [zone, hours] of [
    ['Etc/GMT+12', -12],
    ['Pacific/Kiritimati', 14],
  ] as const)
    it(`is the same at the bounds of what is computed at once, as far from UTC as in ${zone}`, () => {
      const schedule = compileSchedule('22:00-21:30', zone)
      const minutes = 60_000
      for (let number = 1280; number < 1283; number++) {
        const bound = number * 16 * DAY
        for (let t = bound - 2 * DAY; t < bound + 2 * DAY; t += 15 * minutes) {
          const ofDay = (t / minutes + (hours + 24) * 60) % (24 * 60)
          const isAsleep = ofDay >= 21.5 * 60 && ofDay < 22 * 60
          expect(schedule.stateAt(t), new Date(t).toISOString()).to.equal(isAsleep ? 'asleep' : 'awake')
          expect(schedule.nextEdge(t)?.to).to.equal(isAsleep ? 'awake' : 'asleep')
          expect((schedule.nextEdge(t)?.at ?? 0) - t).to.be.within(1, DAY)
        }
      }
    })

  it('has no edges on a day on which a gap empties its window, and finds those of the weeks around it', () => {
    const schedule = compileSchedule('2:00-3:00,Sun', 'Europe/Berlin')
    const t = Date.parse('2024-03-31T01:00Z')
    expect(schedule.stateAt(t)).to.equal('asleep')
    expect(schedule.latestEdge(t)).to.deep.equal({ at: Date.parse('2024-03-24T02:00Z'), to: 'asleep' })
    expect(schedule.nextEdge(t)).to.deep.equal({ at: Date.parse('2024-04-07T00:00Z'), to: 'awake' })
  })

  it('moves a boundary inside a skipped hour forward by the length of the gap', () => {
    const berlin = compileSchedule('2:30-4:00', 'Europe/Berlin')
    expect(edges(berlin, '2024-03-31T00:00', '2024-04-01T00:00')).to.deep.equal([
      '2024-03-31T01:30 awake',
      '2024-03-31T02:00 asleep',
    ])
    const lordHowe = compileSchedule('2:15-4:00', 'Australia/Lord_Howe')
    expect(edges(lordHowe, '2024-10-05T12:00', '2024-10-06T12:00')).to.deep.equal([
      '2024-10-05T15:45 awake',
      '2024-10-05T17:00 asleep',
    ])
  })

  it('takes the first of two for a boundary inside a repeated hour', () => {
    const schedule = compileSchedule('2:30-2:45', 'Europe/Berlin')
    expect(edges(schedule, '2024-10-26T12:00', '2024-10-27T12:00')).to.deep.equal([
      '2024-10-27T00:30 awake',
      '2024-10-27T00:45 asleep',
    ])
  })

  it('ends the day before a midnight that is skipped where the next day begins', () => {
    const schedule = compileSchedule('18:00-24:00,Thu;0:00-6:00,Fri', 'Africa/Cairo')
    expect(edges(schedule, '2024-04-25T00:00', '2024-04-26T12:00')).to.deep.equal([
      '2024-04-25T16:00 awake',
      '2024-04-26T03:00 asleep',
    ])
  })

  it('starts no window on a day that was left out, and ends one that runs into it after the same hours', () => {
    expect(
      edges(compileSchedule('8:00-18:00,Fri', 'Pacific/Apia'), '2011-12-25T00:00', '2012-01-04T00:00'),
    ).to.deep.equal([])
    expect(
      edges(compileSchedule('22:00-6:00,Thu', 'Pacific/Apia'), '2011-12-25T00:00', '2012-01-04T00:00'),
    ).to.deep.equal(['2011-12-30T08:00 awake', '2011-12-30T16:00 asleep'])
  })

  it('answers the same in whatever order it is asked', () => {
    const times = Array.from({ length: 60 }, (_, i) =>
      Date.UTC(2000 + ((i * 37) % 100), i % 12, 1 + (i % 28), i % 24),
    )
    const shared = compileSchedule('8:00-18:00,Mon-Fri;22:00-2:00,Sat', 'America/New_York')
    for (const t of [...times, ...times.toReversed()]) {
      const fresh = compileSchedule(shared.text, shared.zone)
      expect(shared.latestEdge(t)).to.deep.equal(fresh.latestEdge(t))
      expect(shared.stateAt(t)).to.equal(fresh.stateAt(t)).and.to.equal(fresh.latestEdge(t)?.to)
      expect(shared.nextEdge(t)).to.deep.equal(fresh.nextEdge(t))
    }
  })
})

describe('the schedule compiler', () => {
  it('gives the same object for the same text and zone, however it is written', () => {
    const compiler = new ScheduleCompiler()
    const schedule = compiler.compile('8:00-18:00,Mon-Fri', 'UTC')
    expect(compiler.compile('8:00-18:00,Mon-Fri', 'UTC')).to.equal(schedule)
    expect(compiler.compile('08:00-18:00, monday-friday', 'UTC')).to.equal(schedule)
    expect(compiler.compile('8:00-18:00,Mon-Fri', 'Europe/Berlin')).not.to.equal(schedule)
  })

  it('remembers no more than its limit', () => {
    const compiler = new ScheduleCompiler(2)
    const first = compiler.compile('1:00-2:00', 'UTC')
    compiler.compile('2:00-3:00', 'UTC')
    expect(compiler.compile('1:00-2:00', 'UTC')).to.equal(first)
    compiler.compile('2:00-3:00', 'UTC')
    compiler.compile('3:00-4:00', 'UTC')
    expect(compiler.compile('1:00-2:00', 'UTC')).not.to.equal(first)
  })

  it('remembers fewer of those with many windows, whose edges take up to 32 KB each', () => {
    const dense = (minute: number) =>
      Array.from({ length: 24 }, (_, hour) => `${hour}:00-${hour}:${minute}`).join(';')
    const limit = 60
    const kept = (texts: readonly string[]) => {
      const compiler = new ScheduleCompiler(limit)
      const schedules = texts.map((text) => compiler.compile(text, 'UTC'))
      return texts.filter((text, index) => compiler.compile(text, 'UTC') === schedules[index]).length
    }
    const minutes = Array.from({ length: 50 }, (_, index) => 10 + index)
    expect(kept(minutes.map((minute) => `8:00-18:${minute}`))).to.equal(minutes.length)
    expect(kept(minutes.map(dense).toReversed())).to.be.below(minutes.length / 2)
  })

  it('refuses what cannot be read every time', () => {
    const compiler = new ScheduleCompiler()
    for (let i = 0; i < 2; i += 1) {
      expect(() => compiler.compile('8:00', 'UTC')).to.throw(InvalidSchedule)
      expect(() => compiler.compile('8:00-9:00', 'nowhere')).to.throw(InvalidTimezone)
    }
  })
})
