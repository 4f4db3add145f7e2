import { expect } from 'chai'
import { planFailure, planStep } from '../../../src/domain/deciding/operation.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import { iso } from '../../../src/domain/text.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { asked, decided, followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES, rulesWith, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { NOON, unscheduled } from '../fixtures.ts'

/** Snoozes and wakes in turn, forced, at these instants. */
function switched(workload: Workload, ...instants: number[]): Workload {
  return instants.reduce((before, now) => {
    const action = stateOf(before).asleep ? 'wake' : 'snooze'
    return followed(asked(before, { action, force: true }, now).after)
  }, workload)
}

function minutes(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index * MINUTE)
}

const flapping = () => switched(unscheduled, ...minutes(NOON, 7))
const STARTED = NOON + 6 * MINUTE

describe('flapping', () => {
  it('starts with the 7th operation within the window, which itself is carried out', () => {
    const six = switched(unscheduled, ...minutes(NOON, 6))
    expect(stateOf(six).backoff).to.equal(undefined)
    const seventh = asked(six, { action: 'snooze' }, STARTED)
    expect(seventh.after.replicas).to.equal(0)
    expect(seventh.state.backoff).to.deep.equal({ until: STARTED + 5 * MINUTE, times: 1, cause: 'flapping' })
  })

  it('does not start with seven operations over more than the window', () => {
    const spread = switched(
      unscheduled,
      ...Array.from({ length: 20 }, (_, index) => NOON + index * 10 * MINUTE),
    )
    expect(stateOf(spread).backoff).to.equal(undefined)
  })

  it('counts by the policy', () => {
    const rules = rulesWith({ backoff: { maxOperations: 1, window: HOUR, base: MINUTE, max: HOUR } })
    const first = followed(asked(unscheduled, { action: 'snooze' }, NOON, { rules }).after)
    const { state } = asked(first, { action: 'wake' }, NOON + 1, { rules })
    expect(state.backoff?.until).to.equal(NOON + 1 + MINUTE)
  })

  it('is not prolonged by operations during it', () => {
    const forced = switched(flapping(), STARTED + MINUTE, STARTED + 2 * MINUTE)
    expect(stateOf(forced).backoff).to.deep.equal(stateOf(flapping()).backoff)
  })

  it('doubles each time, at most to max', () => {
    let workload = flapping()
    const waits = [5]
    for (let again = 0; again < 6; again += 1) {
      const now = stateOf(workload).backoff!.until
      workload = switched(workload, ...(again < 3 ? [now] : minutes(now, 7)))
      const { backoff } = stateOf(workload)
      const started = again < 3 ? now : now + 6 * MINUTE
      waits.push(Math.round((backoff!.until - started) / MINUTE))
    }
    expect(waits.slice(0, 4)).to.deep.equal([5, 10, 20, 40])
    expect(waits.slice(4).every((wait) => wait <= 60 && wait >= 54)).to.equal(true)
  })

  it('is forgotten after a quiet window', () => {
    const { until } = stateOf(flapping()).backoff!
    const afterwards = switched(flapping(), ...minutes(until + HOUR + MINUTE, 7))
    expect(stateOf(afterwards).backoff).to.deep.include({ times: 1 })
    const restless = switched(flapping(), until + 55 * MINUTE, ...minutes(until + 80 * MINUTE, 7))
    expect(stateOf(restless).backoff).to.deep.include({ times: 2 })
  })

  it('refuses snooze requests with 409 IN_BACKOFF and Retry-After in whole seconds', () => {
    const awake = asked(flapping(), { action: 'wake' }, STARTED + 1).after
    const snooze = () => asked(awake, { action: 'snooze', for: HOUR }, STARTED + 500)
    const until = iso(STARTED + 5 * MINUTE)
    const told = `switched more than 6 times within 1 hour: snooze is refused until ${until}`
    expect(snooze).to.throw(Refusal, told).and.deep.include({ code: 'IN_BACKOFF', retryAfter: 300 })
    const forced = asked(awake, { action: 'snooze', force: true }, STARTED + 500)
    expect(forced.after.replicas).to.equal(0)
  })

  it('never refuses a wake: somebody needs it now', () => {
    for (const limit of [{}, { for: HOUR }])
      expect(asked(flapping(), { action: 'wake', ...limit }, STARTED + 1).after.replicas).to.equal(3)
  })

  it('refuses no other request', () => {
    for (const action of ['pin', 'unpin', 'clearOverride', 'schedule', 'enable', 'disable'] as const) {
      expect(() => asked(flapping(), { action }, STARTED + 1), action).not.to.throw()
    }
  })

  it('counts manual wakes, which it does not refuse', () => {
    const six = switched(unscheduled, ...minutes(NOON, 5), NOON + 5 * MINUTE, STARTED - 1)
    const scaled = { ...six, replicas: 2, replicasManager: { manager: 'kubectl', subresource: 'scale' } }
    expect(stateOf(six).asleep).to.equal(true)
    expect(stepped(scaled, STARTED + 1).state).to.deep.include({ asleep: false })
  })
})

