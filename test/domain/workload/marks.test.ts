import { expect } from 'chai'
import { changed } from '../../../src/domain/workload/change.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { asked, decided, stateOf, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, aStatefulSet } from '../../support/workloads.ts'
import { asleep, NIGHT, WORK } from '../fixtures.ts'

describe('the marks of sleep', () => {
  for (const workload of [aDeployment(), aStatefulSet(), aReplicaSet()]) {
    it(`of ${workload.kind} are the label with the kept count and spec.replicas 0, all in one patch`, () => {
      const { change, decision } = stepped(
        workload.withReplicas(3).enabled().scheduled(WORK),
        at('Mon 18:00'),
      )
      expect(decision.action).to.equal('snooze')
      expect(change).to.deep.include({ label: '3', replicas: 0 })
      expect(change?.annotations).to.have.keys('state', 'history')
    })
  }

  it('of a DaemonSet are the key and the label with the number desired before', () => {
    const { change } = stepped(aDaemonSet().withReplicas(5).enabled().scheduled(WORK), at('Mon 18:00'))
    expect(change).to.deep.include({ label: '5', snoozeKey: 'true' }).and.not.to.have.property('replicas')
  })

  it('are gone after a wake, and the count or the selector is back', () => {
    const deployment = stepped(asleep, at('Tue 8:00'))
    expect(deployment.change).to.deep.include({ label: null, replicas: 3 })
    const daemonSet = aDaemonSet()
      .withReplicas(5)
      .enabled()
      .scheduled(WORK)
      .snoozed({ at: at('Mon 18:00') })
    const woken = stepped(daemonSet, at('Tue 8:00'))
    expect(woken.change).to.deep.include({ label: null, snoozeKey: null })
    expect(woken.state.history[0]).to.include({ type: 'wake', replicas: 5 })
  })

  it('of a DaemonSet keep the number from before, not the 0 that its controller counts meanwhile', () => {
    const daemonSet = aDaemonSet()
      .withReplicas(5)
      .enabled()
      .scheduled(WORK)
      .snoozed({ at: at('Mon 18:00') })
    const counted = daemonSet.with({ replicas: 0 })
    const woken = stepped(counted, at('Tue 8:00')).after
    const again = asked(woken, { action: 'snooze' }, at('Tue 8:00:01'))
    expect(again.state.snoozed?.replicas).to.equal(5)
    expect(again.after.labels).to.deep.equal({ [ASLEEP_LABEL]: '5' })
  })

  it('of a DaemonSet are its key, never its counts', () => {
    const empty = aDaemonSet().withReplicas(0).enabled().scheduled(WORK)
    expect(stepped(empty, at('Mon 12:00')).change).to.equal(undefined)
    const keyed = aDaemonSet().withReplicas(5).enabled().with({ snoozeKey: 'true' }).remembering({})
    expect(read(keyed).state.asleep).to.equal(true)
  })
})

