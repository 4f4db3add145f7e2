import { expect } from 'chai'
import { judgeUpdate } from '../../../src/domain/admission/update.ts'
import { changed } from '../../../src/domain/change.ts'
import { ASLEEP_LABEL, type Workload } from '../../../src/domain/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at, HOUR, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'

const NOON = at('Mon 12:00')
const SEVEN = at('Mon 7:00')
const web = aDeployment('shop/web').withReplicas(3).enabled()
const agent = aDaemonSet().withReplicas(2).enabled()

function updated(
  before: Workload,
  after: Workload,
  { otherChanges = false, isApply = false, unknown = [] as string[], now = NOON } = {},
) {
  const who = { manager: 'kubectl-edit', by: 'k8s:carol' }
  const judgement = judgeUpdate({ before, after, otherChanges, isApply, unknown, ...who }, now, RULES)
  const result = judgement.type === 'allow' && judgement.change ? changed(after, judgement.change) : after
  return { ...judgement, result }
}

const holds: [string, AWorkload][] = [
  ['pinned', web.pinned()],
  ['overridden', web.overridden()],
]

describe('an update of a workload', () => {
  for (const [reason, held] of holds) {
    it(`that is ${reason} and changes only the count is denied, and says how to let go`, () => {
      const judgement = updated(held, held.withReplicas(5))
      expect(judgement).to.include({ type: 'deny', reason })
      expect(judgement)
        .to.have.property('message')
        .that.contains('DELETE /api/v1/namespaces/shop/deployments/web/')
    })

    it(`that is ${reason} and changes other fields too goes through with the count held, and a warning`, () => {
      const { reason: why, result, ...rest } = updated(held, held.withReplicas(5), { otherChanges: true })
      expect([why, result.replicas]).to.deep.equal(['held', 3])
      const [says, clear] = (rest as { warnings?: readonly string[] }).warnings ?? []
      expect(says).to.match(/^Dormouse: deployment shop\/web stays at 3 replicas: it is /)
      expect(clear, 'by itself, as long ones are cut').to.contain(' DELETE /api/v1/namespaces/shop/')
    })

    it(`that is ${reason} and leaves the count goes through untouched`, () => {
      expect(updated(held, held.with({ generation: 9 }), { otherChanges: true })).to.deep.include({
        type: 'allow',
        reason: 'free',
        warnings: [],
      })
    })

    it(`while it is ${reason} nobody else changes enabled`, () => {
      for (const enabled of ['false', undefined]) {
        expect(updated(held, held.annotated({ enabled }), { otherChanges: true })).to.include({
          type: 'deny',
          reason,
        })
      }
    })
  }

  it('that is pinned asleep with the kept count is let through and stays at 0', () => {
    const sleeper = web.snoozed({ at: SEVEN }).pinned()
    const { result, ...judgement } = updated(sleeper, sleeper.withReplicas(3))
    expect(judgement).to.include({ type: 'allow', reason: 'held' })
    expect(result.replicas).to.equal(0)
    expect(updated(sleeper, sleeper.withReplicas(4))).to.include({ type: 'deny' })
  })
})

