import { expect } from 'chai'
import type { Request } from '../../src/domain/request.ts'
import type { Intent } from '../../src/domain/state.ts'
import { asked, followed, stepped } from '../support/decisions.ts'
import { at, HOUR, rulesWith } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'

const WORK = '8:00-18:00,Mon-Fri'
const KEY = `${WORK} UTC`
const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled(WORK)
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const asleep = awake.snoozed({ at: at('Mon 18:00') })
const unscheduled = aDeployment().withReplicas(3).enabled().remembering({})

describe('the intent is spoken by', () => {
  it('an edge: its own instant, not the moment it was acted on, together with its transition', () => {
    const { state } = stepped(awake, at('Mon 18:07'))
    expect(state.intent).to.deep.equal({
      want: 'asleep',
      at: at('Mon 18:00'),
      before: 'awake',
      by: null,
      trigger: 'schedule',
      schedule: KEY,
    } satisfies Intent)
  })

  it('no edge without its transition', () => {
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
      schedule: KEY,
    } satisfies Intent)
  })

  it('a manual wake, in the name of the field manager', () => {
    const { state } = stepped(asleep.scaledByHand(4), at('Mon 20:00'))
    expect(state.intent).to.deep.equal({
      want: 'awake',
      at: at('Mon 20:00'),
      hold: at('Tue 8:00'),
      before: 'asleep',
      by: 'kubectl',
      trigger: 'manual',
      schedule: KEY,
    } satisfies Intent)
  })

  it('enabling what was not enabled', () => {
    const { state } = asked(aDeployment().scheduled(WORK), { action: 'enable' }, at('Mon 12:00'))
    expect(state.intent).to.deep.include({
      want: 'awake',
      at: at('Mon 12:00'),
      trigger: 'schedule',
      schedule: KEY,
    })
  })

  const otherwise = '20:00-22:00'
  const changes: [string, typeof awake, ReturnType<typeof rulesWith>, string][] = [
    ['schedule by kubectl', awake.scheduled(otherwise), rulesWith(), `${otherwise} UTC`],
    ['zone by kubectl', awake.scheduled(WORK, 'Asia/Tokyo'), rulesWith(), `${WORK} Asia/Tokyo`],
    ["the service's default zone", awake, rulesWith({ timezone: 'Asia/Tokyo' }), `${WORK} Asia/Tokyo`],
  ]
  for (const [what, workload, rules, schedule] of changes) {
    it(`a change of ${what}, when it is seen`, () => {
      const { state, decision } = stepped(workload, at('Mon 12:00'), rules)
      expect(decision.action).to.equal('snooze')
      expect(state.intent).to.deep.include({
        want: 'asleep',
        at: at('Mon 12:00'),
        trigger: 'schedule',
        schedule,
      })
    })
  }

  it('a change of schedule, even where nothing moves, or a pin or an override holds it', () => {
    for (const workload of [awake, awake.pinned(), awake.overridden()]) {
      const { state, decision } = stepped(workload.scheduled('9:00-19:00'), at('Mon 12:00'))
      expect(decision.action).to.equal('hold')
      expect(state.intent).to.deep.include({ at: at('Mon 12:00'), schedule: '9:00-19:00 UTC' })
    }
  })
})

describe('a change of schedule seen together with what people did to an overridden sleeper', () => {
  it('is written in the same patch', () => {
    const both = asleep.scheduled('9:00-17:00').overridden().editedTo(4)
    const { state, after } = stepped(both, at('Mon 20:00'))
    expect(state).to.deep.include({ asleep: false })
    expect(state.intent).to.deep.include({ at: at('Mon 20:00'), schedule: '9:00-17:00 UTC' })
    expect(stepped(after, at('Mon 20:00')).change).to.equal(undefined)
  })
})

describe('the intent is not spoken by', () => {
  const NOW = at('Mon 20:00')
  const requested = asleep.woken({ at: at('Mon 19:00'), by: 'k8s:alice', hold: 12 * HOUR })
  const intent = requested.state().intent
  const silent: [string, Request, typeof requested][] = [
    ['pin', { action: 'pin' }, requested],
    ['unpin', { action: 'unpin' }, requested.pinned()],
    ['override set', { action: 'override', duration: null }, requested],
    ['override cleared', { action: 'clear-override' }, requested.overridden()],
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

  it('a repair', () => {
    const { state } = stepped(asleep.editedTo(5), NOW)
    expect(state.history[0]).to.include({ trigger: 'recovery' })
    expect(state.intent).to.deep.equal(asleep.state().intent)
  })

  it('backoff', () => {
    const waiting = awake.inBackoff(at('Mon 19:00'))
    expect(stepped(waiting, at('Mon 18:00')).change).to.equal(undefined)
  })

  it('an autoscaler or a rollout of what is awake', () => {
    const scaled = awake.scaledByHand(9, 'kube-controller-manager').unsettled()
    expect(stepped(scaled, at('Mon 12:00')).change).to.equal(undefined)
  })

  it('an autoscaler that scales a sleeper: it sleeps again with that count', () => {
    const { state, after } = stepped(asleep.scaledByHand(4, 'kube-controller-manager'), NOW)
    expect(state.history[0]).to.include({ type: 'snooze', trigger: 'recovery' })
    expect([state.asleep, state.snoozed?.replicas, after.replicas]).to.deep.equal([true, 4, 0])
    expect(state.intent).to.deep.equal(asleep.state().intent)
  })

  it('what people do to an overridden sleeper: the marks follow', () => {
    const { state, after } = stepped(asleep.overridden().scaledByHand(4), NOW)
    expect(state).to.deep.include({ asleep: false })
    expect(after).to.deep.include({ labels: {}, replicas: 4 })
    expect(state.intent).to.deep.equal(asleep.state().intent)
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'manual', by: 'kubectl', replicas: 4 })
  })
})

describe('`before`', () => {
  it('is the state when the intent was spoken', () => {
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