describe('marks and state that disagree', () => {
  it("the label says asleep and an old state says awake (rollout undo): it sleeps, with the label's count", () => {
    const undone = asleep.remembering({
      asleep: false,
      snoozed: { at: 0, replicas: 9, trigger: 'api', by: null },
    })
    const { state } = read(undone)
    expect(state.asleep).to.equal(true)
    expect(state.snoozed?.replicas).to.equal(3)
    expect(stepped(undone, at('Tue 8:00')).change).to.deep.include({ replicas: 3 })
  })

  it('the label has another count than the state: the label is right, since it survives more, and the state follows', () => {
    const { state, after } = stepped(asleep.labelled({ [ASLEEP_LABEL]: '4' }), NIGHT)
    expect(state.snoozed?.replicas).to.equal(4)
    expect(after.labels).to.deep.equal({ [ASLEEP_LABEL]: '4' })
  })

  for (const label of ['many', '', '-1', '99999999999', '2147483648']) {
    it(`the label is no count ("${label}"): the state's count is written back`, () => {
      const { after, change } = stepped(asleep.labelled({ [ASLEEP_LABEL]: label }), NIGHT)
      expect(change).to.have.property('label', '3')
      expect(stateOf(after).snoozed?.replicas).to.equal(3)
    })
  }

  it('the label was taken off a sleeper: it is put back', () => {
    expect(stepped(asleep.labelled({ app: 'web' }), NIGHT).after.labels).to.deep.equal({
      app: 'web',
      [ASLEEP_LABEL]: '3',
    })
  })

  it('an old state says asleep of a running workload without marks (rollout undo): it is awake, and stays so', () => {
    const undone = asleep.annotated({ schedule: undefined }).labelled(undefined).withReplicas(5)
    const { decision, after, state } = stepped(undone, NIGHT)
    expect(decision.action).to.equal('none')
    expect(after.replicas).to.equal(5)
    expect(state.asleep).to.equal(false)
  })

  it('its operator dropped the label of a StatefulSet with the count, and nobody saw it: it sleeps again, as asked', () => {
    const owner = { apiVersion: 'rabbitmq.com/v1beta1', kind: 'RabbitmqCluster', name: 'db' }
    const request = { at: at('Mon 12:00'), trigger: 'api', by: 'k8s:ann' } as const
    const set = aStatefulSet().with({ owner }).withReplicas(3).enabled().snoozed(request)
    const { decision, change, state } = stepped(set.withoutLabel(ASLEEP_LABEL).editedTo(3, 'manager'), NIGHT)
    expect(decision).to.include({ action: 'snooze', trigger: 'recovery' })
    expect(change).to.deep.include({ label: '3', replicas: 0 })
    expect(state.snoozed).to.include({ replicas: 3 })
    const scaled = set.scaledByHand(2)
    expect(decided(scaled, NIGHT), 'by hand').to.include({ action: 'adopt', trigger: 'manual' })
  })

  it('an old pin says asleep of a running workload without marks: the pin is enforced, with the present count', () => {
    const undone = asleep.pinned().labelled(undefined).withReplicas(5)
    expect(stepped(undone, NIGHT).change).to.deep.include({ label: '5', replicas: 0 })
  })

  it('an old pin says active of a workload that is marked asleep: it wakes to the count of the label', () => {
    const old = aDeployment().withReplicas(2).enabled().pinned()
    const undone = old.withReplicas(0).labelled({ [ASLEEP_LABEL]: '7' })
    expect(stepped(undone, NIGHT).change).to.deep.include({ replicas: 7, label: null })
    const empty = stepped(undone.labelled({ [ASLEEP_LABEL]: '0' }), NIGHT)
    expect(empty.after.replicas).to.equal(2)
    expect(stepped(empty.after, NIGHT).change).to.equal(undefined)
  })

  describe('of a copy, whose state was written for another kind', () => {
    const copy = aStatefulSet()
      .withReplicas(0)
      .annotated({ state: asleep.annotations.state })
      .labelled({ [ASLEEP_LABEL]: '3' })

    it('counts by its label alone, which it wakes by where nobody manages it', () => {
      const { after, decision } = stepped(copy, NIGHT)
      expect(decision).to.include({ action: 'wake' })
      expect([after.replicas, after.labels]).to.deep.equal([3, {}])
    })

    it('sleeps and wakes by its schedule where it is managed', () => {
      const managed = copy.enabled().scheduled(WORK)
      const slept = stepped(managed, NIGHT)
      expect([slept.decision.action, slept.after.replicas]).to.deep.equal(['none', 0])
      expect(stepped(managed, at('Tue 8:00')).after.replicas).to.equal(3)
    })

    it('is awake where it runs: the label goes', () => {
      expect(stepped(copy.withReplicas(2).enabled(), NIGHT).after.labels).to.deep.equal({})
    })
  })

  it('a label is left on a running workload that is awake: it is removed', () => {
    const { change } = stepped(
      aDeployment()
        .withReplicas(2)
        .enabled()
        .remembering({})
        .labelled({ [ASLEEP_LABEL]: '7' }),
      NIGHT,
    )
    expect(change).to.deep.equal({ annotations: {}, label: null })
  })
})