describe('GitOps and sleep', () => {
  const sleeper = web.snoozed({ at: SEVEN })

  it('an update of a sleeper with another count is absorbed: it stays at 0 and keeps that count', () => {
    for (const otherChanges of [false, true]) {
      const { result, reason, ...judgement } = updated(sleeper, sleeper.withReplicas(7), { otherChanges })
      expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '7'])
      expect(decoded(result.annotations.state).snoozed?.replicas).to.equal(7)
      const warnings = [
        /^Dormouse: deployment shop\/web is asleep and stays at 0 replicas; it will wake to 7$/,
        /^Dormouse: deployment shop\/web: to wake it now, .* POST .*shop\/deployments\/web\/wake$/,
      ]
      for (const [index, says] of warnings.entries())
        expect((judgement as { warnings?: readonly string[] }).warnings?.[index]).to.match(says)
    }
  })

  it('one with the kept count changes nothing of the state', () => {
    const { result, reason } = updated(sleeper, sleeper.withReplicas(3))
    expect([reason, result.replicas]).to.deep.equal(['absorbed', 0])
    expect(result.annotations.state).to.equal(sleeper.annotations.state)
  })

  it('on a DaemonSet our key is put back; taken away alone it is a manual wake by the user', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    const sync = updated(asleep, asleep.withoutItsKey(), { otherChanges: true })
    expect([sync.reason, sync.result.snoozeKey]).to.deep.equal(['absorbed', 'true'])
    const { reason, result } = updated(asleep, asleep.withoutItsKey())
    const state = decoded(result.annotations.state)
    expect([reason, result.snoozeKey, state.asleep]).to.deep.equal(['manual_wake', undefined, false])
    expect(state.intent).to.include({ want: 'awake', trigger: 'manual', by: 'k8s:carol' })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'manual', by: 'k8s:carol' })
  })

  it('a manual wake of a DaemonSet is recorded with the kept count, and runs until its pods follow', () => {
    const asleep = agent.snoozed({ at: SEVEN, kept: 3 }).with({ replicas: 0 })
    const { result } = updated(asleep, asleep.with({ snoozeKey: undefined }))
    expect(decoded(result.annotations.state).history[0]).to.include({
      replicas: 3,
      duration: null,
      result: 'running',
    })
  })

  it('on a DaemonSet an apply that drops our key alone puts it back, silently, under a hold too', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    for (const held of [asleep, asleep.pinned(), asleep.overridden()]) {
      const sync = updated(held, held.withoutItsKey(), { isApply: true })
      expect(sync).to.deep.include({ type: 'allow', reason: 'absorbed', warnings: [] })
      expect([sync.result.snoozeKey, sync.result.annotations]).to.deep.equal(['true', held.annotations])
    }
  })

  it('on a DaemonSet under a hold, who takes our key away alone is denied; with other changes it is put back', () => {
    const asleep = agent.snoozed({ at: SEVEN }).pinned()
    expect(updated(asleep, asleep.withoutItsKey())).to.include({ type: 'deny', reason: 'pinned' })
    const rollout = updated(asleep, asleep.withoutItsKey(), { otherChanges: true })
    expect(rollout).to.deep.include({ type: 'allow', reason: 'absorbed', warnings: [] })
    expect(rollout.result.snoozeKey).to.equal('true')
  })

  it('on a DaemonSet another value of our key is put back to what it was', () => {
    for (const value of ['true', 'false']) {
      const asleep = agent.snoozed({ at: SEVEN }).with({ snoozeKey: value })
      for (const held of [asleep, asleep.pinned()]) {
        const { type, result } = updated(held, held.with({ snoozeKey: 'another' }))
        expect([type, result.snoozeKey]).to.deep.equal(['allow', value])
      }
    }
  })

  it('on a DaemonSet that is replaced, our marks with it, the key is put back: nobody meant the key alone', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    const bare = asleep.withoutItsKey().annotated({ state: undefined }).labelled(undefined)
    const { reason, result } = updated(asleep, bare)
    expect([reason, result.snoozeKey]).to.deep.equal(['absorbed', 'true'])
    expect(decoded(result.annotations.state).asleep).to.equal(true)
  })

  it('our key that somebody else puts on a DaemonSet is left out', () => {
    const { reason, result } = updated(agent, agent.with({ snoozeKey: 'true' }))
    expect([reason, result.snoozeKey]).to.deep.equal(['held', undefined])
  })

  it('a count of what is awake and free is theirs', () => {
    expect(updated(web, web.withReplicas(0))).to.deep.include({ type: 'allow', reason: 'free', warnings: [] })
  })
})

