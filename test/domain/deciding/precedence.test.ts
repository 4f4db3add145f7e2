import { expect } from 'chai'
import { because } from '../../../src/domain/deciding/decision.ts'
import { afterHolds } from '../../../src/domain/deciding/holds.ts'
import { situationOf } from '../../../src/domain/deciding/situation.ts'
import { holdsOver, OPERATION_TYPES, triggersOf } from '../../../src/domain/workload/trigger.ts'
import { asked, decided, followed, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { asleep, awake, WORK } from '../fixtures.ts'

const SLEEP_EDGE = at('Mon 18:00')
const WAKE_EDGE = at('Tue 8:00')

describe('rule 1, not managed', () => {
  it('does nothing', () => {
    for (const enabled of [undefined, 'false']) {
      const { change, decision } = stepped(
        aDeployment().scheduled(WORK).annotated({ enabled }),
        at('Mon 20:00'),
      )
      expect(change).to.equal(undefined)
      expect(decision.reason.code).to.equal('not_managed')
    }
  })

  it('wakes a sleeper whose `enabled` is turned off by hand, as disable does, even if it is pinned, overridden or in backoff', () => {
    const resting = asleep.inBackoff(at('Tue 0:00'))
    for (const held of [asleep, asleep.pinned(), asleep.overridden(), resting]) {
      // A hold outlives an `enabled` that is gone: who could remove it from a Namespace, or a label, may not scale.
      for (const enabled of held === asleep || held === resting ? [undefined, 'false'] : ['false']) {
        const { after, state } = stepped(held.annotated({ enabled }), at('Mon 20:00'))
        expect(after).to.deep.include({ replicas: 3, labels: {} })
        expect(state).not.to.have.any.keys('pin', 'override', 'intent', 'backoff')
        expect(state.history[0]).to.include({ type: 'wake', trigger: 'disable' })
      }
    }
  })

  it('leaves the count that others gave it meanwhile', () => {
    const scaled = asleep.annotated({ enabled: undefined }).editedTo(7)
    expect(stepped(scaled, at('Mon 20:00')).after.replicas).to.equal(7)
    expect(asked(scaled, { action: 'disable' }, at('Mon 20:00')).after.replicas).to.equal(7)
  })

  it('removes pin, override, intent and backoff', () => {
    const { state } = stepped(awake.pinned().overridden().annotated({ enabled: 'false' }), at('Mon 12:00'))
    expect(state).not.to.have.any.keys('pin', 'override', 'intent')
    expect(state.history).to.deep.equal(awake.state().history)
  })

  it('does nothing where `enabled` is neither true nor false', () => {
    for (const workload of [asleep, awake]) {
      const { change, decision } = stepped(workload.annotated({ enabled: 'maybe' }), at('Tue 20:00'))
      expect(change).to.equal(undefined)
      expect(decision.reason.code).to.equal('enabled_unclear')
    }
  })
})

describe('rule 2, a pin', () => {
  it('outlasts edges, and is stronger than an override and its end', () => {
    expect(stepped(awake.pinned(), SLEEP_EDGE)).to.deep.include({ change: undefined })
    expect(stepped(asleep.pinned(), WAKE_EDGE)).to.deep.include({ change: undefined })
    const both = awake.pinned().overridden(at('Mon 19:00'))
    expect(decided(both, SLEEP_EDGE).reason.code).to.equal('pinned')
    const { decision, state } = stepped(both, at('Mon 19:00'))
    expect(decision).to.deep.include({ action: 'none', overrideExpired: true })
    expect(state.override).to.equal(undefined)
  })

  it('puts a pinned-snoozed workload that was found running back to sleep, with its former kept count', () => {
    for (const moved of [asleep.pinned().scaledByHand(7), asleep.pinned().editedTo(7)]) {
      const { after, state } = stepped(moved, at('Mon 20:00'))
      expect(after).to.deep.include({
        replicas: 0,
        labels: { 'dormouse.dev/asleep': '3', 'dormouse.dev/held': 'pin' },
      })
      expect(state.history[0]).to.include({ type: 'snooze', trigger: 'pin', by: null })
    }
  })

  it('brings a pinned-active workload that was found at 0 back to its count', () => {
    const { after, state } = stepped(awake.pinned().scaledByHand(0), at('Mon 20:00'))
    expect(after.replicas).to.equal(3)
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'pin', by: null, replicas: 3 })
  })

  it('brings one back to its count that somebody scaled, edited or applied to another', () => {
    for (const count of [1, 2, 9]) {
      const pinned = awake.pinned()
      for (const moved of [
        pinned.scaledByHand(count),
        pinned.scaledByHand(count, 'kubectl-scale'),
        pinned.with({ scaledBy: 'review:jane' }).scaledByHand(count, 'k9s'),
        pinned.editedTo(count),
        pinned.editedTo(count, 'argocd-controller'),
      ]) {
        const { after, state, decision } = stepped(moved, at('Mon 20:00'))
        expect([after.replicas, state.asleep], `from ${count}`).to.deep.equal([3, false])
        expect(decision.reason.code).to.equal('pin_enforced')
        expect(state.history[0]).to.include({ type: 'wake', trigger: 'pin', by: null, replicas: 3 })
        expect(stepped(after, at('Mon 20:01')).decision.action).to.equal('none')
      }
    }
  })

  it('leaves the counts above 0 of autoscalers, exempt accounts and nobody who is known', () => {
    const exempting = { ...RULES, exemptUsers: ['k8s:system:serviceaccount:scalers:queue'] }
    const pinned = awake.pinned()
    for (const [moved, rules] of [
      [pinned.scaledByHand(9, 'kube-controller-manager'), RULES],
      [pinned.scaledByHand(9, 'keda-operator'), RULES],
      // An HPA of k3s and one of MicroK8s: one program holds all controllers.
      [pinned.scaledByHand(9, 'k3s'), RULES],
      [pinned.scaledByHand(9, 'kubelite'), RULES],
      [pinned.withReplicas(9), RULES],
      [pinned.scaledByHand(9, 'queue-scaler'), exempting],
    ] as const)
      expect(stepped(moved, at('Mon 20:00'), rules).change).to.equal(undefined)
    expect(stepped(pinned.scaledByHand(9, 'kubectl'), at('Mon 20:00'), exempting).after.replicas).to.equal(3)
  })

  it('leaves a workload at 0 that was pinned at 0', () => {
    expect(stepped(awake.withReplicas(0).pinned(), at('Mon 20:00')).change).to.equal(undefined)
  })

  it('keeps the key of a DaemonSet set or unset', () => {
    const agent = aDaemonSet().withReplicas(2).enabled().scheduled(WORK)
    const sleeper = agent.snoozed({ at: SLEEP_EDGE })
    expect(stepped(sleeper.pinned().withoutItsKey(), at('Mon 20:00')).change).to.include({
      snoozeKey: 'true',
    })
    const keyed = agent.pinned().with({ snoozeKey: 'true', hasNodeSelector: true })
    expect(stepped(keyed, at('Mon 12:00')).change).to.include({ snoozeKey: null })
  })

  it("gives way at once to the schedule's present state, if it is cleared after an edge", () => {
    const { after, state } = asked(awake.pinned(), { action: 'unpin' }, at('Mon 20:00'))
    expect(after.replicas).to.equal(0)
    expect(state.history[0]).to.include({ type: 'snooze', trigger: 'schedule', by: null })
  })

  it('gives way to the request in force, if it is cleared before the next edge', () => {
    const requested = awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' })
    expect(asked(requested.pinned(), { action: 'unpin' }, at('Mon 13:00')).after.replicas).to.equal(0)
  })
})