describe('a state that cannot be read', () => {
  const broken = asleep.annotated({ state: '{"v":7}' })
  const gone = asleep.annotated({ state: undefined })
  const goneByKey = aDaemonSet().enabled().with({ snoozeKey: 'true', hasNodeSelector: true })

  for (const [what, workload] of [
    ['is broken', broken],
    ['is gone while the label is there', gone],
    ['is gone while the key is there', goneByKey],
  ] as const) {
    it(`because it ${what} stops writes to that workload`, () => {
      const { decision, change } = planStep(workload, NIGHT, RULES)
      expect(decision).to.deep.include({ action: 'none', replicas: workload.replicas })
      expect(decision.reason).to.have.property('code', 'invalid_state')
      expect([change, decision.lookAgainAt]).to.deep.equal([undefined, undefined])
      for (const action of [
        'disable',
        'pin',
        'unpin',
        'snooze',
        'wake',
        'clearOverride',
        'schedule',
      ] as const) {
        expect(() => asked(workload, { action }, NIGHT), action)
          .to.throw(Refusal)
          .with.property('code', 'INVALID_STATE')
      }
    })
  }

  it('is gone without any mark: then there never was one', () => {
    const workload = aDeployment().enabled()
    expect(read(workload).state.history).to.deep.equal([])
  })

  it('is repaired by enable, which takes the count from the label', () => {
    for (const workload of [broken, gone]) {
      const { state, after, message } = asked(workload, { action: 'enable' }, NIGHT)
      expect(state.asleep).to.equal(true)
      expect(state.snoozed?.replicas).to.equal(3)
      expect(after).to.deep.include({ replicas: 0, labels: { [ASLEEP_LABEL]: '3' } })
      expect(message).to.contain('repaired')
    }
  })

  it('is repaired by that request alone, which leaves the settings as they are', () => {
    for (const enabled of ['true', 'false', undefined]) {
      const { state, after } = asked(broken.annotated({ enabled }), { action: 'repair' }, NIGHT)
      expect([state.asleep, state.snoozed?.replicas], enabled).to.deep.equal([true, 3])
      expect(after.annotations.enabled).to.equal(enabled)
    }
  })

  it('is repaired with a counter ahead of any that it had, so that the repair does not look like an old copy', () => {
    const { state } = asked(broken, { action: 'enable' }, NIGHT)
    expect(state.counter).to.equal(Math.floor(NIGHT / 1000) + 1)
  })

  it("is repaired into the schedule's present state, by the same patch", () => {
    const { after, state } = asked(broken, { action: 'enable' }, at('Tue 12:00'))
    expect(after).to.deep.include({ replicas: 3, labels: {} })
    expect(state.asleep).to.equal(false)
  })

  it('is repaired without a schedule into the state that the marks say', () => {
    const { after } = asked(broken.annotated({ schedule: undefined }), { action: 'enable' }, at('Tue 12:00'))
    expect(after.replicas).to.equal(0)
    const running = broken.annotated({ schedule: undefined }).withReplicas(5)
    expect(asked(running, { action: 'enable' }, NIGHT).after).to.deep.include({ replicas: 5, labels: {} })
    const daemonSet = asked(goneByKey, { action: 'enable' }, NIGHT)
    expect(daemonSet.after.snoozeKey).to.equal('true')
    expect(daemonSet.state.asleep).to.equal(true)
  })
})