describe('our marks in an update by others', () => {
  const before = web.scheduled('8:00-18:00').snoozed({ at: SEVEN })
  const marks = ({ annotations, labels }: Workload) => ({ annotations, labels })

  it('a changed state is an old copy: all four annotations and the label are restored', () => {
    const old = before.annotated({
      state: web.remembering({}).annotations.state,
      schedule: '9:00-10:00',
      timezone: 'Asia/Tokyo',
      enabled: undefined,
    })
    const { result, reason } = updated(before, old.labelled({}), { otherChanges: true })
    expect(reason).to.equal('restored')
    expect(marks(result)).to.deep.equal(marks(before))
  })

  it('of a dropped state what is absent is restored', () => {
    const dropped = before
      .annotated({ state: undefined, enabled: undefined, schedule: '9:00-10:00' })
      .labelled(undefined)
    const { result } = updated(before, dropped)
    expect(result.annotations).to.deep.equal({ ...before.annotations, schedule: '9:00-10:00' })
    expect(result.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  it("with the state unchanged, edits and removals of the other three are a person's", () => {
    const edited = before.annotated({ schedule: undefined, timezone: 'Asia/Tokyo', enabled: 'false' })
    expect(updated(before, edited).result.annotations).to.deep.equal(edited.annotations)
  })

  it('a state may be removed from what is disabled and awake: nothing is restored', () => {
    const off = web.remembering({}).annotated({ enabled: 'false' })
    for (const enabled of ['false', undefined]) {
      const cleared = updated(off, off.annotated({ state: undefined, enabled }))
      expect(cleared).to.deep.include({ type: 'allow', reason: 'free', warnings: [] })
      expect(cleared.result.annotations.state).to.equal(undefined)
    }
    const sleeper = before.annotated({ enabled: 'false' })
    const kept = updated(sleeper, sleeper.annotated({ state: undefined })).result
    expect(kept.annotations.state, 'while it sleeps it holds the count').to.equal(before.annotations.state)
  })

  it('the label is ours', () => {
    expect(updated(before, before.labelled({ [ASLEEP_LABEL]: '9', app: 'web' })).result.labels).to.deep.equal(
      { [ASLEEP_LABEL]: '3', app: 'web' },
    )
    expect(updated(web, web.labelled({ [ASLEEP_LABEL]: '9' })).result.labels).to.deep.equal({})
  })

  it('an invalid schedule, timezone or enabled is rejected with the reason', () => {
    for (const [name, value] of [
      ['schedule', 'soon'],
      ['timezone', 'Mars/Base'],
      ['enabled', 'yes'],
    ] as const) {
      const judgement = updated(before, before.annotated({ [name]: value }))
      expect(judgement).to.include({ type: 'deny', reason: 'invalid_annotation' })
      expect(judgement).to.have.property('message').that.contains(`dormouse.dev/${name}: `)
    }
  })

  it('an annotation that was invalid before does not stand in the way of a deploy', () => {
    const broken = web.annotated({ schedule: 'soon' })
    expect(updated(broken, broken.with({ generation: 4 }), { otherChanges: true })).to.include({
      type: 'allow',
    })
  })

  it('over a state that cannot be read everything is allowed, with a warning', () => {
    const broken = web.annotated({ state: '{' })
    expect(updated(broken, broken.withReplicas(9))).to.include({ type: 'allow', reason: 'unreadable' })
  })

  it('a manual wake by the key holds as any other', () => {
    const asleep = agent.scheduled('8:00-9:00').snoozed({ at: at('Mon 9:00') })
    const { result } = updated(asleep, asleep.withoutItsKey())
    expect(decoded(result.annotations.state).intent?.hold).to.equal(NOON + 12 * HOUR)
  })
})

describe('an update that the API server asks about again, since a later webhook changed the object', () => {
  const sleeper = web.snoozed({ at: SEVEN })
  const again = (before: Workload, first: { result: Workload }, changes: object = {}, now = NOON) =>
    updated(before, { ...first.result, ...changes }, { otherChanges: true, now })

  it('is absorbed as before: what we made of it is no old copy', () => {
    const first = updated(sleeper, sleeper.withReplicas(7))
    const second = again(sleeper, first)
    expect(second).to.deep.include({ type: 'allow', reason: 'absorbed', warnings: [] })
    expect(second.result).to.deep.equal(first.result)
  })

  it('stays absorbed where the other webhook sets a count and takes our label away', () => {
    const first = updated(sleeper, sleeper.withReplicas(7))
    const { result } = again(sleeper, first, { replicas: 2, labels: {} })
    expect([result.replicas, result.labels]).to.deep.equal([0, { [ASLEEP_LABEL]: '7' }])
    expect(decoded(result.annotations.state).snoozed?.replicas).to.equal(7)
  })

  it('of a DaemonSet whose key was taken away is still a wake, a moment later', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    const first = updated(asleep, asleep.withoutItsKey())
    const second = again(asleep, first, {}, NOON + 20)
    expect(second).to.include({ type: 'allow', reason: 'manual_wake' })
    expect(second.result).to.deep.equal(first.result)
    const late = again(asleep, first, {}, NOON + HOUR)
    expect([late.reason, late.result.snoozeKey]).to.deep.equal(['absorbed', 'true'])
  })

  it('is not taken for one where the state says more than we would have', () => {
    const forged = sleeper.remembering({ ...sleeper.state(), counter: sleeper.state().counter + 1 }).pinned()
    const { reason, result } = updated(sleeper, forged, { otherChanges: true })
    expect([reason, result.annotations.state]).to.deep.equal(['restored', sleeper.annotations.state])
  })
})

describe('an update by another account that calls itself dormouse', () => {
  it('is refused whole where it writes the state: half of it would lose the count', () => {
    const judgement = judgeUpdate(
      {
        before: web,
        after: web.snoozed({ at: NOON }),
        otherChanges: false,
        isApply: false,
        unknown: [],
        manager: 'dormouse',
        by: 'k8s:carol',
      },
      NOON,
      RULES,
    )
    expect(judgement).to.include({ type: 'deny', reason: 'other_dormouse' })
  })
})

describe('going back to an old revision', () => {
  it('is not in the way of a schedule that was broken then: it is restored', () => {
    const before = web.scheduled('8:00-18:00').remembering({})
    const old = before
      .annotated({ schedule: 'soon', state: undefined })
      .annotated({ state: '{"v":1,"old":1}' })
    const { reason, result } = updated(before, old, { otherChanges: true })
    expect([reason, result.annotations]).to.deep.equal(['restored', before.annotations])
  })
})

describe('a ReplicaSet that gets a controller owner', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  const free = aReplicaSet().withReplicas(2).enabled()

  it('while it is held is denied, with who holds it: its owner could scale it', () => {
    for (const [reason, held] of [
      ['pinned', free.pinned()],
      ['overridden', free.overridden()],
    ] as const) {
      const denied = updated(held, held.with({ owner }), { otherChanges: true })
      expect(denied).to.include({ type: 'deny', reason })
      expect(denied)
        .to.have.property('message')
        .that.matches(/ by k8s:\w+ since .*it gets no owner/)
    }
  })

  it('otherwise is let through', () => {
    expect(updated(free, free.with({ owner }), { otherChanges: true })).to.include({ type: 'allow' })
  })
})

describe('annotations that nobody acts on', () => {
  const warned = (before: Workload, after: Workload, unknown: string[] = []) => {
    const judgement = updated(before, after, { unknown, otherChanges: true })
    return judgement.type === 'allow' ? judgement.warnings : judgement
  }

  it('are admitted with a warning that names the one probably meant', () => {
    for (const [name, meant] of [
      ['enable', 'enabled'],
      ['shedule', 'schedule'],
      ['Schedule', 'schedule'],
      ['time-zone', 'timezone'],
    ]) {
      expect(warned(web, web, [`dormouse.dev/${name}`])).to.deep.equal([
        `Dormouse: deployment shop/web: dormouse.dev/${name} is not known: did you mean dormouse.dev/${meant}?`,
      ])
    }
    expect(warned(web, web, ['dormouse.dev/colour'])).to.deep.equal([
      'Dormouse: deployment shop/web: dormouse.dev/colour is not known, so it has no effect',
    ])
  })

  it('include a schedule of what is not enabled, once: when it is written', () => {
    const off = web.annotated({ enabled: undefined })
    const set = off.scheduled('8:00-18:00')
    expect(warned(off, set)).to.deep.equal([
      'Dormouse: deployment shop/web: dormouse.dev/schedule has no effect until dormouse.dev/enabled is "true"',
    ])
    expect(warned(set, set.with({ generation: 7 }))).to.deep.equal([])
    expect(warned(off, set.enabled())).to.deep.equal([])
  })

  it('are told of three at most', () => {
    const many = Array.from({ length: 1000 }, (_, at) => `dormouse.dev/x${at}`)
    expect(warned(web, web, many)).to.have.length(3)
  })
})
