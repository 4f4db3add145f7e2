import { expect } from 'chai'
import fc from 'fast-check'
import { decide } from '../../../src/domain/deciding/decide.ts'
import { situationOf } from '../../../src/domain/deciding/situation.ts'
import { completed } from '../../../src/domain/deciding/history.ts'
import { carryOut } from '../../../src/domain/deciding/operation.ts'
import { nextTransition } from '../../../src/domain/deciding/foresight.ts'
import { withState, type Reading } from '../../../src/domain/workload/reading.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import type { Intent } from '../../../src/domain/workload/state.ts'
import { INTENT_TRIGGERS } from '../../../src/domain/workload/trigger.ts'
import { SLEEP_STATES } from '../../../src/domain/schedule/schedule.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { read } from '../../support/readable.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../../support/rules.ts'
import { asleep, awake } from '../fixtures.ts'

const NOW = at('Tue 7:00')
const STEP = HOUR / 2
const sleeper = asleep.annotated({ autoWake: 'false' })

describe('a sleeper whose schedule only puts to sleep', () => {
  it('costs a record no search through the coming months: nothing wakes it', () => {
    let searches = 0
    const counting: Rules = {
      ...RULES,
      compile: (text, zone, calendar) => {
        const schedule = RULES.compile(text, zone, calendar)
        return {
          ...schedule,
          text: schedule.text,
          stateAt: (t) => schedule.stateAt(t),
          latestEdge: (t) => schedule.latestEdge(t),
          nextEdge: (t) => (searches++, schedule.nextEdge(t)),
        }
      },
    }
    expect(nextTransition(read(sleeper, counting), NOW, counting)).to.equal(undefined)
    expect(searches).to.be.below(20)
  })
})

describe('the next transition', () => {
  /** Each half hour, and ten minutes after it, when a backoff ends. */
  function* instants(until: number): Generator<number> {
    for (let time = NOW; time <= until; time += STEP) {
      yield time
      yield time + 10 * MINUTE
    }
  }

  /** The first transition that deciding so often finds. */
  function found(start: Reading, until: number): string | undefined {
    let reading = start
    for (const time of instants(until)) {
      const situation = situationOf(reading, time, RULES)
      const decision = decide(situation)
      const { action } = decision
      if (action === 'snooze' || (action === 'wake' && reading.state.asleep)) return `${iso(time)} ${action}`
      reading = completed(carryOut(situation, decision), time, RULES.policy)
    }
    return undefined
  }

  const halfHours = (min: number, max: number) => fc.integer({ min, max }).map((steps) => NOW + steps * STEP)
  const time = halfHours(-100, 200)
  const intents: fc.Arbitrary<Intent> = fc
    .record(
      {
        want: fc.constantFrom(...SLEEP_STATES),
        before: fc.constantFrom(...SLEEP_STATES),
        trigger: fc.constantFrom(...INTENT_TRIGGERS),
        at: halfHours(-100, 0),
        until: time,
        hold: time,
      },
      { requiredKeys: ['want', 'before', 'trigger', 'at'] },
    )
    .map((intent) => ({ ...intent, by: null }))
  const states = fc.record(
    {
      intent: intents,
      override: time.map((until) => ({ until, at: NOW - DAY, by: 'k8s:alice' })),
      backoff: fc
        .constantFrom(NOW - HOUR, NOW + 10 * MINUTE)
        .map((until) => ({ until, times: 1, cause: 'failure' }) as const),
    },
    { requiredKeys: [] },
  )
  const settings = fc.record({
    autoWake: fc.constantFrom('true', 'false'),
    schedule: fc.constantFrom('8:00-18:00,Mon-Fri', '', '0:00-24:00', '22:00-6:00'),
  })

  it('is what happens if it is looked at all the time, whatever was asked of it and however long', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(asleep, awake),
        states,
        settings,
        fc.option(time, { nil: undefined }),
        (workload, asked, set, end) => {
          const reading = read(workload.annotated(set))
          const { intent: _, ...rest } = reading.state
          const awakeUntil = reading.schedule ? end : undefined
          const start = { ...withState(reading, { ...rest, ...asked }), awakeUntil }
          const until = NOW + 8 * DAY
          const next = nextTransition(start, NOW, RULES)
          const told = next && next.at <= until ? `${iso(next.at)} ${next.type}` : undefined
          expect(told).to.equal(found(start, until))
        },
      ),
      propertyRuns(400),
    )
  })
})