describe('rule 3, an override', () => {
  it('stops everything automatic while it is in effect', () => {
    expect(stepped(awake.overridden(), SLEEP_EDGE).change).to.equal(undefined)
    expect(stepped(asleep.overridden(), WAKE_EDGE).change).to.equal(undefined)
    expect(decided(asleep.overridden(at('Tue 9:00')), WAKE_EDGE).lookAgainAt).to.equal(at('Tue 9:00'))
  })

  it('does not stop requests, which are explicit', () => {
    expect(asked(awake.overridden(), { action: 'snooze' }, at('Mon 12:00')).after.replicas).to.equal(0)
    expect(asked(asleep.overridden(), { action: 'wake' }, at('Mon 20:00')).after.replicas).to.equal(3)
  })

  it('adopts what people did meanwhile, repairs nothing, and forms no intent', () => {
    for (const moved of [asleep.overridden().editedTo(5), asleep.overridden().scaledByHand(5)]) {
      const { after, state } = stepped(moved, at('Mon 20:00'))
      expect(after).to.deep.include({ replicas: 5, labels: { 'dormouse.dev/held': 'override' } })
      expect(state.asleep).to.equal(false)
      expect(state.intent).to.deep.equal(asleep.state().intent)
      const by = `manager:${moved.replicasManager?.manager}`
      expect(state.history[0]).to.include({ type: 'wake', trigger: 'manual', by, replicas: 5 })
    }
    expect(stepped(awake.overridden().scaledByHand(0), at('Mon 20:00')).change).to.equal(undefined)
  })

  it('adopts a DaemonSet that somebody woke meanwhile', () => {
    const sleeper = aDaemonSet().withReplicas(2).enabled().snoozed({ at: SLEEP_EDGE }).overridden()
    const { after, state } = stepped(sleeper.withoutItsKey(), at('Mon 20:00'))
    expect(after.labels).to.deep.equal({ 'dormouse.dev/held': 'override' })
    expect(state.asleep).to.equal(false)
  })

  it('wakes a sleeper at its end, if that is in hours of waking', () => {
    const held = asleep.overridden(at('Tue 10:00'))
    expect(decided(held, at('Tue 9:59')).action).to.equal('none')
    const { decision, state } = stepped(held, at('Tue 10:00'))
    expect(decision).to.deep.include({
      action: 'wake',
      trigger: 'schedule',
      overrideExpired: true,
      dueAt: at('Tue 10:00'),
    })
    expect(state.override).to.equal(undefined)
  })

  it('is stronger than backoff', () => {
    expect(decided(asleep.overridden().inBackoff(at('Tue 9:00')), WAKE_EDGE).reason.code).to.equal(
      'overridden',
    )
  })
})

