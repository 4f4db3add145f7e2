import { expect } from 'chai'
import { asked, decided, followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, unscheduled, WORK } from '../fixtures.ts'

describe('an intent with `until` in the future', () => {
  const kept = awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice', for: 24 * HOUR })

  it('is what is desired, through edges', () => {
    for (const when of ['Mon 12:01', 'Mon 18:00', 'Tue 8:00', 'Tue 11:59']) {
      const { action, lookAgainAt } = decided(kept, at(when))
      expect([action, lookAgainAt], when).to.deep.equal(['none', at('Tue 12:00')])
    }
  })

  it("gives way to the schedule's present state once it has passed", () => {
    expect(stepped(kept, at('Tue 12:00')).decision).to.deep.include({
      action: 'wake',
      trigger: 'schedule',
      dueAt: at('Tue 12:00'),
    })
    const longer = awake.woken({ at: at('Mon 12:00'), for: 10 * HOUR })
    expect(stepped(longer, at('Mon 22:00')).decision).to.deep.include({
      action: 'snooze',
      dueAt: at('Mon 22:00'),
    })
  })

  it('returns to `before` once it has passed, without a schedule', () => {
    const limited = unscheduled.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:a', for: HOUR })
    expect(decided(limited, at('Mon 12:59')).action).to.equal('none')
    expect(stepped(limited, at('Mon 13:00')).after.replicas).to.equal(3)
    const woken = unscheduled
      .snoozed({ at: at('Mon 9:00'), trigger: 'api' })
      .woken({ at: at('Mon 12:00'), for: HOUR })
    expect(stepped(woken, at('Mon 13:00')).after.replicas).to.equal(0)
  })

  it('outlasts a change of schedule, which takes effect at its end', () => {
    for (const workload of [
      kept,
      asked(kept, { action: 'schedule', schedule: '13:00-14:00' }, at('Mon 13:30')).after,
    ]) {
      const seen = stepped(
        { ...workload, annotations: { ...workload.annotations, schedule: '13:00-14:00' } },
        at('Mon 13:40'),
      )
      expect(seen.decision.action).to.equal('none')
      expect(seen.state.intent).to.deep.include({ want: 'asleep', until: at('Tue 12:00'), trigger: 'api' })
      expect(stepped(seen.after, at('Tue 12:00')).decision.action).to.equal('none')
      expect(stepped(seen.after, at('Tue 13:00')).decision.action).to.equal('wake')
    }
  })

  it('returns to `before` where the schedule was removed meanwhile, by kubectl or by PUT', () => {
    const byKubectl = stepped(kept.annotated({ schedule: undefined }), at('Mon 13:00')).after
    const byPut = asked(kept, { action: 'schedule' }, at('Mon 13:00')).after
    for (const workload of [byKubectl, byPut]) {
      expect(decided(workload, at('Tue 11:59')).action).to.equal('none')
      expect(stepped(workload, at('Tue 12:00')).after.replicas).to.equal(3)
    }
  })

  it('of a wake returns to sleep where the schedule was removed meanwhile, since it slept before', () => {
    const limited = asleep.woken({ at: at('Mon 19:00'), for: 2 * HOUR })
    const byKubectl = stepped(limited.annotated({ schedule: undefined }), at('Mon 20:00')).after
    const byPut = asked(limited, { action: 'schedule' }, at('Mon 20:00')).after
    for (const workload of [byKubectl, byPut])
      expect(stepped(workload, at('Mon 21:00')).after.replicas).to.equal(0)
  })

  it('is replaced by a request', () => {
    const { state, after } = asked(kept, { action: 'wake' }, at('Mon 13:00'))
    expect(after.replicas).to.equal(3)
    expect(state.intent).to.deep.include({ want: 'awake', trigger: 'api' }).and.not.to.have.property('until')
  })

  it('is replaced by a manual wake', () => {
    expect(stepped(kept.scaledByHand(2), at('Mon 13:00')).state.intent).to.deep.include({
      want: 'awake',
      trigger: 'manual',
    })
  })
})

