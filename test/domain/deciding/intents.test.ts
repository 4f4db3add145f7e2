import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import type { Intent } from '../../../src/domain/workload/state.ts'
import { asked, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, unscheduled, WORK } from '../fixtures.ts'

describe('an intent is formed by', () => {
  it('an edge, together with its transition, and is dated at the edge, not at the write', () => {
    const { state } = stepped(awake, at('Mon 18:07'))
    expect(state.intent).to.deep.equal({
      want: 'asleep',
      at: at('Mon 18:00'),
      before: 'awake',
      by: null,
      trigger: 'schedule',
    } satisfies Intent)
  })

  it('no edge without a transition', () => {
    const held = asleep.woken({ at: at('Tue 6:00') })
    expect(stepped(held, at('Tue 8:00')).change).to.equal(undefined)
  })

  it('a request', () => {
    const { state } = asked(awake, { action: 'snooze', for: 2 * HOUR }, at('Mon 12:00'))
    expect(state.intent).to.deep.equal({
      want: 'asleep',
      at: at('Mon 12:00'),
      until: at('Mon 14:00'),
      before: 'awake',
      by: 'k8s:carol',
      trigger: 'api',
    } satisfies Intent)
  })

  it('a manual wake, in the name of the field manager', () => {
    const { state } = stepped(asleep.scaledByHand(4), at('Mon 20:00'))
    expect(state.intent).to.deep.equal({
      want: 'awake',
      at: at('Mon 20:00'),
      hold: at('Tue 8:00'),
      before: 'asleep',
      by: 'manager:kubectl',
      trigger: 'manual',
    } satisfies Intent)
  })

  it('enabling what was not enabled', () => {
    const { state } = asked(aDeployment().scheduled(WORK), { action: 'enable' }, at('Mon 12:00'))
    expect(state.intent).to.deep.include({
      want: 'awake',
      at: at('Mon 12:00'),
      trigger: 'schedule',
    })
  })

  const otherwise = '20:00-22:00'
  it('a change of schedule or zone by the API, in the same patch', () => {
    const byHand = awake.woken({ at: at('Mon 11:00'), by: 'k8s:alice' })
    for (const change of [{ schedule: otherwise }, { timezone: 'Asia/Tokyo' }]) {
      const { state } = asked(byHand, { action: 'schedule', ...change }, at('Mon 12:00'))
      expect(state.asleep).to.equal(true)
      expect(state.intent).to.include({ want: 'asleep', at: at('Mon 12:00'), trigger: 'schedule' })
    }
  })
})

describe('a schedule that changed without an intent', () => {
  const otherwise = '20:00-22:00'
  const changes: [string, typeof awake, ReturnType<typeof rulesWith>][] = [
    ['the schedule', awake.scheduled(otherwise), rulesWith()],
    ['the zone', awake.scheduled(WORK, 'Asia/Tokyo'), rulesWith()],
    ["the service's default zone", awake, rulesWith({ timezone: 'Asia/Tokyo' })],
  ]
  for (const [what, workload, rules] of changes) {
    it(`(${what}) is followed at once`, () => {
      expect(stepped(workload, at('Mon 12:00'), rules).state.asleep).to.equal(true)
    })
  }

  it('costs no write until the next transition', () => {
    for (const workload of [awake, awake.pinned(), awake.overridden()])
      expect(stepped(workload.scheduled('9:00-19:00'), at('Mon 12:00')).change).to.equal(undefined)
  })

  it('leaves what a person asked for until the next edge of the new schedule', () => {
    const byHand = awake.woken({ at: at('Mon 11:00'), by: 'k8s:alice' }).scheduled(otherwise)
    expect(stepped(byHand, at('Mon 12:00')).change).to.equal(undefined)
    expect(stepped(byHand, at('Mon 21:00')).change).to.equal(undefined)
    expect(stepped(byHand, at('Mon 22:00')).state.asleep).to.equal(true)
  })
})

describe("an intent's `at`", () => {
  it('never decreases: a replica whose clock lags dates no intent before the current one', () => {
    const ahead = awake.woken({ at: at('Mon 12:04'), by: 'k8s:alice' })
    const { state } = asked(ahead, { action: 'snooze' }, at('Mon 12:00'))
    expect(state.intent?.at).to.equal(at('Mon 12:04') + 1)
    expect(state.asleep).to.equal(true)
  })
})

