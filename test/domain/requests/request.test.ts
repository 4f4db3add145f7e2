import { expect } from 'chai'
import type { ApiAction, Request } from '../../../src/domain/requests/operations.ts'
import { asked, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, aStatefulSet } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, refusal, unscheduled, WORK } from '../fixtures.ts'

const BY_ACTION: { readonly [A in ApiAction]: Extract<Request, { action: A }> } = {
  enable: { action: 'enable' },
  disable: { action: 'disable' },
  override: { action: 'override', duration: HOUR },
  clearOverride: { action: 'clearOverride' },
  pin: { action: 'pin' },
  unpin: { action: 'unpin' },
  snooze: { action: 'snooze' },
  wake: { action: 'wake' },
  schedule: { action: 'schedule', schedule: '9:00-17:00' },
}
const REQUESTS: readonly Request[] = Object.values(BY_ACTION)

describe('all requests', () => {
  for (const workload of [aDeployment(), aStatefulSet(), aDaemonSet(), aReplicaSet()]) {
    it(`work on ${workload.kind}, and each again changes nothing`, () => {
      const managed = workload.withReplicas(2).enabled().scheduled(WORK).remembering({})
      const before: Partial<Record<Request['action'], typeof managed>> = {
        enable: workload.withReplicas(2),
        unpin: managed.pinned(),
        clearOverride: managed.overridden(),
        wake: managed.snoozed({ at: at('Mon 9:00'), trigger: 'api', by: 'k8s:alice' }),
      }
      for (const request of REQUESTS) {
        const once = asked(before[request.action] ?? managed, request, NOON)
        expect(once.change, request.action).not.to.equal(undefined)
        expect(once.message, request.action).to.match(/^\S.*(?:: | by )\S/)
        const twice = asked(followed(once.after), request, NOON)
        if (request.action === 'override') expect(twice.state.override).to.deep.equal(once.state.override)
        else expect(twice.change, request.action).to.equal(undefined)
      }
    })
  }

  it('carry out the transition they cause in the same patch', () => {
    const atNight = { action: 'schedule', schedule: '20:00-22:00' } as const
    expect(asked(asleep, atNight, at('Mon 21:00')).after.replicas).to.equal(3)
    expect(
      asked(aDeployment().withReplicas(3), { action: 'enable', schedule: WORK }, NIGHT).after.replicas,
    ).to.equal(0)
    expect(asked(awake.pinned(), { action: 'unpin' }, NIGHT).after.replicas).to.equal(0)
    expect(asked(asleep.overridden(), { action: 'clearOverride' }, at('Tue 9:00')).after.replicas).to.equal(3)
  })

  it('leave a transition that backoff delays to the end of the backoff', () => {
    const { after, state } = asked(
      asleep.inBackoff(at('Mon 21:30')),
      { action: 'schedule', schedule: '20:00-22:00' },
      at('Mon 21:00'),
    )
    expect(after.replicas).to.equal(0)
    expect(state.intent).to.deep.include({ want: 'awake' })
    expect(stepped(after, at('Mon 21:30')).after.replicas).to.equal(3)
  })
})

describe('refusals come in the order:', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

  it('OWNED before INVALID_STATE', () => {
    const workload = aReplicaSet().annotated({ state: '{' }).with({ owner })
    for (const request of REQUESTS) expect(refusal(workload, request).code).to.equal('OWNED')
  })

  it('INVALID_STATE before NOT_ENABLED', () => {
    expect(refusal(aDeployment().annotated({ state: '{' }), { action: 'wake' }).code).to.equal(
      'INVALID_STATE',
    )
  })

  it('NOT_ENABLED before PINNED, where managing was turned off on it', () => {
    const workload = aDeployment().annotated({ enabled: 'false' }).pinned()
    expect(refusal(workload, { action: 'snooze' }).code).to.equal('NOT_ENABLED')
  })

  it('PINNED before nothing to do, and before IN_BACKOFF', () => {
    expect(refusal(awake.pinned(), { action: 'wake' }).code).to.equal('PINNED')
    expect(refusal(awake.pinned().inBackoff(NIGHT), { action: 'snooze' }).code).to.equal('PINNED')
  })

  it('nothing to do before IN_BACKOFF', () => {
    expect(asked(awake.inBackoff(NIGHT), { action: 'wake' }, NOON).change).to.equal(undefined)
    expect(refusal(awake.inBackoff(NIGHT), { action: 'snooze' }).code).to.equal('IN_BACKOFF')
  })
})

