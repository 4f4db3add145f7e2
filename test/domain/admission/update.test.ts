import { expect } from 'chai'
import { ASLEEP_LABEL, HELD_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at, HOUR } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'
import { updated } from './updates.ts'

const SEVEN = at('Mon 7:00')
const web = aDeployment('shop/web').withReplicas(3).enabled()
const agent = aDaemonSet().withReplicas(2).enabled()

const PINNED_OR_OVERRIDDEN: [string, AWorkload][] = [
  ['pinned', web.pinned()],
  ['overridden', web.overridden()],
]

describe('an update of a workload', () => {
  for (const [reason, here] of PINNED_OR_OVERRIDDEN) {
    it(`of a workload that is ${reason} is denied if it changes only the count, and says how to end that`, () => {
      const decision = updated(here, here.withReplicas(5))
      expect(decision).to.include({ type: 'denied', reason })
      expect(decision)
        .to.have.property('message')
        .that.contains('kubectl annotate -n shop deployments/web dormouse.dev/request=')
    })

    it(`of a workload that is ${reason} keeps the count if it changes other fields too, and warns`, () => {
      const { reason: why, result, warnings } = updated(here, here.withReplicas(5), { otherChanges: true })
      expect([why, result.replicas]).to.deep.equal(['held', 3])
      const [says, clear] = warnings
      expect(says).to.match(/^Dormouse: deployment shop\/web stays at 3 replicas: it is /)
      expect(clear, 'by itself, as long ones are cut').to.contain(
        ' kubectl annotate -n shop deployments/web dormouse.dev/request=',
      )
    })

    it(`of a workload that is ${reason} is allowed unchanged if it leaves the count`, () => {
      expect(updated(here, here.with({ generation: 9 }), { otherChanges: true })).to.deep.include({
        type: 'allowed',
        reason: 'free',
        warnings: [],
      })
    })

    it(`of a workload that is ${reason} cannot change enabled`, () => {
      for (const enabled of ['false', undefined]) {
        expect(updated(here, here.annotated({ enabled }), { otherChanges: true })).to.include({
          type: 'denied',
          reason,
        })
      }
    })
  }

  it('of a workload that is pinned asleep is allowed with the kept count, and leaves it at 0', () => {
    const sleeper = web.snoozed({ at: SEVEN }).pinned()
    const { result, ...decision } = updated(sleeper, sleeper.withReplicas(3))
    expect(decision).to.include({ type: 'patched', reason: 'held' })
    expect(result.replicas).to.equal(0)
    expect(updated(sleeper, sleeper.withReplicas(4))).to.include({ type: 'denied' })
  })
})

