import { expect } from 'chai'
import { calendarWeek, days, daysIn, quietWeek, segments } from '../../src/console/page/week.ts'
import { type Transition } from '../../src/console/page/record.ts'
import { replicasText } from '../../src/words/pods.ts'
import { noNextText } from '../../src/words/reason.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)
const change = (time: string, type: 'wake' | 'snooze'): Transition => ({
  at: new Date(time).toISOString(),
  type,
  reason: '',
})

describe('the coming week in the console', () => {
  it('is one piece where nothing changes', () => {
    const now = at('2026-03-02T10:00:00Z')
    expect(segments(false, [], now)).to.deep.equal([{ from: now, to: now + 168 * HOUR, asleep: false }])
    expect(new Set(days(segments(true, [], now), 'UTC').map(({ awake }) => awake))).to.deep.equal(
      new Set(['asleep']),
    )
  })

  it('has the count that it keeps beside it, in the singular, too', () => {
    const asleep = { type: 'deployment', is_snoozed: true, current_replicas: 0, ready_replicas: 0 } as const
    const kept = [1, 3].map((last_replicas) => replicasText({ ...asleep, last_replicas }))
    expect(kept).to.deep.equal(['0; 1 is kept and comes back', '0; 3 are kept and come back'])
  })

  it('is not said to be one piece where its hours are not known', () => {
    const workload = { enabled: true, is_snoozed: false, reason_values: {} }
    const unknown = { ...workload, reason_values: { hours_unknown: 'they are not published' } }
    expect([quietWeek(unknown), noNextText(unknown)]).to.deep.equal([
      'Its hours are not known here.',
      'not known here',
    ])
    expect([quietWeek(workload), noNextText(workload)]).to.deep.equal([
      'Awake throughout, if nobody acts.',
      'nothing planned',
    ])
  })

  it('has each awake window of each day, in the zone of the workload', () => {
    const now = at('2026-03-02T06:00:00Z')
    const plan = [
      change('2026-03-02T07:00Z', 'wake'),
      change('2026-03-02T17:00Z', 'snooze'),
      change('2026-03-03T21:00Z', 'wake'),
    ]
    const [monday, tuesday, wednesday] = days(segments(true, plan, now), 'Europe/Berlin')
    expect([monday?.name, monday?.awake]).to.deep.equal(['Mon 2 Mar', '8:00–18:00'])
    expect(tuesday?.awake).to.equal('22:00–24:00')
    expect(wednesday?.awake).to.equal('awake')
  })

  it('ignores a change to what is so already', () => {
    const now = at('2026-03-02T06:00:00Z')
    expect(segments(false, [change('2026-03-02T07:00Z', 'wake')], now)).to.have.length(1)
  })

  // The clocks go forward on 29 March 2026 and back on 25 October in Europe; Lord Howe changes by half an hour.
  for (const [zone, now, hours] of [
    ['Europe/Berlin', '2026-03-27T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-23T12:00:00Z', 25],
    ['America/New_York', '2026-10-30T12:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-03T12:00:00Z', 24.5],
    ['Asia/Kathmandu', '2026-03-27T12:00:00Z', 24],
  ] as const)
    it(`begins days at midnight of ${zone}, also around a change of clocks`, () => {
      const found = daysIn(zone, at(now))
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
      expect(found.map((midnight) => clock.format(midnight))).to.deep.equal(found.map(() => '00:00'))
      const lengths = new Set(
        found.slice(1).map((midnight, index) => (midnight - (found[index] ?? 0)) / HOUR),
      )
      expect([...lengths]).to.have.members([...new Set([24, hours])])
    })

  // The reader's own zone: Node takes a new TZ at once.
  for (const [zone, now, hours] of [
    ['Europe/Berlin', '2026-03-27T12:00:00Z', 167],
    ['America/New_York', '2026-10-30T12:00:00Z', 169],
    ['Asia/Tokyo', '2026-03-27T16:00:00Z', 168],
  ] as const)
    it(`is seven days from midnight of a reader in ${zone}, also around a change of clocks`, () => {
      const { TZ } = process.env
      process.env['TZ'] = zone
      try {
        const { from, to, midnights } = calendarWeek(at(now))
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
        expect(midnights.map((midnight) => clock.format(midnight))).to.deep.equal(Array(8).fill('00:00'))
        expect((to - from) / HOUR).to.equal(hours)
        expect(at(now)).to.be.within(from, from + 24 * HOUR)
      } finally {
        if (TZ === undefined) delete process.env['TZ']
        else process.env['TZ'] = TZ
      }
    })

  it('says the hours of a window on the day on which the clocks change', () => {
    const now = at('2026-03-28T12:00:00Z')
    const plan = [change('2026-03-28T23:30Z', 'wake'), change('2026-03-29T16:00Z', 'snooze')]
    const sunday = days(segments(true, plan, now), 'Europe/Berlin')[1]
    // 0:30 in winter time, 18:00 in summer time
    expect(sunday?.awake).to.equal('0:30–18:00')
  })
})
