import { expect } from 'chai'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { compilePolicy, type ConfiguredPolicy } from '../../../src/domain/policy/configured.ts'
import { Inheritance, type Namespace } from '../../../src/domain/policy/inheritance.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import { workloadState } from '../../../src/domain/records/workload-state.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { withMarksRestored } from '../../../src/domain/workload/last-known.ts'
import { asked, decided, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'
import { updated } from '../admission/updates.ts'
import { NIGHT, NOON, WORK } from '../fixtures.ts'
import { aNamespace } from './inheriting.ts'

/** The rules where the Namespace shop is so; undefined: it is not known. */
function under(
  annotations: Namespace['annotations'] | undefined,
  policies: readonly ConfiguredPolicy[] = [],
  change: Partial<Namespace> = {},
): Rules {
  const inheritance = new Inheritance(policies.map(compilePolicy))
  const namespace = annotations && aNamespace({ annotations, ...change })
  return {
    ...RULES,
    inherited: (workload) =>
      namespace && !namespace.deleting ? inheritance.of(namespace).by(workload) : undefined,
  }
}

const ENABLED = under({ enabled: 'true', schedule: WORK })
const web = aDeployment().withReplicas(3)
const asleep = web.snoozed({ at: at('Mon 18:00') })
const awake = web.woken({ at: at('Mon 8:00'), trigger: 'schedule' })

describe('a workload that inherits its settings', () => {
  it('carries nothing of ours until it first sleeps', () => {
    expect(stepped(web, NOON, ENABLED).change).to.equal(undefined)
    const { after, state, decision } = stepped(web, NIGHT, ENABLED)
    expect([after.replicas, state.snoozed?.replicas]).to.deep.equal([0, 3])
    expect(after.annotations).to.have.all.keys('state', 'history')
    expect(decision.reason.text).to.equal(
      `asleep by schedule ${WORK} (UTC) of namespace shop until 2026-03-03T08:00:00Z`,
    )
  })

  it('names the value by which its Namespace leaves it unmanaged', () => {
    for (const value of ['false', '', ' '])
      expect(decided(web, NOON, under({ enabled: value })).reason.text).to.equal(
        `not managed, since dormouse.dev/enabled of namespace shop is "${value.trim()}"`,
      )
  })

  it('runs for newWorkloadGrace from its creation', () => {
    const young = web.born(NIGHT - 5 * MINUTE)
    expect(stepped(young, NIGHT, ENABLED)).to.deep.include({ change: undefined })
    expect(decided(young, NIGHT, ENABLED)).to.include({ lookAgainAt: NIGHT + 10 * MINUTE })
    expect(decided(young, NIGHT + 10 * MINUTE, ENABLED).action).to.equal('snooze')
  })

  it('is not decided about before its Namespace is known, nor while that is terminating', () => {
    for (const rules of [under(undefined), under({ enabled: 'true' }, [], { deleting: true })])
      for (const workload of [web, asleep, awake, web.enabled().scheduled(WORK), awake.labelled({})]) {
        expect(stepped(workload, NIGHT, rules).change).to.equal(undefined)
        expect(decided(workload, NIGHT, rules).reason.code).to.equal('namespace_unknown')
        expect(() => asked(workload, { action: 'wake' }, NIGHT, { rules }))
          .to.throw('the Namespace shop is not known')
          .with.property('code', 'CLUSTER_UNAVAILABLE')
      }
  })

  it('wakes and is cleared of intent and backoff where it loses what enabled it, and nothing holds it', () => {
    const rules = under({ schedule: WORK })
    const resting = asleep.inBackoff(at('Tue 2:00'))
    const { after, state, decision } = stepped(resting, NIGHT, rules)
    expect(decision).to.include({ action: 'wake', trigger: 'disable' })
    expect(after.replicas).to.equal(3)
    expect(state).not.to.have.any.keys('intent', 'backoff')
  })

  it('is not written where it is awake then: its intent rests until it is managed again', () => {
    expect(stepped(awake, NIGHT, under({})).change).to.equal(undefined)
    expect(decided(awake, NIGHT, ENABLED).action).to.equal('snooze')
  })

  it('is cleared by an opt-out of its own', () => {
    const { state } = stepped(awake.pinned().annotated({ enabled: 'false' }), NIGHT, ENABLED)
    expect(state).not.to.have.any.keys('pin', 'intent')
  })

  it('says where it is opted out', () => {
    const { reason } = decided(web, NIGHT, under({ enabled: 'false' }))
    expect(reason.text).to.contain('since dormouse.dev/enabled of namespace shop is "false"')
  })

  for (const [what, annotations, text] of [
    ['enabled', { enabled: 'ture', schedule: WORK }, 'dormouse.dev/enabled of namespace shop'],
    ['schedule', { enabled: 'true', schedule: '8-18' }, 'dormouse.dev/schedule of namespace shop'],
    [
      'timezone',
      { enabled: 'true', schedule: WORK, timezone: 'Berlin' },
      'dormouse.dev/timezone of namespace shop',
    ],
    [
      'auto-wake',
      { enabled: 'true', schedule: WORK, autoWake: 'no' },
      'dormouse.dev/auto-wake of namespace shop',
    ],
  ] as const) {
    it(`has nothing automatic done about it where ${what} is invalid, whatever a policy says`, () => {
      const policy = {
        name: 'all',
        namespaces: { names: ['*'] },
        enabled: true,
        schedule: WORK,
        timezone: 'UTC',
      }
      const rules = under(annotations, [policy])
      for (const workload of [web, asleep]) {
        const { change, decision } = stepped(workload, workload === web ? NIGHT : at('Tue 12:00'), rules)
        expect(change).to.equal(undefined)
        expect(decision.action).to.equal('none')
        expect(decision.reason.text).to.contain(text)
      }
    })
  }

  it('keeps its state where others drop it, while it is managed', () => {
    const pinned = awake.pinned()
    const dropped = pinned.annotated({ state: undefined }).with({ resourceVersion: '101' })
    const known = { counter: pinned.state().counter, workload: pinned }
    expect(withMarksRestored(dropped, known, ENABLED).annotations.state).to.equal(pinned.annotations.state)
    const free = awake.annotated({ state: undefined }).with({ resourceVersion: '101' })
    const knownFree = { counter: awake.state().counter, workload: awake }
    expect(withMarksRestored(free, knownFree, under({}))).to.equal(free)
  })

  it('is reached as a DaemonSet or ReplicaSet only where a policy names its kind, and never under an owner', () => {
    const policy = { name: 'all', namespaces: { names: ['*'] }, workloads: { kinds: ['daemonsets'] } }
    const owner = { apiVersion: 'v1', kind: 'App', name: 'app' }
    const managed = (workload: AWorkload, rules: Rules) => statusRecord(workload, NOON, rules).enabled
    expect(managed(aDaemonSet(), ENABLED)).to.equal(false)
    expect(managed(aReplicaSet(), ENABLED)).to.equal(false)
    expect(managed(aDaemonSet(), under({ enabled: 'true' }, [policy]))).to.equal(true)
    const rollout = web.with({ kind: 'rollouts.argoproj.io' })
    const rollouts = { ...policy, workloads: { kinds: ['rollouts.argoproj.io'] } }
    expect(managed(rollout, under({ enabled: 'true' }, [policy]))).to.equal(false)
    expect(managed(rollout, under({ enabled: 'true' }, [rollouts]))).to.equal(true)
    expect(managed(web.with({ owner }), ENABLED)).to.equal(false)
  })

  it('has its pin enforced while nobody knows yet what it inherits', () => {
    const { type } = admitScale(awake.pinned(), 1, NOON, under(undefined))
    expect(type).to.equal('denied')
    expect(admitScale(awake, 1, NOON, under({})).type).to.equal('allowed')
  })

  it('has a pin enforced, and a schedule of its own accepted without a warning', () => {
    const pinned = awake.pinned()
    const scaled = updated(pinned, pinned.withReplicas(1), { rules: ENABLED })
    expect(scaled).to.include({ type: 'denied', reason: 'pinned' })
    const scheduled = updated(pinned, pinned.scheduled('9:00-17:00'), { rules: ENABLED })
    expect(scheduled).to.deep.include({ type: 'allowed', warnings: [] })
  })
})

describe('a hold on a workload that has lost what enabled it', () => {
  const LOST = under({ schedule: WORK })
  const UNTIL = at('Tue 2:00')
  const scaled = (before: AWorkload, after: AWorkload) => updated(before, after, { now: NIGHT, rules: LOST })

  it('stays in force, and is not written: a sleeper sleeps on, and is pinned or overridden in every record', () => {
    for (const held of [asleep.pinned(), asleep.overridden(), asleep.overridden(UNTIL), awake.pinned()]) {
      expect(stepped(held, NIGHT, LOST).change).to.equal(undefined)
      const { pin } = held.state()
      expect(statusRecord(held, NIGHT, LOST)).to.include({
        enabled: false,
        is_snoozed: held.state().asleep,
        pin_state: pin?.state ?? 'none',
        has_manual_override: pin === undefined,
      })
      expect(workloadState(read(held, LOST), NIGHT)).to.equal(
        pin === undefined ? 'overridden' : `pinned_${pin.state}`,
      )
    }
  })

  it('is enforced: by the webhook, and by the controller where that was away', () => {
    for (const held of [asleep.pinned(), awake.pinned(), asleep.overridden(), awake.overridden(UNTIL)]) {
      expect(admitScale(held, 5, NIGHT, LOST).type).to.equal('denied')
      expect(scaled(held, held.withReplicas(5)).type).to.equal('denied')
    }
    const cronJob = aCronJob().pinned()
    expect(scaled(cronJob, cronJob.withReplicas(0)).type).to.equal('denied')
    const daemonSet = aDaemonSet()
      .withReplicas(2)
      .snoozed({ at: at('Mon 18:00') })
      .pinned()
    expect(scaled(daemonSet, daemonSet.withoutItsKey()).type).to.equal('denied')
    expect(stepped(asleep.pinned().scaledByHand(5), NIGHT, LOST).after.replicas).to.equal(0)
    expect(stepped(awake.pinned().scaledByHand(0), NIGHT, LOST).after.replicas).to.equal(3)
  })

  it('is not ended by an `enabled` of its own, which would clear it', () => {
    for (const held of [asleep.pinned(), awake.pinned(), asleep.overridden(), awake.overridden(UNTIL)])
      for (const enabled of ['false', ''])
        expect(scaled(held, held.annotated({ enabled })), enabled).to.include({ type: 'denied' })
  })

  it('is enforced while the one that it would inherit says neither', () => {
    const unclear = under({ enabled: 'ture', schedule: WORK })
    expect(stepped(awake.pinned().scaledByHand(0), NIGHT, unclear).after.replicas).to.equal(3)
    expect(stepped(asleep.pinned().scaledByHand(5), NIGHT, unclear).after.replicas).to.equal(0)
  })

  it('keeps the state that others drop', () => {
    const pinned = awake.pinned()
    const dropped = pinned.annotated({ state: undefined }).with({ resourceVersion: '101' })
    const known = { counter: pinned.state().counter, workload: pinned }
    expect(withMarksRestored(dropped, known, LOST).annotations.state).to.equal(pinned.annotations.state)
  })

  it('can be cleared, which wakes a sleeper that nothing else holds', () => {
    for (const [held, action] of [
      [asleep.pinned(), 'unpin'],
      [asleep.overridden(), 'clearOverride'],
    ] as const) {
      const { after, state } = asked(held, { action }, NIGHT, { rules: LOST })
      expect(after.replicas).to.equal(3)
      expect(after.labels).to.deep.equal({})
      expect(state).not.to.have.any.keys('pin', 'override', 'intent')
    }
    const both = asked(asleep.pinned().overridden(), { action: 'unpin' }, NIGHT, { rules: LOST })
    expect(both.after).to.deep.include({ replicas: 0 })
    expect(both.state).to.have.property('override')
  })

  it('of an override ends with it, in one write', () => {
    const held = asleep.overridden(UNTIL)
    expect(decided(held, NIGHT, LOST).lookAgainAt).to.equal(UNTIL)
    const { after, state } = stepped(held, UNTIL, LOST)
    expect(after).to.deep.include({ replicas: 3, labels: {} })
    expect(state).not.to.have.any.keys('override', 'intent')
    const ran = stepped(awake.overridden(UNTIL), UNTIL, LOST)
    expect(ran.change).to.have.property('held', null)
    expect(ran.state).not.to.have.property('override')
    expect(stepped(ran.after, UNTIL, LOST).change).to.equal(undefined)
  })

  it('is the same where it is managed again', () => {
    expect(stepped(asleep.pinned(), NIGHT, ENABLED).change).to.equal(undefined)
    expect(decided(asleep.pinned(), NIGHT, ENABLED).reason.code).to.equal('pinned')
  })

  it('ends by an opt-out of its own, and by disable', () => {
    const off = stepped(asleep.pinned().annotated({ enabled: 'false' }), NIGHT, ENABLED)
    expect(off.after).to.deep.include({ replicas: 3, labels: {} })
    const disabled = asked(asleep.pinned(), { action: 'disable' }, NIGHT, { rules: LOST })
    expect(disabled.after).to.deep.include({ replicas: 3, labels: {} })
    expect(disabled.state).not.to.have.any.keys('pin', 'intent')
  })
})

describe('requests about one workload among many', () => {
  const inherit = { inherit: true } as const

  it('disable opts out, and with inherit=true goes back to what is inherited', () => {
    const off = asked(asleep, { action: 'disable' }, NIGHT, { rules: ENABLED })
    expect(off.after.annotations.enabled).to.equal('false')
    expect(off.after.replicas).to.equal(3)
    expect(() => asked(off.after, { action: 'wake' }, NIGHT, { rules: ENABLED }))
      .to.throw('not managed by Dormouse')
      .with.nested.property('details.remedy.query.inherit', 'true')
    const back = asked(off.after, { action: 'disable', ...inherit }, NIGHT, { rules: ENABLED })
    expect(back.after.annotations).not.to.have.property('enabled')
    expect(back.after.replicas).to.equal(0)
    expect(back.message).to.contain('managed by namespace shop')
  })

  it('enable is its own, and forms no intent where it was managed already', () => {
    const { after, state } = asked(web, { action: 'enable' }, NOON, { rules: ENABLED })
    expect(after.annotations.enabled).to.equal('true')
    expect(state.intent).to.equal(undefined)
    const again = asked(after, { action: 'enable' }, NOON, { rules: ENABLED })
    expect(again.change).to.equal(undefined)
  })

  it('enable with inherit=true gives that up, and wakes what nothing else manages', () => {
    const { after, state } = asked(asleep.enabled().pinned(), { action: 'enable', ...inherit }, NIGHT, {
      rules: under({ schedule: WORK }),
    })
    expect(after.annotations).not.to.have.property('enabled')
    expect(after.replicas).to.equal(3)
    expect(state).not.to.have.any.keys('pin', 'intent')
  })

  it('an empty schedule is none, whatever could be inherited; inherit=true inherits it again', () => {
    const none = asked(web, { action: 'schedule', schedule: '' }, NOON, { rules: ENABLED })
    expect(none.after.annotations.schedule).to.equal('')
    expect(statusRecord(none.after, NOON, ENABLED).policy.schedule).to.deep.equal({
      value: null,
      source: 'workload',
    })
    const back = asked(none.after, { action: 'schedule', ...inherit }, NOON, { rules: ENABLED })
    expect(back.after.annotations).not.to.have.property('schedule')
    expect(back.message).to.contain(`schedule set to ${WORK} (UTC) of namespace shop`)
  })

  it('inherit=true beside what it would set is refused', () => {
    for (const action of ['enable', 'schedule'] as const)
      expect(() => asked(web, { action, schedule: WORK, ...inherit }, NOON, { rules: ENABLED }))
        .to.throw('leave it out')
        .with.property('code', 'VALIDATION_ERROR')
  })
})