describe('an operation the cluster refused', () => {
  const schedule = '8:00-18:00'
  const sleeper = aDeployment()
    .withReplicas(3)
    .enabled()
    .scheduled(schedule)
    .snoozed({ at: at('Sun 18:00') - 7 * 24 * HOUR })
  const MORNING = at('Mon 8:00')

  function refused(workload: Workload, now: number): Workload {
    const { decision } = planStep(workload, now, RULES)
    const change = planFailure(workload, decision, now, RULES)
    return change ? changed(workload, change) : workload
  }

  const once = () => refused(sleeper, MORNING)

  describe('with what it said', () => {
    const message = 'Deployment.apps "web" is forbidden: exceeded quota: q\u001B[31m\n'
    const { decision } = planStep(sleeper, MORNING, RULES)
    const told = changed(sleeper, planFailure(sleeper, decision, MORNING, RULES, undefined, message)!)

    it('has that, cleaned, in its reason and its values while it waits, and also until the next try', () => {
      const now = statusRecord(told, MORNING + SECOND, RULES)
      const quoted = 'the cluster refused the last attempt: exceeded quota: q [31m'
      expect(now.reason).to.include(`${quoted} (then: `)
      expect(now.reason_values).to.include({ cause: 'failure', refusal: 'exceeded quota: q [31m' })
      const due = statusRecord(told, MORNING + 10 * SECOND, RULES)
      expect(due.reason)
        .to.match(/^is to wake by schedule .*; not done yet: /)
        .and.include(quoted)
    })

    it('keeps it where the backoff delays nothing, and drops it once an attempt succeeds', () => {
      const pinned = asked(told, { action: 'pin' }, MORNING + SECOND).after
      expect(statusRecord(pinned, MORNING + SECOND, RULES).reason_values).to.include({
        refusal: 'exceeded quota: q [31m',
      })
      const done = planStep(told, MORNING + 10 * SECOND, RULES)
      expect(stateOf(changed(told, done.change!)).backoff).to.equal(undefined)
    })

    it('is cut again when it is read: other hands may have written it', () => {
      const backoff = { until: MORNING + HOUR, times: 1, cause: 'failure', refusal: `\n${'x'.repeat(5000)}` }
      const forged = sleeper.remembering({ backoff })
      expect(statusRecord(forged, MORNING, RULES).reason).to.match(/attempt: x{200}… \(then: /)
    })

    it('a state is not made longer by what is longer', () => {
      const long = planFailure(sleeper, decision, MORNING, RULES, undefined, 'x'.repeat(50_000))!
      expect(changed(sleeper, long).annotations.state?.length).to.be.below(700)
    })
  })

  it('changes nothing: marks, count and intent are as before, the history says failed', () => {
    const workload = once()
    expect(workload).to.deep.include({ replicas: 0, labels: sleeper.labels })
    const { history, asleep, intent } = stateOf(workload)
    expect({ asleep, intent }).to.deep.equal({ asleep: true, intent: sleeper.state().intent })
    expect(history[0]).to.deep.equal({
      type: 'wake',
      trigger: 'schedule',
      at: MORNING,
      replicas: 3,
      duration: 0,
      by: null,
      result: 'failed',
    })
  })

  it('keeps what was disabled asleep no longer than that, though a wrong clock dated it', () => {
    const disabled = sleeper.annotated({ enabled: 'false' }).inBackoff(MORNING + 30 * 24 * HOUR, 'failure')
    const cut = stepped(disabled, MORNING)
    expect(cut.after.replicas).to.equal(0)
    const until = cut.state.backoff?.until ?? Number.POSITIVE_INFINITY
    expect(until).to.equal(MORNING + 10 * MINUTE)
    expect(decided(cut.after, MORNING).lookAgainAt).to.equal(until)
    expect(stepped(cut.after, until).after.replicas).to.equal(3)
  })

  it('makes automatic actions wait 10s, doubled, at most 10m', () => {
    let [workload, now] = [once(), MORNING]
    const waits: number[] = []
    for (let again = 0; again < 9; again += 1) {
      const waiting = decided(workload, now)
      expect(waiting.reason.code).to.equal('backoff')
      expect(decided(workload, waiting.lookAgainAt! - 1).action).to.equal('none')
      waits.push((waiting.lookAgainAt! - now) / SECOND)
      now = waiting.lookAgainAt!
      workload = refused(workload, now)
    }
    expect(waits).to.deep.equal([10, 20, 40, 80, 160, 320, 600, 600, 600])
    expect(stateOf(workload).history.filter(({ result }) => result === 'failed')).to.have.length(1)
  })

  it('starts again at 10s once one succeeded', () => {
    const { after, state } = stepped(refused(once(), MORNING + 10 * SECOND), MORNING + 30 * SECOND)
    expect(after.replicas).to.equal(3)
    expect(state.backoff).to.equal(undefined)
  })

  it('never refuses requests for it', () => {
    expect(asked(once(), { action: 'wake' }, MORNING + 1).after.replicas).to.equal(3)
    expect(asked(once(), { action: 'snooze', for: HOUR }, MORNING + 1).state.intent?.want).to.equal('asleep')
  })

  it('does not count for flapping', () => {
    const six = switched(unscheduled, ...minutes(NOON, 5))
    const decision = { ...decided(six, NOON), action: 'wake' as const }
    const failed = changed(six, planFailure(six, decision, NOON + 5 * MINUTE, RULES)!)
    expect(stateOf(switched(failed, NOON + 16 * MINUTE)).backoff).to.equal(undefined)
  })

  it('makes the wake of a workload that was disabled by hand wait, too', () => {
    const disabled = refused(sleeper.annotated({ enabled: 'false' }), MORNING)
    expect(stepped(disabled, MORNING + 1)).to.deep.include({ change: undefined })
    expect(decided(disabled, MORNING + 1).lookAgainAt).to.equal(MORNING + 10 * SECOND)
    expect(stepped(disabled, MORNING + 10 * SECOND).after.replicas).to.equal(3)
  })

  it('is written to the history for snoozes and wakes only', () => {
    const { decision } = planStep(sleeper, at('Mon 6:00'), RULES)
    expect(planFailure(sleeper, decision, at('Mon 6:00'), RULES)).to.equal(undefined)
  })
})

describe('pods that are late', () => {
  it('start no backoff', () => {
    const late = asked(unscheduled, { action: 'snooze' }, NOON).after
    const { operation_history, in_backoff_period } = statusRecord(late, NOON + 10 * MINUTE, RULES)
    expect(operation_history[0]?.result).to.equal('timed_out')
    expect(in_backoff_period).to.equal(false)
    expect(stepped(late, NOON + 10 * MINUTE).change).to.equal(undefined)
  })
})