describe('a schedule that cannot be read', () => {
  for (const [what, workload] of [
    ['schedule', asleep.scheduled('whenever')],
    ['timezone', asleep.scheduled(WORK, 'Mars/Olympus')],
  ] as const) {
    it(`because of its ${what} stops automatic behaviour alone`, () => {
      const { decision, change } = stepped(workload, at('Tue 12:00'))
      expect(change).to.equal(undefined)
      expect(decision.action).to.equal('none')
      expect(decision.reason.text).to.contain(`dormouse.dev/${what}`)
      expect(asked(workload, { action: 'wake' }, NIGHT).after.replicas).to.equal(3)
      expect(asked(workload, { action: 'pin' }, NIGHT).state.pin?.state).to.equal('snoozed')
      expect(asked(workload, { action: 'override' }, NIGHT).state.override?.until).to.equal(null)
    })
  }

  it('leaves the end of a `for` in force', () => {
    const limited = aDeployment().withReplicas(3).enabled().scheduled(WORK)
    const asleep = limited.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:a', for: 60 * MINUTE })
    expect(stepped(asleep.scheduled('whenever'), at('Mon 13:00')).after.replicas).to.equal(3)
  })

  it('does not count as removed: once it is as it was, it has not changed', () => {
    const asleepByHand = aDeployment()
      .withReplicas(3)
      .enabled()
      .scheduled(WORK)
      .snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:a' })
    const during = stepped(asleepByHand.scheduled('whenever'), at('Mon 12:10')).after
    const back = changed(during, { annotations: { schedule: WORK } })
    expect(decided(back, at('Mon 12:20'))).to.deep.include({ action: 'none' })
  })
})

describe('what is left alone', () => {
  it('a workload with a deletionTimestamp', () => {
    const going = asleep.labelled({}).with({ deleting: true })
    const { decision, change } = stepped(going, at('Tue 8:00'))
    expect(change).to.equal(undefined)
    expect(decision.reason.code).to.equal('deleting')
    expect(decision.lookAgainAt).to.equal(undefined)
    expect(() => asked(going, { action: 'wake' }, NIGHT))
      .to.throw()
      .with.property('code', 'NOT_FOUND')
  })

  it('a ReplicaSet with a controller owner: 409 OWNED names it', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    const owned = aReplicaSet('shop/web-7c').enabled().with({ owner })
    for (const action of ['enable', 'disable', 'wake'] as const) {
      expect(() => asked(owned, { action }, NIGHT))
        .to.throw(/belongs to Deployment web: ask for that one$/)
        .with.property('code', 'OWNED')
    }
    const foreign = owned.with({ owner: { ...owner, kind: 'Rollout' } })
    expect(() => asked(foreign, { action: 'wake' }, NIGHT))
      .to.throw(/belongs to Rollout web: ask for that one$/)
      .with.property('code', 'OWNED')
  })

  it('not what an operator owns: the message warns that its owner may scale it back', () => {
    const owner = { apiVersion: 'db/v1', kind: 'Cluster', name: 'main' }
    const owned = aStatefulSet().withReplicas(2).enabled().with({ owner })
    expect(asked(owned, { action: 'snooze' }, NIGHT).message).to.contain(
      'belongs to Cluster main, which may scale it back',
    )
  })
})

describe('a workload that somebody else had scaled to 0', () => {
  const empty = aDeployment().withReplicas(0).enabled().scheduled(WORK)
  const found = () => stepped(empty, at('Mon 18:00'))

  it('is marked asleep with the kept count 0 at the next edge to sleep', () => {
    expect(found().state).to.deep.include({ asleep: true })
    expect(found().state.snoozed?.replicas).to.equal(0)
    expect(found().after.labels).to.deep.equal({ [ASLEEP_LABEL]: '0' })
  })

  it('wakes to 0 by schedule', () => {
    const { after, state } = stepped(found().after, at('Tue 8:00'))
    expect(after).to.deep.include({ replicas: 0, labels: {} })
    expect(state.asleep).to.equal(false)
  })

  it('wakes to 1 by an explicit wake', () => {
    expect(asked(found().after, { action: 'wake' }, NIGHT).after.replicas).to.equal(1)
  })

  it('is a manual wake once it is scaled up later', () => {
    const scaled = {
      ...found().after,
      replicas: 2,
      replicasManager: { manager: 'kubectl', subresource: 'scale' },
    }
    expect(stepped(scaled, NIGHT).state.history[0]).to.include({
      type: 'wake',
      trigger: 'manual',
      replicas: 2,
    })
  })
})