describe('the author of a manual wake', () => {
  const NIGHT = at('Mon 20:00')

  it('is the client that scaled, with the prefix manager: no client can look like a user', () => {
    const { state } = stepped(asleep.scaledByHand(4, 'k8s:cfo@example.com'), NIGHT)
    expect(state.intent?.by).to.equal('manager:k8s:cfo@example.com')
  })

  it('is the user where the webhook reviewed the scaling', () => {
    const { state, decision } = stepped(asleep.scaledByHand(4).with({ scaledBy: 'k8s:alice' }), NIGHT)
    expect(state.intent?.by).to.equal('k8s:alice')
    expect(state.history[0]).to.include({ by: 'k8s:alice', trigger: 'manual' })
    expect(decision.reason.text).to.equal('scaled to 4 replicas by k8s:alice')
  })

  it('has no invisible characters and at most 128', () => {
    const { state } = stepped(asleep.scaledByHand(4, `\u0000\u202e${'m'.repeat(500)}`), NIGHT)
    expect(state.intent?.by).to.equal(`manager:${'m'.repeat(120)}`)
  })
})

describe('an intent is not formed by', () => {
  const NOW = at('Mon 20:00')
  const requested = asleep.woken({ at: at('Mon 19:00'), by: 'k8s:alice', hold: 12 * HOUR })
  const intent = requested.state().intent
  const silent: [string, Request, typeof requested][] = [
    ['pin', { action: 'pin' }, requested],
    ['unpin', { action: 'unpin' }, requested.pinned()],
    ['override set', { action: 'override' }, requested],
    ['override cleared', { action: 'clearOverride' }, requested.overridden()],
    [
      'an equal schedule sent again',
      { action: 'schedule', schedule: '08:00 - 18:00, monday-friday' },
      requested,
    ],
    ['enabling again', { action: 'enable', schedule: WORK }, requested],
    ['a wake request while awake', { action: 'wake' }, requested],
  ]
  for (const [what, request, workload] of silent) {
    it(what, () => {
      expect(asked(workload, request, NOW).state.intent).to.deep.equal(intent)
    })
  }

  it('an override that expired', () => {
    const { state } = stepped(requested.overridden(at('Mon 19:30')), NOW)
    expect(state.override).to.equal(undefined)
    expect(state.intent).to.deep.equal(intent)
  })

  it('an autoscaler or a rollout of an awake workload', () => {
    const scaled = awake.scaledByHand(9, 'kube-controller-manager').unsettled()
    expect(stepped(scaled, at('Mon 12:00')).change).to.equal(undefined)
  })

  it('an autoscaler that scales a sleeper: it sleeps again, with the kept count', () => {
    const { state, after } = stepped(asleep.scaledByHand(4, 'kube-controller-manager'), NOW)
    expect(state.history[0]).to.include({ type: 'snooze', trigger: 'recovery' })
    expect([state.asleep, state.snoozed?.replicas, after.replicas]).to.deep.equal([true, 3, 0])
    expect(state.intent).to.deep.equal(asleep.state().intent)
  })
})

describe('`before`', () => {
  it('is the state when the intent was formed', () => {
    expect(asked(asleep, { action: 'wake', for: HOUR }, at('Mon 20:00')).state.intent?.before).to.equal(
      'asleep',
    )
  })

  it('is inherited from a replaced intent whose `until` still ran', () => {
    const first = asked(unscheduled, { action: 'snooze', for: 2 * HOUR }, at('Mon 12:00')).after
    const second = asked(followed(first), { action: 'snooze', for: 2 * HOUR }, at('Mon 13:00'))
    expect(second.state.intent?.before).to.equal('awake')
    const third = asked(followed(first), { action: 'snooze', for: 2 * HOUR }, at('Mon 14:00'))
    expect(third.state.intent?.before).to.equal('asleep')
  })

  it('is inherited by a manual wake too', () => {
    const limited = unscheduled.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:a', for: 2 * HOUR })
    expect(stepped(limited.scaledByHand(3), at('Mon 13:00')).state.intent?.before).to.equal('awake')
  })
})