describe('on a workload that is not managed', () => {
  const workload = aDeployment().withReplicas(3).scheduled(WORK)

  it('disable, DELETE pin and DELETE override succeed and change nothing', () => {
    for (const action of ['disable', 'unpin', 'clearOverride'] as const) {
      expect(asked(workload, { action }, NOON).change, action).to.equal(undefined)
    }
  })

  it('all other writes are 409 NOT_ENABLED', () => {
    for (const request of REQUESTS) {
      if (['enable', 'disable', 'unpin', 'clearOverride'].includes(request.action)) continue
      expect(refusal(workload, request).code, request.action).to.equal('NOT_ENABLED')
      expect(refusal(workload.annotated({ enabled: 'maybe' }), request).code).to.equal('NOT_ENABLED')
    }
  })
})

describe('a pinned workload', () => {
  it('refuses snooze and wake with 409 PINNED, which says by whom, since when and what clears it', () => {
    for (const action of ['snooze', 'wake'] as const) {
      const { code, message, details } = refusal(awake.pinned(), { action, for: HOUR, force: true })
      expect(code).to.equal('PINNED')
      expect(details).to.deep.include({ reason_code: 'pinned', remedy: { action: 'unpin', query: {} } })
      expect(message).to.equal('pinned awake by k8s:alice since 2026-03-02T07:00:00Z')
    }
  })

  it('can be disabled, overridden and given a schedule', () => {
    for (const request of REQUESTS) {
      if (request.action === 'snooze' || request.action === 'wake') continue
      expect(() => asked(awake.pinned(), request, NOON), request.action).not.to.throw()
    }
  })

  it('is pinned in the state it is in', () => {
    expect(asked(awake, { action: 'pin' }, NOON).state.pin).to.deep.equal({
      state: 'active',
      replicas: 3,
      at: NOON,
      by: 'k8s:carol',
    })
    expect(asked(asleep, { action: 'pin' }, NIGHT).state.pin).to.deep.include({
      state: 'snoozed',
      replicas: 3,
    })
  })
})

