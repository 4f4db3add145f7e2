import { expect } from 'chai'
import { autoscalerConflict } from '../../../src/domain/deciding/scaling.ts'
import { read } from '../../support/readable.ts'
import { at } from '../../support/rules.ts'
import { asked, contradiction, decided, followed, stepped } from '../../support/decisions.ts'
import { aScaledObject, PAUSED, rulesWithKeda } from '../../support/scaled-objects.ts'
import { asleep, awake, NIGHT, NOON } from '../fixtures.ts'

const MORNING = at('Tue 8:00')
const EVENING = at('Mon 18:00')
const BY_DAY = 'awake by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-02T18:00:00Z'
const BY_NIGHT = 'asleep by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-03T08:00:00Z'
const fromOne = rulesWithKeda(aScaledObject({ minReplicaCount: 1, annotations: PAUSED }))
const fromZero = rulesWithKeda(aScaledObject({ annotations: PAUSED }))
const unpaused = rulesWithKeda(aScaledObject({ minReplicaCount: 1 }))

describe('a workload that KEDA scales', () => {
  it('wakes to the kept count where its minReplicaCount is 1 or more', () => {
    const { after, state } = stepped(asleep, MORNING, fromOne)
    expect(after.replicas).to.equal(3)
    expect(state.asleep).to.equal(false)
  })

  it('wakes without a count where that is 0: KEDA decides, and 0 is success', () => {
    const { after, state } = stepped(asleep, MORNING, fromZero)
    expect(after.replicas).to.equal(0)
    expect(state.asleep).to.equal(false)
    expect(state.history[0]).to.include({ type: 'wake', replicas: 0, result: 'succeeded' })
    expect(stepped(after, MORNING, fromZero).change).to.equal(undefined)
    expect(decided(after, MORNING, fromZero).reason.text).to.include('KEDA has it at 0 replicas')
  })

  it('wakes to the kept count where one of two ScaledObjects has a minReplicaCount', () => {
    const two = rulesWithKeda(
      aScaledObject({ annotations: PAUSED }),
      aScaledObject({ name: 'other', minReplicaCount: 2, annotations: PAUSED }),
    )
    expect(stepped(asleep, MORNING, two).after.replicas).to.equal(3)
  })

  it('wakes to the kept count where its ScaledObject was deleted, or is being', () => {
    for (const rules of [
      rulesWithKeda(),
      rulesWithKeda(aScaledObject({ annotations: PAUSED, deleting: true })),
    ])
      expect(stepped(asleep, MORNING, rules).after.replicas).to.equal(3)
  })

  it('wakes by a request without a count, too, and the answer says who decides', () => {
    const woken = asked(asleep, { action: 'wake' }, NIGHT, { rules: fromZero })
    expect(woken.after.replicas).to.equal(0)
    expect(woken.message).to.include('woken, and KEDA decides how many replicas it has')
    const again = asked(followed(woken.after), { action: 'wake' }, NIGHT, { rules: fromZero })
    expect(again.change).to.equal(undefined)
    expect(again.message).to.include('already awake')
  })

  it('is put back to sleep with the kept count when a poll comes between the two writes', () => {
    for (const manager of ['keda', 'keda-operator', 'an-operator-of-another-name']) {
      const { decision, after, state } = stepped(asleep.scaledByHand(1, manager), NIGHT, unpaused)
      expect(decision.trigger).to.equal('recovery')
      expect(after.replicas).to.equal(0)
      expect(state.snoozed?.replicas).to.equal(3)
    }
  })

  it('keeps the larger count that a client without a name of a person or of an operator has set', () => {
    const { decision, after, state } = stepped(asleep.scaledByHand(4, 'unknown'), NIGHT, unpaused)
    expect(decision.trigger).to.equal('recovery')
    expect(after.replicas).to.equal(0)
    expect(state.snoozed?.replicas).to.equal(4)
    const byOperator = stepped(asleep.scaledByHand(4, 'keda-operator'), NIGHT, unpaused)
    expect(byOperator.state.snoozed?.replicas).to.equal(3)
  })

  it('is put back to sleep while overridden, too, and not taken for woken', () => {
    const polled = asleep.overridden().scaledByHand(1, 'keda')
    const { decision, after, state } = stepped(polled, NIGHT, unpaused)
    expect(decision).to.include({ action: 'snooze', trigger: 'recovery' })
    expect(after.replicas).to.equal(0)
    expect(state.snoozed?.replicas).to.equal(3)
    const byHand = decided(asleep.overridden().scaledByHand(1), NIGHT, unpaused)
    expect(byHand).to.include({ action: 'adopt', trigger: 'manual' })
  })

  it('is never woken by hand by an operator, whatever its name and account', () => {
    const scaled = asleep
      .scaledByHand(1, 'scaler')
      .with({ scaledBy: 'k8s:system:serviceaccount:autoscaling:scaler' })
    expect(decided(scaled, NIGHT, unpaused).trigger).to.equal('recovery')
  })

  it('is woken by hand by a person: by kubectl, or as the webhook saw', () => {
    expect(decided(asleep.scaledByHand(2), NIGHT, fromOne)).to.include({ action: 'adopt', trigger: 'manual' })
    const plugin = asleep.scaledByHand(2, 'kubectl-scaler')
    expect(decided(plugin, NIGHT, fromOne)).to.include({ action: 'adopt', trigger: 'manual' })
    const seen = asleep.scaledByHand(2, 'lens').with({ scaledBy: 'k8s:alice' })
    expect(decided(seen, NIGHT, fromOne)).to.include({ action: 'adopt', trigger: 'manual' })
  })

  it('is not put to sleep by hand when KEDA scales it to 0 after a manual wake to fewer', () => {
    const woken = followed(stepped(asleep.scaledByHand(1), NIGHT, fromZero).after)
    const zeroed = { ...woken, replicasManager: undefined, replicas: 0 }
    expect(decided(zeroed, NIGHT, fromZero).action).to.equal('none')
    expect(decided(zeroed, NIGHT).action).to.equal('snooze')
  })

  it('that KEDA has at 0 when it goes to sleep keeps the count that a manual wake to fewer left kept', () => {
    const rules = rulesWithKeda(aScaledObject())
    const woken = followed(stepped(asleep.scaledByHand(1), NIGHT, rules).after)
    const zeroed = followed({ ...woken, replicasManager: undefined, replicas: 0 })
    expect(stepped(zeroed, at('Tue 18:00'), rules).state.snoozed?.replicas).to.equal(3)
  })

  it('may be scaled to 0 by KEDA while it is pinned awake', () => {
    const zeroed = awake.pinned().with({ replicasManager: undefined }).withReplicas(0)
    expect(decided(zeroed, NOON, rulesWithKeda(aScaledObject())).action).to.equal('none')
    expect(decided(zeroed, NOON, rulesWithKeda(aScaledObject({ minReplicaCount: 1 }))).action).to.equal(
      'wake',
    )
  })

  it('is no contradiction when KEDA scales it to 0 and up again', () => {
    const zeroed = awake.with({ replicasManager: undefined }).withReplicas(0)
    expect(contradiction(awake, zeroed, NOON, rulesWithKeda(aScaledObject()))).to.equal(undefined)
    expect(contradiction(awake, zeroed, NOON)).to.not.equal(undefined)
  })
})