describe('`hold`', () => {
  const NIGHT = at('Fri 20:00')
  const sleeper = awake.snoozed({ at: at('Fri 18:00') })

  it('is set to `at` + wakeHold by a wake request without `for` in hours of sleep, and by a manual wake', () => {
    expect(asked(sleeper, { action: 'wake' }, NIGHT).state.intent?.hold).to.equal(NIGHT + 12 * HOUR)
    expect(stepped(sleeper.scaledByHand(3), NIGHT).state.intent?.hold).to.equal(NIGHT + 12 * HOUR)
  })

  it('is not set by a wake in hours of waking, nor by one with `for`, nor by a snooze', () => {
    const noon = awake.snoozed({ at: at('Mon 11:00'), trigger: 'api' })
    for (const { state } of [
      asked(noon, { action: 'wake' }, at('Mon 12:00')),
      asked(sleeper, { action: 'wake', for: HOUR }, NIGHT),
      asked(awake, { action: 'snooze' }, at('Mon 12:00')),
    ]) {
      expect(state.intent).not.to.have.property('hold')
    }
  })

  it('is not set where wakeHold is null: the wake lasts until the next edge', () => {
    const rules = rulesWith({ wakeHold: null })
    const { after, state } = asked(sleeper, { action: 'wake' }, NIGHT, { rules })
    expect(state.intent).not.to.have.property('hold')
    expect(decided(followed(after), at('Sun 20:00'), rules)).to.deep.include({
      action: 'none',
      lookAgainAt: at('next Mon 8:00'),
    })
  })

  it("gives way to the schedule's present state once it has passed", () => {
    const woken = followed(asked(sleeper, { action: 'wake' }, NIGHT).after)
    expect(decided(woken, at('Sat 7:59'))).to.deep.include({ action: 'none', lookAgainAt: at('Sat 8:00') })
    expect(decided(woken, at('Sat 8:00'))).to.deep.include({ action: 'snooze', dueAt: at('Sat 8:00') })
  })

  it('does not outlast an edge', () => {
    const woken = awake.snoozed({ at: at('Mon 18:00') }).woken({ at: at('Tue 7:00'), hold: 12 * HOUR })
    expect(decided(woken, at('Tue 17:59')).action).to.equal('none')
    expect(decided(woken, at('Tue 18:00')).action).to.equal('snooze')
  })

  it('does not outlast a change of schedule by request', () => {
    const woken = sleeper.woken({ at: NIGHT, hold: 12 * HOUR })
    const change = { action: 'schedule', schedule: '9:00-17:00,Mon-Fri' } as const
    expect(asked(woken, change, at('Fri 21:00')).after.replicas).to.equal(0)
  })
})

describe('what is desired without an intent in force', () => {
  it("follows the schedule's present state while there is no intent", () => {
    expect(decided(aDeployment().enabled().scheduled(WORK), at('Mon 20:00')).action).to.equal('snooze')
    expect(decided(aDeployment().enabled().scheduled(WORK), at('Mon 12:00')).action).to.equal('none')
  })

  it("follows the schedule's present state where the intent is older than the latest edge", () => {
    const byHand = awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' })
    expect(decided(byHand, at('Mon 23:00')).action).to.equal('none')
    expect(decided(byHand, at('Tue 8:00')).action).to.equal('wake')
  })

  it('respects a manual wake at 20:00 until the next edge', () => {
    const woken = asleep.scaledByHand(3)
    const byHand = followed(stepped(woken, at('Mon 20:00')).after)
    for (const when of ['Mon 20:01', 'Tue 3:00', 'Tue 7:59', 'Tue 8:00', 'Tue 17:59']) {
      expect(decided(byHand, at(when)).action, when).to.equal('none')
    }
    expect(decided(byHand, at('Tue 18:00')).action).to.equal('snooze')
  })

  it('makes at most one transition for all edges that were missed while Dormouse did not run', () => {
    const { after, decision } = stepped(asleep, at('Thu 12:00'))
    expect(decision.action).to.equal('wake')
    expect(stateOf(after).history).to.have.length(asleep.state().history.length + 1)
    expect(stepped(after, at('Thu 12:00')).change).to.equal(undefined)
    expect(stepped(asleep, at('next Mon 6:00')).change).to.equal(undefined)
  })

  it('ignores an intent dated more than 5 minutes ahead, until it is not', () => {
    const ahead = awake.woken({ at: at('Mon 18:30'), by: 'k8s:alice' })
    expect(decided(ahead, at('Mon 18:24:59')).action).to.equal('snooze')
    expect(decided(ahead, at('Mon 18:25')).action).to.equal('none')
    const none = unscheduled.woken({ at: at('Mon 18:30') })
    expect(decided(none, at('Mon 18:00')).lookAgainAt).to.equal(at('Mon 18:25'))
  })

  it('does nothing automatically without a schedule', () => {
    for (const workload of [unscheduled, unscheduled.snoozed({ at: at('Mon 9:00'), trigger: 'api' })]) {
      expect(decided(workload, at('next Mon 12:00')))
        .to.deep.include({ action: 'none' })
        .and.not.to.have.property('lookAgainAt')
    }
  })

  it('takes 0:00-24:00, which has no edges, as awake', () => {
    const always = aDeployment().withReplicas(2).enabled().scheduled('0:00-24:00')
    expect(decided(always, at('Sun 3:00')))
      .to.include({ action: 'none' })
      .and.not.to.have.property('lookAgainAt')
    const slept = always.snoozed({ at: at('Mon 9:00'), trigger: 'api', by: 'k8s:a' })
    expect(decided(slept, at('next Sun 9:00')).action).to.equal('none')
    expect(
      decided(always.snoozed({ at: at('Mon 9:00'), trigger: 'api', for: HOUR }), at('Mon 10:00')).action,
    ).to.equal('wake')
  })
})