describe('a wake request', () => {
  it('without `for`, in hours of sleep, lasts until the next edge or 12h, whichever is first', () => {
    const woken = asked(asleep, { action: 'wake' }, NIGHT)
    expect(woken.after.replicas).to.equal(3)
    expect(woken.decision).to.deep.include({ action: 'wake' })
    expect(woken.message).to.contain('awake by request of k8s:carol; sleeps 2026-03-03T18:00:00Z')
    const weekend = awake.snoozed({ at: at('Fri 18:00') })
    expect(asked(weekend, { action: 'wake' }, at('Fri 20:00')).message).to.contain(
      '; sleeps 2026-03-07T08:00:00Z',
    )
  })

  it('of an awake workload at 0 brings last_replicas, at least 1', () => {
    const once = asleep.woken({ at: at('Tue 8:00'), trigger: 'schedule' }).scaledByHand(0)
    expect(asked(once, { action: 'wake' }, at('Tue 9:00')).after.replicas).to.equal(3)
    const never = aDeployment().withReplicas(0).enabled().remembering({})
    expect(asked(never, { action: 'wake' }, NOON).after.replicas).to.equal(1)
  })

  it('while awake with `for`: an intent that keeps it awake', () => {
    const { state, after, message } = asked(awake, { action: 'wake', for: 8 * HOUR }, NOON)
    expect(after.replicas).to.equal(3)
    expect(state.intent).to.deep.include({ want: 'awake', until: at('Mon 20:00') })
    expect(state.history).to.deep.equal(awake.state().history)
    expect(stepped(after, at('Mon 18:00')).change).to.equal(undefined)
    expect(message).to.equal(
      'stays awake for 8h, until 2026-03-02T20:00:00Z: awake by request of k8s:carol; sleeps 2026-03-02T20:00:00Z',
    )
  })

  it('with `for` names the time that was asked for, also where its hours keep it awake for longer', () => {
    const said = (workload: typeof awake, when: number, hours = 4) =>
      asked(workload, { action: 'wake', for: hours * HOUR }, when).message
    const FOR_AT_LEAST = 'for at least 4h, until 2026-03-02T16:00:00Z: awake by request of k8s:carol; sleeps 2026-03-02T18:00:00Z' // prettier-ignore
    expect(said(awake, NOON)).to.equal(`stays awake ${FOR_AT_LEAST}`)
    expect(said(asleep, NOON)).to.equal(`woken to 3 replicas ${FOR_AT_LEAST}`)
    expect(said(asleep, at('Mon 21:00'))).to.match(
      /^woken to 3 replicas for 4h, until 2026-03-03T01:00:00Z: /,
    )
    expect(said(unscheduled, NOON)).to.match(/^stays awake for at least 4h, until \S+Z: /)
  })

  const long = { action: 'wake', for: 96 * HOUR } as const
  const held = followed(asked(awake, long, NOON, { by: 'k8s:bob' }).after)

  it('says what it replaces: what another has asked for, or what would have lasted longer', () => {
    const was = /^(?:[^:]|\d:\d)*, was awake until 2026-03-06T1[28]:00:00Z by request of k8s:bob/
    for (const [by, request] of [
      ['k8s:carol', { action: 'wake', for: 120 * HOUR }],
      ['k8s:carol', { action: 'wake', for: 4 * HOUR, shorten: true }],
      ['k8s:bob', { action: 'wake', for: 4 * HOUR, shorten: true }],
      ['k8s:carol', { action: 'snooze' }],
    ] as const)
      expect(asked(held, request, NOON, { by }).message).to.match(was)
    const longer = { action: 'wake', for: 103 * HOUR } as const
    expect(asked(held, longer, NOON, { by: 'k8s:bob' }).message).to.not.include('was awake')
  })

  describe('never ends a wake sooner that somebody asked for, unless it is to:', () => {
    const atNight = followed(asked(asleep, { action: 'wake' }, NIGHT, { by: 'k8s:bob' }).after)
    const forAWeek = asked(unscheduled, { action: 'wake', for: 168 * HOUR }, NOON, { by: 'k8s:bob' }).after
    const wakes = {
      'one with an end': [held, NOON, 4 * HOUR, '2026-03-06T18:00:00Z'],
      'one of hours of sleep, which has a hold': [atNight, at('Mon 21:00'), HOUR, '2026-03-03T18:00:00Z'],
      'one without a schedule to return to': [followed(forAWeek), NOON, HOUR, undefined],
    } as const
    for (const [name, [workload, now, limit, end]] of Object.entries(wakes))
      it(name, () => {
        const request = { action: 'wake', for: limit } as const
        const { change, message } = asked(workload, request, now)
        expect(change).to.equal(undefined)
        expect(message).to.match(/^stays awake( until \S+)? by request of k8s:bob, which is longer/)
        if (end !== undefined) expect(message).to.include(`until ${end} by`)
        const { state } = asked(workload, { ...request, shorten: true }, now)
        expect(state.intent).to.deep.include({ until: now + limit, by: 'k8s:carol' })
      })

    it('a sleeper that waits for its turn wakes for as long as was asked before', () => {
      const at = NOON - HOUR
      const sleeper = awake.snoozed({ at, kept: 3 })
      const want = { want: 'awake', before: 'asleep', at, until: NOON + 96 * HOUR, by: 'k8s:bob', trigger: 'api' } as const // prettier-ignore
      const { after, state, message } = asked(
        sleeper.remembering({ intent: want }),
        { action: 'wake', for: HOUR },
        NOON,
      )
      expect(after.replicas).to.equal(3)
      expect(state.intent).to.deep.include({ by: 'k8s:bob', until: NOON + 96 * HOUR })
      expect(message).to.match(/^woken to 3 replicas, awake until \S+ by request of k8s:bob/)
    })
  })

  it('while awake without `for`: nothing changes, and the message says when it will sleep and how to use `for`', () => {
    const { change, message } = asked(awake, { action: 'wake' }, NOON)
    expect(change).to.equal(undefined)
    expect(message).to.contain('2026-03-02T18:00:00Z').and.contain('a duration, such as 2h')
  })

  it('of a DaemonSet takes the key away', () => {
    const sleeper = aDaemonSet()
      .withReplicas(4)
      .enabled()
      .snoozed({ at: at('Mon 9:00'), trigger: 'api' })
    const { change, state } = asked(sleeper, { action: 'wake' }, NOON)
    expect(change).to.deep.include({ snoozeKey: null, label: null })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'api', replicas: 4, by: 'k8s:carol' })
  })
})

