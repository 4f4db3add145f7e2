import { expect } from 'chai'
import fc from 'fast-check'
import { decide } from '../../src/domain/decide.ts'
import { completed } from '../../src/domain/history.ts'
import { carryOut } from '../../src/domain/operation.ts'
import { nextTransition } from '../../src/domain/plan.ts'
import { readWorkload, withState, type Reading } from '../../src/domain/reading.ts'
import type { Rules } from '../../src/domain/rules.ts'
import { INTENT_TRIGGERS, SLEEP_STATES, type Intent } from '../../src/domain/state.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../support/rules.ts'
import { asleep } from './fixtures.ts'

const NOW = at('Tue 7:00')
const STEP = HOUR / 2
const sleeper = asleep.annotated({ autoWake: 'false' })

function read(workload = sleeper): Reading {
  const reading = readWorkload(workload, RULES)
  if (!('state' in reading)) throw new TypeError(reading.message)
  return reading
}

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
    const reading = readWorkload(sleeper, counting)
    if (!('state' in reading)) throw new TypeError(reading.message)
    expect(nextTransition(reading, NOW, counting)).to.equal(undefined)
    expect(searches).to.be.below(20)
  })

  /** Each half hour, ten minutes after it, when a backoff ends, and five before the next, when an intent begins to count. */
  function* instants(until: number): Generator<number> {
    for (let time = NOW; time <= until; time += STEP) {
      yield time
      yield time + 10 * MINUTE
      yield time + STEP - 5 * MINUTE
    }
  }

  /** The first transition that deciding so often finds. */
  function found(start: Reading, until: number): string | undefined {
    let reading = start
    for (const time of instants(until)) {
      const decision = decide(reading, time, RULES)
      const { action } = decision
      if (action === 'snooze' || (action === 'wake' && reading.state.asleep)) return `${iso(time)} ${action}`
      reading = completed(carryOut(reading, decision, time, RULES), time, RULES.policy)
    }
    return undefined
  }

  it('moves when it would if it were looked at all the time, whatever was asked of it', () => {
    const time = fc.integer({ min: -100, max: 200 }).map((steps) => NOW + steps * STEP)
    const later = fc.option(time, { nil: undefined })
    const intents: fc.Arbitrary<Intent> = fc
      .record({
        want: fc.constantFrom(...SLEEP_STATES),
        before: fc.constantFrom(...SLEEP_STATES),
        trigger: fc.constantFrom(...INTENT_TRIGGERS),
        at: time,
        until: later,
        hold: later,
      })
      .map(({ until, hold, ...intent }) => ({
        ...intent,
        by: null,
        ...(until === undefined ? {} : { until }),
        ...(hold === undefined ? {} : { hold }),
      }))
    const states = fc.record({
      intent: fc.option(intents, { nil: undefined }),
      override: fc.option(
        time.map((until) => ({ until, at: NOW - DAY, by: 'k8s:alice' })),
        { nil: undefined },
      ),
      backoff: fc.option(
        fc
          .constantFrom(NOW - HOUR, NOW + 10 * MINUTE)
          .map((until) => ({ until, times: 1, cause: 'failure' }) as const),
        { nil: undefined },
      ),
    })
    fc.assert(
      fc.property(states, later, (given, awakeUntil) => {
        const { intent: _, ...rest } = read().state
        const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        const workload =
          awakeUntil === undefined
            ? sleeper
            : sleeper.annotated({ awakeUntil: new Date(awakeUntil).toISOString() })
        const start = withState(read(workload), { ...rest, ...asked })
        const end = NOW + 12 * DAY
        const next = nextTransition(start, NOW, RULES)
        const told = next && next.at <= end ? `${iso(next.at)} ${next.type}` : undefined
        expect(told).to.equal(found(start, end))
      }),
      propertyRuns(400),
    )
  })
})
