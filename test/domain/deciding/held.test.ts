import { expect } from 'chai'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { sameMarks } from '../../../src/domain/workload/marks.ts'
import { marksRestored } from '../../../src/domain/workload/restoring.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { jsonPatch } from '../../../src/domain/workload/patch.ts'
import { releaseChange } from '../../../src/domain/deciding/release.ts'
import { EMPTY_STATE, heldBy } from '../../../src/domain/workload/state.ts'
import { HELD_LABEL } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { asked, stepped } from '../../support/decisions.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment, BY_KIND, type AWorkload } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'

const awake = aDeployment().withReplicas(3).enabled()
const pinned = awake.pinned()

/** How many writes the controller makes until there is nothing to do. */
function writesUntilAtRest(workload: AWorkload, when = NOON): number {
  const { change, after } = stepped(workload, when)
  return change === undefined ? 0 : 1 + writesUntilAtRest(after as AWorkload, when)
}

describe('the label of what is held', () => {
  it('says pin or override, the pin where there are both, and is absent without either', () => {
    const pin = { state: 'active', replicas: 3, at: 0, by: 'k8s:alice' } as const
    const override = { until: null, at: 0, by: 'k8s:bob' }
    expect(heldBy(EMPTY_STATE)).to.equal(undefined)
    expect(heldBy({ ...EMPTY_STATE, pin })).to.equal('pin')
    expect(heldBy({ ...EMPTY_STATE, override })).to.equal('override')
    expect(heldBy({ ...EMPTY_STATE, pin, override })).to.equal('pin')
  })

  for (const [kind, build] of Object.entries(BY_KIND)) {
    it(`of ${kind} is written and removed in the same patch as the state`, () => {
      const managed = build().enabled()
      const pin = asked(managed, { action: 'pin' }, NOON)
      expect(pin.change).to.have.property('held', 'pin')
      expect(pin.change?.annotations).to.have.property('state')
      expect(pin.after.labels).to.deep.equal({ [HELD_LABEL]: 'pin' })
      const free = asked(pin.after, { action: 'unpin' }, NOON)
      expect(free.change).to.have.property('held', null)
      expect(free.after.labels).to.deep.equal({})
      const override = asked(managed, { action: 'override', duration: MINUTE }, NOON)
      expect(override.after.labels).to.deep.equal({ [HELD_LABEL]: 'override' })
    })
  }

  it('stands beside other labels, which its patch leaves alone', () => {
    const labelled = awake.labelled({ app: 'web' })
    const change = asked(labelled, { action: 'pin' }, NOON).change ?? { annotations: {} }
    expect(jsonPatch(labelled, change)).to.deep.include({
      op: 'add',
      path: '/metadata/labels/dormouse.dev~1held',
      value: 'pin',
    })
    expect(changed(labelled, change).labels).to.deep.equal({ app: 'web', [HELD_LABEL]: 'pin' })
  })

  it('is a mark like the others: copies that differ in it differ in their marks', () => {
    expect(sameMarks(pinned, pinned.withoutLabel(HELD_LABEL))).to.equal(false)
  })

  it('comes back where others took it off, changed it, or rolled the whole workload back', () => {
    for (const damaged of [
      pinned.withoutLabel(HELD_LABEL),
      pinned.labelled({ [HELD_LABEL]: 'override' }),
      awake.remembering({}).withoutLabel(HELD_LABEL),
    ]) {
      expect(marksRestored(damaged, pinned, true, RULES).labels).to.deep.equal({ [HELD_LABEL]: 'pin' })
    }
  })

  it('is not restored from a copy whose state does not say so', () => {
    const forged = awake.remembering({}).labelled({ [HELD_LABEL]: 'pin' })
    const free = forged.withoutLabel(HELD_LABEL)
    expect(marksRestored(free, forged, true, RULES)).to.equal(free)
  })
})