describe('GitOps and sleep', () => {
  const sleeper = web.snoozed({ at: SEVEN })

  it('a sleeper that is updated with another count stays at 0 and keeps that count', () => {
    for (const otherChanges of [false, true]) {
      const { result, reason, warnings } = updated(sleeper, sleeper.withReplicas(7), { otherChanges })
      expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '7'])
      expect(decoded(result.annotations).snoozed?.replicas).to.equal(7)
      expect(warnings).to.deep.equal([
        'Dormouse: deployment shop/web is asleep and stays at 0 replicas; it will wake to 7',
        'Dormouse: deployment shop/web: to wake it now: kubectl annotate -n shop deployments/web dormouse.dev/request=wake',
      ])
    }
  })

  it('a sleeper that is updated with its kept count keeps its state', () => {
    const { result, reason } = updated(sleeper, sleeper.withReplicas(3))
    expect([reason, result.replicas]).to.deep.equal(['absorbed', 0])
    expect(result.annotations.state).to.equal(sleeper.annotations.state)
  })

  it('a manifest that stops naming a count leaves the kept one, for which the API server sets 1', () => {
    const { result, reason, warnings } = updated(sleeper, sleeper.withReplicas(1), {
      manifestCount: 'absent',
    })
    expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '3'])
    expect(warnings[0]).to.include('it will wake to 3')
    const none = web.withReplicas(0).snoozed({ at: SEVEN, kept: 0 })
    const first = updated(none, none.withReplicas(1), { manifestCount: 'absent' })
    expect(first.result.labels?.[ASLEEP_LABEL], 'where 0 were kept').to.equal('1')
    const pin = updated(sleeper.pinned(), sleeper.pinned().withReplicas(1), { manifestCount: 'absent' })
    expect([pin.reason, pin.result.replicas, pin.result.labels?.[ASLEEP_LABEL]]).to.deep.equal([
      'held',
      0,
      '3',
    ])
  })

  it('a manifest with 0 lets a sleeper stay at 0 after its wake, and says so; what is pinned or overridden keeps its count', () => {
    const { result, reason, warnings } = updated(sleeper, sleeper, { manifestCount: 'asleep' })
    expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '0'])
    expect(decoded(result.annotations).snoozed?.replicas).to.equal(0)
    expect(warnings[0]).to.equal(
      'Dormouse: deployment shop/web is asleep and keeps 0 from now on, since this manifest sets 0 replicas: no schedule wakes it',
    )
    for (const before of [sleeper.pinned(), sleeper.overridden(), result, web.withReplicas(0)])
      expect(updated(before, before, { manifestCount: 'asleep' })).to.include({
        type: 'allowed',
        reason: 'free',
      })
  })

  it('an update that removes our key from a DaemonSet gets it restored; one that removes the key alone is a manual wake', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    const sync = updated(asleep, asleep.withoutItsKey(), { otherChanges: true })
    expect([sync.reason, sync.result.snoozeKey]).to.deep.equal(['absorbed', 'true'])
    const { reason, result } = updated(asleep, asleep.withoutItsKey())
    const state = decoded(result.annotations)
    expect([reason, result.snoozeKey, state.asleep]).to.deep.equal(['manual_wake', undefined, false])
    expect(state.intent).to.include({ want: 'awake', trigger: 'manual', by: 'k8s:carol' })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'manual', by: 'k8s:carol' })
  })

  it('a manual wake of a DaemonSet is recorded with the kept count, and is running until its pods follow', () => {
    const asleep = agent.snoozed({ at: SEVEN, kept: 3 }).with({ replicas: 0 })
    const { result } = updated(asleep, asleep.with({ snoozeKey: undefined }))
    expect(decoded(result.annotations).history[0]).to.include({
      replicas: 3,
      duration: null,
      result: 'running',
    })
  })

  it('an apply that drops our key alone from a DaemonSet gets it restored without a warning, pinned or overridden or not', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    for (const each of [asleep, asleep.pinned(), asleep.overridden()]) {
      const sync = updated(each, each.withoutItsKey(), { isApply: true })
      expect(sync).to.deep.include({ type: 'patched', reason: 'absorbed', warnings: [] })
      expect([sync.result.snoozeKey, sync.result.annotations]).to.deep.equal(['true', each.annotations])
    }
  })

  it('an update that removes our key alone from a pinned DaemonSet is denied; with other changes the key is restored', () => {
    const asleep = agent.snoozed({ at: SEVEN }).pinned()
    expect(updated(asleep, asleep.withoutItsKey())).to.include({ type: 'denied', reason: 'pinned' })
    const rollout = updated(asleep, asleep.withoutItsKey(), { otherChanges: true })
    expect(rollout).to.deep.include({ type: 'patched', reason: 'absorbed', warnings: [] })
    expect(rollout.result.snoozeKey).to.equal('true')
  })

  it('another value of our key on a DaemonSet is set back to what it was', () => {
    for (const value of ['true', 'false']) {
      const asleep = agent.snoozed({ at: SEVEN }).with({ snoozeKey: value })
      for (const each of [asleep, asleep.pinned()]) {
        const { type, result } = updated(each, each.with({ snoozeKey: 'another' }))
        expect([type, result.snoozeKey]).to.deep.equal(['patched', value])
      }
    }
  })

  it('a DaemonSet that is replaced without our marks gets its key back: nobody meant the key alone', () => {
    const asleep = agent.snoozed({ at: SEVEN })
    const bare = asleep.withoutItsKey().annotated({ state: undefined }).labelled(undefined)
    const { reason, result } = updated(asleep, bare)
    expect([reason, result.snoozeKey]).to.deep.equal(['absorbed', 'true'])
    expect(decoded(result.annotations).asleep).to.equal(true)
  })

  it('our key is removed again when somebody else adds it to a DaemonSet', () => {
    const { reason, result } = updated(agent, agent.with({ snoozeKey: 'true', hasNodeSelector: true }))
    expect([reason, result.snoozeKey]).to.deep.equal(['held', undefined])
  })

  it('the count of a workload that is awake and neither pinned nor overridden may change', () => {
    expect(updated(web, web.withReplicas(0))).to.deep.include({
      type: 'allowed',
      reason: 'free',
      warnings: [],
    })
  })
})