describe('a workload whose ScaledObject others have paused', () => {
  for (const [annotations, says] of [
    [{ paused: 'true' }, 'held by KEDA: ScaledObject web has autoscaling.keda.sh/paused: "true"'],
    [{ pausedReplicas: '3' }, 'held by KEDA: ScaledObject web has autoscaling.keda.sh/paused-replicas: "3"'],
  ] as const) {
    const held = rulesWithKeda(aScaledObject({ annotations }))

    it(`is not put to sleep by its schedule, with that reason (${JSON.stringify(annotations)})`, () => {
      const { decision, change } = stepped(awake, EVENING, held)
      expect(change).to.equal(undefined)
      const { code, text, values } = decision.reason
      expect([code, text]).to.deep.equal(['held_by_keda', `${says} (then: ${BY_NIGHT})`])
      expect(values).to.deep.equal({ fault: says })
      expect(decided(awake, NOON, held).reason.text).to.equal(`${says}; ${BY_DAY}`)
    })

    it(`is in conflict with its schedule (${JSON.stringify(annotations)})`, () => {
      expect(autoscalerConflict(read(awake, held), held)).to.equal('held_by_keda')
      expect(autoscalerConflict(read(awake, fromZero), fromZero)).to.equal(undefined)
    })

    it(`wakes all the same, to its kept count (${JSON.stringify(annotations)})`, () => {
      expect(stepped(asleep, MORNING, held).after.replicas).to.equal(3)
    })

    it(`counts as awake when it is found running (${JSON.stringify(annotations)})`, () => {
      const { after, state } = stepped(asleep.scaledByHand(3, 'keda'), NIGHT, held)
      expect(after.replicas).to.equal(3)
      expect(state.asleep).to.equal(false)
      expect(stepped(followed(after), NIGHT, held).change).to.equal(undefined)
    })

    it(`counts as awake, and not as woken by hand, while overridden (${JSON.stringify(annotations)})`, () => {
      const { decision, after, state } = stepped(asleep.overridden().scaledByHand(2, 'keda'), NIGHT, held)
      expect(decision).to.include({ action: 'adopt', trigger: 'recovery' })
      expect(after.replicas).to.equal(2)
      expect(state.history[0]).to.include({ type: 'wake', trigger: 'recovery', by: null })
    })

    it(`sleeps by a request (${JSON.stringify(annotations)})`, () => {
      const { after, message } = asked(awake, { action: 'snooze' }, NOON, { rules: held })
      expect(after.replicas).to.equal(0)
      expect(message).to.include(says)
      expect(stepped(followed(after), NOON, held).change).to.equal(undefined)
    })
  }
})