describe('the label of what is held, where it is wrong', () => {
  for (const [what, workload] of [
    ['missing after an upgrade, on what is pinned', pinned.withoutLabel(HELD_LABEL)],
    ['missing on what is overridden for good', awake.overridden().withoutLabel(HELD_LABEL)],
    [
      'missing on what is held and managed by nothing any more',
      aDeployment().pinned().withoutLabel(HELD_LABEL),
    ],
    ['on what nothing holds', awake.labelled({ [HELD_LABEL]: 'pin' })],
    ['on what is not managed at all', aDeployment().labelled({ [HELD_LABEL]: 'override' })],
    ['that of the override, on what is pinned', pinned.labelled({ [HELD_LABEL]: 'override' })],
  ] as const) {
    it(`is put right by exactly one write that touches nothing else: ${what}`, () => {
      const { change } = stepped(workload, NOON)
      expect(change).to.have.all.keys('annotations', 'held')
      expect(change?.annotations).to.deep.equal({})
      expect(writesUntilAtRest(workload)).to.equal(1)
    })
  }

  it('is removed by the write that ends an override, at its end', () => {
    const overridden = awake.overridden(at('Mon 13:00'))
    const before = planStep(overridden, NOON, RULES)
    expect(before.change).to.equal(undefined)
    expect(before.decision.lookAgainAt).to.equal(at('Mon 13:00'))
    const { change, state } = stepped(overridden, at('Mon 13:00'))
    expect(change).to.have.property('held', null)
    expect(state.override).to.equal(undefined)
    expect(writesUntilAtRest(overridden, at('Mon 13:00'))).to.equal(1)
  })

  it('is left alone while the workload is being deleted, or its state cannot be read', () => {
    const missing = pinned.withoutLabel(HELD_LABEL)
    expect(planStep(missing.with({ deleting: true }), NOON, RULES).change).to.equal(undefined)
    expect(planStep(missing.annotated({ state: '{"v":7}' }), NOON, RULES).change).to.equal(undefined)
  })
})

describe('what is held and managed by nothing any more', () => {
  const sleeper = aDeployment()
    .withReplicas(3)
    .snoozed({ at: at('Mon 9:00') })
  const ask = (workload: AWorkload, action: 'snooze' | 'wake') => asked(workload, { action }, NOON)

  for (const action of ['snooze', 'wake'] as const)
    it(`is refused a ${action} while it is pinned, with the request that ends the pin`, () => {
      expect(() => ask(sleeper.pinned(), action))
        .to.throw(Refusal, /^pinned asleep by k8s:alice since \S+$/)
        .that.deep.includes({ code: 'PINNED' })
        .with.nested.property('details.remedy.action', 'unpin')
    })

  it('wakes by request while it is overridden, as what is managed does, and rests so', () => {
    const { after } = ask(sleeper.overridden(), 'wake')
    expect(after.replicas).to.equal(3)
    expect(stepped(after, NOON + MINUTE).after.replicas).to.equal(3)
  })

  it('sleeps by request while it is overridden, and wakes when that ends, since nothing else would wake it', () => {
    const { after } = ask(aDeployment().withReplicas(3).overridden(at('Mon 13:00')), 'snooze')
    expect(after.replicas).to.equal(0)
    expect(stepped(after, at('Mon 12:59')).after.replicas).to.equal(0)
    expect(stepped(after, at('Mon 13:00')).after.replicas).to.equal(3)
  })

  it('is refused all else once the override has ended, or managing was turned off on it', () => {
    for (const workload of [
      sleeper.overridden(at('Mon 11:00')),
      sleeper.pinned().annotated({ enabled: 'false' }),
    ])
      expect(() => ask(workload, 'wake'))
        .to.throw(Refusal)
        .with.property('code', 'NOT_ENABLED')
  })

  it('is not put to sleep where its count could not be kept', () => {
    const odd = aDeployment().with({ replicas: 2.5 }).overridden()
    expect(() => ask(odd, 'snooze'))
      .to.throw(Refusal)
      .with.property('code', 'DATA_AT_RISK')
  })
})

describe('the label of what is held, at the ends of a life', () => {
  it('is removed by release, also where it is all that is left', () => {
    expect(releaseChange(pinned, NOON, RULES)).to.have.property('held', null)
    const alone = aDeployment().labelled({ [HELD_LABEL]: 'pin' })
    expect(releaseChange(alone, NOON, RULES)).to.deep.equal({ annotations: {}, held: null })
  })

  it('goes on creation with the holds of the state, also where it comes alone', () => {
    for (const created of [pinned, aDeployment().labelled({ [HELD_LABEL]: 'pin', app: 'web' })]) {
      const decision = admitCreate(created, NOON, RULES)
      expect(decision).to.have.property('reason', 'stripped')
      const change = decision.type === 'patched' ? decision.change : { annotations: {} }
      expect(changed(created, change).labels).to.not.have.property(HELD_LABEL)
    }
  })
})