describe('our marks in an update by somebody else', () => {
  const before = web.scheduled('8:00-18:00').snoozed({ at: SEVEN })
  const marks = ({ annotations, labels }: Workload) => ({ annotations, labels })

  it('are restored, all four annotations and the label, when the state changed: it is an old copy', () => {
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

  it('hold the history, which changes with the state alone: rewritten, dropped or put back, it is restored', () => {
    const earlier = web.snoozed({ at: SEVEN - 1000 }).annotations
    for (const history of ['', '2026-03-02T07:00:00Z w3', undefined, earlier.history]) {
      const { result, reason } = updated(before, before.annotated({ history }))
      expect([reason, marks(result)]).to.deep.equal(['restored', marks(before)])
    }
    const undone = before.annotated({ state: earlier.state, history: undefined })
    expect(marks(updated(before, undone).result)).to.deep.equal(marks(before))
    const without = web.remembering({})
    expect(
      updated(without, without.annotated({ history: earlier.history })).result.annotations,
    ).to.deep.equal(without.annotations)
  })

  it('are restored as far as they are absent when the state was dropped', () => {
    const dropped = before
      .annotated({ state: undefined, enabled: undefined, schedule: '9:00-10:00' })
      .labelled(undefined)
    const { result } = updated(before, dropped)
    expect(result.annotations).to.deep.equal({ ...before.annotations, schedule: '9:00-10:00' })
    expect(result.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  it('may change but for the label when the state is unchanged: a person edits the other three', () => {
    const edited = before.annotated({ schedule: undefined, timezone: 'Asia/Tokyo', enabled: 'false' })
    expect(updated(before, edited).result.annotations).to.deep.equal(edited.annotations)
  })

  it('are not restored on a workload that is disabled and awake', () => {
    const off = web.remembering({}).annotated({ enabled: 'false' })
    for (const enabled of ['false', undefined]) {
      const cleared = updated(off, off.annotated({ state: undefined, enabled }))
      expect(cleared).to.deep.include({ type: 'allowed', reason: 'free', warnings: [] })
      expect(cleared.result.annotations.state).to.equal(undefined)
    }
    const sleeper = before.annotated({ enabled: 'false' })
    const kept = updated(sleeper, sleeper.annotated({ state: undefined })).result
    expect(kept.annotations.state, 'while it is asleep the state keeps the count').to.equal(
      before.annotations.state,
    )
  })

  it('are restored when the label alone changed', () => {
    expect(updated(before, before.labelled({ [ASLEEP_LABEL]: '9', app: 'web' })).result.labels).to.deep.equal(
      { [ASLEEP_LABEL]: '3', app: 'web' },
    )
    expect(updated(web, web.labelled({ [ASLEEP_LABEL]: '9' })).result.labels).to.deep.equal({})
  })

  it('are denied with the reason when schedule, timezone or enabled is invalid', () => {
    for (const [name, value] of [
      ['schedule', 'soon'],
      ['timezone', 'Mars/Base'],
      ['timezone', 'BST'],
      ['enabled', 'yes'],
    ] as const) {
      const decision = updated(before, before.annotated({ [name]: value }))
      expect(decision).to.include({ type: 'denied', reason: 'invalid_annotation' })
      expect(decision).to.have.property('message').that.contains(`dormouse.dev/${name}: `)
    }
  })

  it('do not block a deploy when an annotation was invalid before', () => {
    const broken = web.annotated({ schedule: 'soon' })
    expect(updated(broken, broken.with({ generation: 4 }), { otherChanges: true })).to.include({
      type: 'allowed',
    })
  })

  it('allow everything, with a warning, when the state cannot be read', () => {
    const broken = web.annotated({ state: '{' })
    expect(updated(broken, broken.withReplicas(9))).to.include({ type: 'allowed', reason: 'unreadable' })
  })

  it('deny what would break a hold, and no rollout, when the label alone says that there is one', () => {
    const broken = web.annotated({ state: '{' }).with({ labels: { [HELD_LABEL]: 'pin' } })
    const rollout = updated(broken, broken.with({ generation: 4 }), { otherChanges: true })
    expect(rollout).to.include({ type: 'allowed', reason: 'unreadable' })
    const scaled = updated(broken, broken.withReplicas(9))
    expect(scaled).to.include({ type: 'denied', reason: 'unreadable' })
    expect(scaled)
      .to.have.property('message')
      .that.includes('is held by a pin or an override, so this cannot')
    for (const after of [broken.annotated({ state: '{', enabled: 'false' }), broken.with({ labels: {} })])
      expect(updated(broken, after)).to.include({ type: 'denied', reason: 'unreadable' })
  })

  it('record how long a manual wake by the key lasts', () => {
    const asleep = agent.scheduled('8:00-9:00').snoozed({ at: at('Mon 9:00') })
    const { result } = updated(asleep, asleep.withoutItsKey())
    expect(decoded(result.annotations).intent?.hold).to.equal(NOON + 12 * HOUR)
  })
})

describe('an update by another account that calls itself dormouse', () => {
  it('is denied when it writes the state: half of it would lose the count', () => {
    const decision = updated(web, web.snoozed({ at: NOON }), { manager: 'dormouse' })
    expect(decision).to.include({ type: 'denied', reason: 'other_dormouse' })
    expect(decision.type === 'denied' && decision.message).to.include('(carol)')
  })
})

describe('going back to an old revision', () => {
  it("goes through even if the schedule was broken then: today's is restored", () => {
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

  it('is denied while it is pinned or overridden, with by whom: its owner could scale it', () => {
    for (const [reason, each] of [
      ['pinned', free.pinned()],
      ['overridden', free.overridden()],
    ] as const) {
      const denied = updated(each, each.with({ owner }), { otherChanges: true })
      expect(denied).to.include({ type: 'denied', reason })
      expect(denied)
        .to.have.property('message')
        .that.matches(/ by \w+ since .*cannot get an owner/)
    }
  })

  it('otherwise is let through', () => {
    expect(updated(free, free.with({ owner }), { otherChanges: true })).to.include({ type: 'allowed' })
  })
})

describe('annotations without effect', () => {
  const warned = (before: Workload, after: Workload, unknown: string[] = []) => {
    const decision = updated(before, after, { unknown, otherChanges: true })
    return decision.type === 'denied' ? decision : decision.warnings
  }

  it('are allowed with a warning that names the one probably meant', () => {
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

  it('include the schedule of a workload that is not enabled, in the write that adds it', () => {
    const off = web.annotated({ enabled: undefined })
    const set = off.scheduled('8:00-18:00')
    expect(warned(off, set)).to.deep.equal([
      'Dormouse: deployment shop/web: dormouse.dev/schedule has no effect until dormouse.dev/enabled is "true"',
    ])
    expect(warned(set, set.with({ generation: 7 }))).to.deep.equal([])
    expect(warned(off, set.enabled())).to.deep.equal([])
  })

  it('are warned about three times at most', () => {
    const many = Array.from({ length: 1000 }, (_, at) => `dormouse.dev/x${at}`)
    expect(warned(web, web, many)).to.have.length(3)
  })
})