describe('a snooze request', () => {
  it('with `for` while asleep is an intent', () => {
    const { state, after, change } = asked(asleep, { action: 'snooze', for: 24 * HOUR }, NIGHT)
    expect(change).to.have.all.keys('annotations')
    expect(after.replicas).to.equal(0)
    expect(state.intent).to.deep.include({ want: 'asleep', until: at('Tue 20:00'), before: 'asleep' })
    expect(state.history).to.deep.equal(asleep.state().history)
  })

  it('without `for` while asleep changes nothing', () => {
    expect(asked(asleep, { action: 'snooze' }, NIGHT).change).to.equal(undefined)
  })

  it('keeps the count and says so', () => {
    const { message, state, decision } = asked(awake, { action: 'snooze' }, NOON)
    expect(message).to.match(/^snoozed, 3 replicas kept: /)
    expect(decision.action).to.equal('snooze')
    expect(state.snoozed).to.deep.equal({ at: NOON, replicas: 3, trigger: 'api', by: 'k8s:carol' })
  })
})

describe('an override', () => {
  it('again replaces `until`', () => {
    const first = asked(awake, { action: 'override', duration: HOUR }, NOON)
    const second = asked(first.after, { action: 'override' }, NOON + MINUTE)
    expect(second.state.override).to.deep.equal({ until: null, at: NOON + MINUTE, by: 'k8s:carol' })
    const third = asked(second.after, { action: 'override', duration: MINUTE }, NOON + MINUTE)
    expect(third.state.override?.until).to.equal(NOON + 2 * MINUTE)
  })

  it('of a pinned workload says that the pin goes first', () => {
    const { message } = asked(awake.pinned(), { action: 'override', duration: HOUR }, NOON)
    expect(message).to.match(/^overridden until \S+, but the pin goes first: pinned awake/)
    const says = (workload: typeof awake) =>
      asked(workload, { action: 'override', duration: HOUR }, NOON).message
    expect(says(asleep)).to.match(/^stays asleep: overridden by \S+ until/)
    expect(says(awake)).to.match(/^stays awake: overridden by \S+ until/)
  })

  it("cleared after an edge passed: the schedule's present state at once", () => {
    expect(asked(awake.overridden(), { action: 'clearOverride' }, NIGHT).after.replicas).to.equal(0)
  })
})

describe('the message for the person who asked', () => {
  it('tells what was done, the present state and until when', () => {
    expect(asked(awake, { action: 'snooze', for: 2 * HOUR }, NOON).message).to.equal(
      'snoozed for 2h, until 2026-03-02T14:00:00Z, 3 replicas kept: asleep by request of k8s:carol; wakes 2026-03-02T14:00:00Z',
    )
    expect(asked(asleep, { action: 'unpin' }, NIGHT).message).to.equal(
      `not pinned: asleep by schedule ${WORK} (UTC) until 2026-03-03T08:00:00Z`,
    )
  })
})