describe('a workload that is first seen enabled and without state', () => {
  const born = at('Mon 20:00')
  const chart = aDeployment().withReplicas(3).enabled().scheduled(WORK).born(born)

  it('runs for newWorkloadGrace from its creation, in any hour, computed and not written', () => {
    const { decision, change } = stepped(chart, born + 14 * MINUTE)
    expect(change).to.equal(undefined)
    expect(decision).to.deep.include({ action: 'none', lookAgainAt: born + 15 * MINUTE })
    expect(decision.reason.code).to.equal('grace')
  })

  it('follows its schedule when the grace is over', () => {
    const { decision } = stepped(chart, born + 15 * MINUTE)
    expect(decision).to.deep.include({ action: 'snooze', dueAt: born + 15 * MINUTE })
  })

  it('keeps its grace when it is pinned and unpinned meanwhile', () => {
    const pinned = asked(chart, { action: 'pin' }, born + MINUTE).after
    expect(asked(pinned, { action: 'unpin' }, born + 2 * MINUTE).after.replicas).to.equal(3)
  })

  it('can be put to sleep by a request', () => {
    const { after } = asked(chart, { action: 'snooze' }, born + MINUTE)
    expect(after.replicas).to.equal(0)
    expect(stepped(after, born + 2 * MINUTE).change).to.equal(undefined)
  })

  it('follows its schedule at once, in the same patch, if it is enabled by the API', () => {
    const { enabled: _, ...annotations } = chart.annotations
    const { after, state } = asked(chart.with({ annotations }), { action: 'enable' }, born + MINUTE)
    expect(after.replicas).to.equal(0)
    expect(state.history[0]).to.include({ type: 'snooze', trigger: 'schedule', by: null })
  })
})

describe('a removed schedule', () => {
  const NIGHT = at('Mon 20:00')
  const byKubectl = (workload: typeof asleep) =>
    stepped(workload.annotated({ schedule: undefined }), NIGHT).after
  const byPut = (workload: typeof asleep) =>
    asked(workload, { action: 'schedule', schedule: '' }, NIGHT).after
  const enabledAtNight = () =>
    asked(aDeployment().withReplicas(3), { action: 'enable', schedule: WORK }, at('Mon 19:00'))
  const changedAtNight = () => stepped(awake.scheduled('8:00-17:00'), at('Mon 17:30'))

  for (const [how, removed] of [
    ['kubectl', byKubectl],
    ['PUT', byPut],
  ] as const) {
    it(`by ${how}: wakes if an edge, enabling or a change of schedule formed the intent in force`, () => {
      expect(removed(asleep).replicas, 'an edge').to.equal(3)
      expect(removed(awake.with(enabledAtNight().after)).replicas, 'an enabling').to.equal(3)
      expect(removed(awake.with(changedAtNight().after)).replicas, 'a change').to.equal(3)
    })

    it(`by ${how}: otherwise changes nothing`, () => {
      const byHand = awake.snoozed({ at: at('Mon 19:00'), trigger: 'api', by: 'k8s:alice' })
      expect(removed(byHand).replicas).to.equal(0)
      const woken = asleep.woken({ at: at('Mon 19:00'), hold: 12 * HOUR })
      expect(removed(woken).replicas).to.equal(3)
    })

    it(`by ${how}: wakes a sleeper once its pin, override or backoff ends`, () => {
      const unpinned = asked(removed(asleep.pinned()), { action: 'unpin' }, at('Mon 21:00'))
      expect(unpinned.after.replicas).to.equal(3)
      expect(stepped(removed(asleep.overridden(at('Mon 22:00'))), at('Mon 22:00')).after.replicas).to.equal(3)
      const backoff = removed(asleep.inBackoff(at('Mon 21:00')))
      expect(backoff.replicas).to.equal(0)
      expect(stepped(backoff, at('Mon 21:00')).after.replicas).to.equal(3)
    })
  }

  it('by PUT: wakes if an edge came after the request, or its `for` had ended', () => {
    const beforeTheEdge = awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' })
    expect(byPut(beforeTheEdge).replicas).to.equal(3)
    const over = asleep
      .woken({ at: at('Mon 18:30'), for: HOUR })
      .snoozed({ at: at('Mon 19:30'), intentless: true })
    expect(byPut(over).replicas).to.equal(3)
  })

  it('nothing is automatic from then on', () => {
    for (const after of [byKubectl(asleep), byPut(asleep)]) {
      expect(decided(followed(after), at('next Mon 20:00')))
        .to.deep.include({ action: 'none' })
        .and.not.to.have.property('lookAgainAt')
    }
  })
})