describe('rule 4, backoff', () => {
  const waiting = asleep.inBackoff(at('Tue 9:00'))

  it('delays automatic transitions until its end, and nothing is written before', () => {
    expect(stepped(awake.inBackoff(at('Mon 19:00')), SLEEP_EDGE).change).to.equal(undefined)
    expect(decided(waiting, WAKE_EDGE)).to.deep.include({ action: 'none', lookAgainAt: at('Tue 9:00') })
    expect(decided(waiting, at('Tue 9:00'))).to.deep.include({ action: 'wake', dueAt: at('Tue 9:00') })
  })

  it('delays repairs until its end', () => {
    expect(decided(waiting.pinned().editedTo(5), at('Tue 8:30')).action).to.equal('none')
    expect(stepped(waiting.pinned().editedTo(5), at('Tue 8:30')).change).to.equal(undefined)
  })

  it('is cut where it ends later than any rule sets, so that a wrong clock stops nothing for good', () => {
    const { state, change } = stepped(waiting, at('Mon 20:00'))
    expect(state.backoff?.until).to.equal(at('Mon 21:00'))
    expect(Object.keys(change?.annotations ?? {})).to.deep.equal(['state'])
    expect(stepped(stepped(waiting, at('Mon 20:00')).after, at('Mon 20:00')).change).to.equal(undefined)
  })

  it('does not stop a manual wake, not even in hours of waking', () => {
    for (const when of [at('Mon 20:00'), at('Tue 8:30')]) {
      const { after, state } = stepped(waiting.scaledByHand(4), when)
      expect(after).to.deep.include({ replicas: 4, labels: {} })
      expect(state.history[0]).to.include({ trigger: 'manual', by: 'manager:kubectl' })
    }
  })

  it('lets a sleeper that was found running, and is pinned then, keep the count it was found with', () => {
    const pinned = asked(waiting.editedTo(5), { action: 'pin' }, at('Mon 20:00')).after
    expect(stepped(pinned, at('Tue 9:00')).after).to.deep.include({
      replicas: 0,
      labels: { 'dormouse.dev/asleep': '5', 'dormouse.dev/held': 'pin' },
    })
  })
})

describe('a `for` that still runs', () => {
  it('holds back what would undo it, by the triggers that yield to it alone', () => {
    for (const [want, workload] of [
      ['asleep', asked(awake, { action: 'snooze', for: 2 * HOUR }, at('Mon 12:00')).after],
      ['awake', asked(asleep, { action: 'wake', for: 2 * HOUR }, at('Mon 12:00')).after],
    ] as const)
      for (const action of OPERATION_TYPES)
        for (const trigger of triggersOf(action)) {
          const wished = { action, trigger, reason: because('recovery', () => 'a wish') }
          const situation = (when: number) => situationOf(read(workload), when, RULES)
          const isAgainst = action === (want === 'asleep' ? 'wake' : 'snooze')
          const { reason } = afterHolds(situation(at('Mon 13:59')), wished)
          const says = `${want}, ${trigger} ${action}`
          if (isAgainst && holdsOver(trigger, action).includes('for'))
            expect(reason.code, says).to.equal('until')
          else expect(reason, says).to.equal(wished.reason)
          expect(afterHolds(situation(at('Mon 14:00')), wished), says).to.equal(wished)
        }
  })
})

