import { expect } from 'chai'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { admitUpdate } from '../../../src/domain/admission/update.ts'
import { compilePolicy, type ConfiguredPolicy } from '../../../src/domain/policy/configured.ts'
import { Inheritance, type Namespace } from '../../../src/domain/policy/inheritance.ts'
import { statusRecord } from '../../../src/domain/record.ts'
import type { Rules } from '../../../src/domain/rules.ts'
import { withMarksRestored } from '../../../src/domain/marks.ts'
import { asked, decided, stepped } from '../../support/decisions.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'
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
    expect(Object.keys(after.annotations)).to.deep.equal(['state'])
    expect(decision.reason.text).to.equal(
      `asleep by schedule ${WORK} (UTC) of namespace shop until 2026-03-03T08:00:00Z`,
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

  it('wakes and is cleared where it loses what enabled it', () => {
    const rules = under({ schedule: WORK })
    const { after, state, decision } = stepped(asleep.pinned(), NIGHT, rules)
    expect(decision).to.include({ action: 'wake', trigger: 'disable' })
    expect(after.replicas).to.equal(3)
    expect(state).not.to.have.any.keys('pin', 'intent')
  })

  it('is not written where it is awake then: its pin rests until it is managed again', () => {
    const pinned = awake.pinned()
    expect(stepped(pinned, NIGHT, under({})).change).to.equal(undefined)
    expect(decided(pinned, NIGHT, ENABLED).reason.code).to.equal('pinned')
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
    expect(withMarksRestored(dropped, known, under({}))).to.equal(dropped)
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
    expect(admitScale(awake.pinned(), 1, NOON, under({})).type).to.equal('allowed')
  })

  it('has a pin enforced, and a schedule of its own accepted without a warning', () => {
    const pinned = awake.pinned()
    const update = {
      before: pinned,
      otherChanges: false,
      isApply: false,
      manager: 'kubectl',
      by: null,
      unknown: [],
    }
    const scaled = admitUpdate({ ...update, after: pinned.withReplicas(1) }, NOON, ENABLED)
    expect(scaled).to.include({ type: 'denied', reason: 'pinned' })
    const scheduled = admitUpdate({ ...update, after: pinned.scheduled('9:00-17:00') }, NOON, ENABLED)
    expect(scheduled).to.deep.include({ type: 'allowed', warnings: [] })
  })
})

describe('requests about one workload among many', () => {
  const inherit = { inherit: true } as const

  it('disable opts out, and with inherit=true goes back to what is inherited', () => {
    const off = asked(asleep, { action: 'disable' }, NIGHT, { rules: ENABLED })
    expect(off.after.annotations.enabled).to.equal('false')
    expect(off.after.replicas).to.equal(3)
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