describe('a sleeper found running, neither pinned nor overridden', () => {
  it('is a manual wake if f:replicas belongs to an entry of the scale subresource', () => {
    const { decision, after, state } = stepped(asleep.scaledByHand(4), at('Mon 20:00'))
    expect(decision.action).to.equal('adopt')
    expect(after).to.deep.include({ replicas: 4, labels: {} })
    expect(state.woken?.at).to.equal(at('Mon 20:00'))
    expect(state.history).to.have.length(asleep.state().history.length + 1)
    expect(state.history[0]).to.include({
      type: 'wake',
      trigger: 'manual',
      by: 'manager:kubectl',
      replicas: 4,
    })
  })

  it('otherwise sleeps again, by recovery, and its present count is kept', () => {
    const { after, state } = stepped(asleep.editedTo(5), at('Mon 20:00'))
    expect(after).to.deep.include({ replicas: 0, labels: { 'dormouse.dev/asleep': '5' } })
    expect(state.snoozed).to.deep.include({ replicas: 5, trigger: 'recovery', by: null })
    expect(state.history[0]).to.include({ type: 'snooze', trigger: 'recovery', by: null, replicas: 0 })
    expect(state.intent).to.deep.equal(asleep.state().intent)
  })

  it('sleeps again without a schedule too', () => {
    const byHand = aDeployment()
      .withReplicas(2)
      .enabled()
      .snoozed({ at: at('Mon 9:00'), trigger: 'api' })
    expect(stepped(byHand.editedTo(5), at('Mon 20:00')).after.labels).to.deep.equal({
      'dormouse.dev/asleep': '5',
    })
  })

  it('sleeps again, if it is a DaemonSet whose key is gone', () => {
    const sleeper = aDaemonSet().withReplicas(2).enabled().scheduled(WORK).snoozed({ at: SLEEP_EDGE })
    expect(stepped(sleeper.withoutItsKey(), at('Mon 20:00')).change).to.include({ snoozeKey: 'true' })
  })

  it('keeps the count it was found with, if it is to wake anyway', () => {
    const { after, state } = stepped(asleep.editedTo(5), WAKE_EDGE)
    expect(after).to.deep.include({ replicas: 5, labels: {} })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'schedule' })
  })

  it('is to requests what the controller would make of it', () => {
    const woken = asked(asleep.scaledByHand(4), { action: 'wake' }, at('Mon 20:00'))
    expect(woken.message).to.match(/^already awake/)
    expect(woken.after.replicas).to.equal(4)
    const again = asked(asleep.editedTo(5), { action: 'snooze' }, at('Mon 20:00'))
    expect(again.after).to.deep.include({ replicas: 0, labels: { 'dormouse.dev/asleep': '5' } })
  })
})

describe('an awake workload that a person scales to 0', () => {
  const empty = awake.scaledByHand(0)

  it('stays at 0: the schedule does not wake what it did not put to sleep', () => {
    for (const when of ['Mon 12:00', 'Mon 17:59']) expect(stepped(empty, at(when)).change).to.equal(undefined)
    const overnight = stepped(empty, SLEEP_EDGE).after
    expect(stepped(followed(overnight), WAKE_EDGE).after.replicas).to.equal(0)
  })
})

describe('a manual wake', () => {
  it('is evaluated again at the next edge or the end of its hold, whichever is first', () => {
    expect(stepped(asleep.scaledByHand(4), at('Mon 20:00')).decision.lookAgainAt).to.equal(
      at('Mon 20:00') + 10 * HOUR + 2 * HOUR,
    )
    expect(stepped(asleep.scaledByHand(4), at('Tue 7:00')).decision.lookAgainAt).to.equal(WAKE_EDGE)
  })

  it('lasts, although its schedule could not be read when it happened', () => {
    const broken = asleep.scheduled('whenever').scaledByHand(4)
    const woken = stepped(broken, at('Mon 20:00')).after
    const repaired = { ...followed(woken), annotations: { ...woken.annotations, schedule: WORK } }
    expect(stepped(repaired, at('Mon 20:00') + MINUTE).change).to.equal(undefined)
  })
})
