import { expect } from 'chai'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { releaseChange } from '../../../src/domain/deciding/release.ts'
import { listedRecord } from '../../../src/domain/records/record.ts'
import { replicasSaved, savedSince } from '../../../src/domain/records/saved.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { lostCount } from '../../../src/domain/workload/last-known.ts'
import { jsonPatch } from '../../../src/domain/workload/patch.ts'
import { ASLEEP_LABEL, podsFollowed, type Workload } from '../../../src/domain/workload/workload.ts'
import { asked, followed, stateOf, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { at, HOUR, RULES } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment, aStatefulSet } from '../../support/workloads.ts'
import { updated } from '../admission/updates.ts'
import { NIGHT, WORK } from '../fixtures.ts'

const EVENING = at('Mon 18:00')
const MORNING = at('Tue 8:00')

function running(replicas: number, floor = '1', workload = aDeployment('shop/web')) {
  return workload
    .withReplicas(replicas)
    .enabled()
    .scheduled(WORK)
    .annotated({ asleepReplicas: floor })
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
    .withReplicas(replicas)
}

const sleeping = (replicas: number, floor?: string) => asTold(slept(running(replicas, floor)))
const slept = (workload: Workload) => followed(stepped(workload, EVENING).after)
const asTold = (workload: Workload) => aDeployment().with(workload)
const countsAt = (workload: Workload, when = NIGHT) => {
  const { state, after } = stepped(workload, when)
  return { asleep: state.asleep, replicas: after.replicas, kept: state.snoozed?.replicas }
}

describe('a workload that sleeps down to n', () => {
  for (const [count, floor, rest] of [
    [6, '1', 1],
    [6, '0', 0],
    [6, '', 0],
    [2, '3', 2],
    [3, '3', 3],
  ] as const)
    it(`sleeps with ${rest} of ${count} by the setting '${floor}', and wakes to ${count}`, () => {
      const asleep = sleeping(count, floor)
      expect([asleep.replicas, asleep.labels?.[ASLEEP_LABEL]]).to.deep.equal([rest, String(count)])
      expect(countsAt(asleep)).to.deep.equal({ asleep: true, replicas: rest, kept: count })
      expect(stateOf(asleep).history[0]).to.include({ type: 'snooze', replicas: rest })
      expect(countsAt(asleep, MORNING)).to.deep.equal({ asleep: false, replicas: count, kept: count })
    })

  it('is never scaled up by sleeping: a count of 0 stays 0 (GoKubeDownscaler #455, #456)', () => {
    const none = running(3).withReplicas(0)
    expect(countsAt(none)).to.deep.equal({ asleep: true, replicas: 0, kept: 0 })
    // Awake with fewer than are kept, and scaled down past n.
    const woken = asTold(stepped(sleeping(6).scaledByHand(3), NIGHT).after)
    expect(countsAt(woken.scaledByHand(0))).to.deep.equal({ asleep: true, replicas: 0, kept: 6 })
    expect(countsAt(asTold(stepped(none, NIGHT).after), MORNING)).to.include({ asleep: false, replicas: 0 })
  })

  it('is woken by a scaling above n alone; to n or below, it sleeps on and keeps what it kept', () => {
    const asleep = sleeping(6, '2')
    const scaled = (to: number) => admitScale(asleep, to, NIGHT, RULES)
    for (const count of [0, 1]) {
      expect(scaled(count)).to.include({ type: 'allowed', reason: 'free' })
      const lower = asTold(asleep.scaledByHand(count))
      expect(countsAt(lower)).to.deep.equal({ asleep: true, replicas: count, kept: 6 })
      expect(admitScale(lower, 2, NIGHT, RULES)).to.include({ type: 'allowed', reason: 'free' })
      expect(countsAt(lower, MORNING)).to.include({ asleep: false, replicas: 6 })
    }
    expect(scaled(3)).to.include({ type: 'allowed', reason: 'manual_wake' })
    expect(countsAt(asleep.scaledByHand(3))).to.include({ asleep: false, replicas: 3 })
    // It never had more than 2.
    expect(admitScale(sleeping(2, '3'), 3, NIGHT, RULES)).to.include({ reason: 'manual_wake' })
  })

  it('follows its setting while it sleeps, within what it kept, and the sleep stays the one that it was', () => {
    const { snoozed, history } = stateOf(sleeping(2))
    for (const [floor, rest] of [
      ['0', 0],
      ['', 0],
      ['2', 2],
      ['5', 2],
      ['one', 1],
    ] as const) {
      const { state, after, decision } = stepped(sleeping(2).annotated({ asleepReplicas: floor }), NIGHT)
      expect([after.replicas, decision.action], floor).to.deep.equal([rest, 'none'])
      expect(state.snoozed).to.include({ at: snoozed?.at, trigger: 'schedule', replicas: 2 })
      expect(state.history.map((each) => each.at)).to.deep.equal(history.map((each) => each.at))
      expect(stepped(followed(after), NIGHT).change, 'carried out twice').to.equal(undefined)
    }
  })

  it('keeps its count under a pin or an override, which the webhook refuses to change', () => {
    for (const held of [sleeping(6, '2').pinned(), sleeping(6, '2').overridden()]) {
      expect(stepped(held.annotated({ asleepReplicas: '0' }), NIGHT).after.replicas).to.equal(2)
      for (const count of [0, 1, 6]) expect(admitScale(held, count, NIGHT, RULES).type).to.equal('denied')
      expect(admitScale(held, 2, NIGHT, RULES)).to.include({ reason: 'no_count_change' })
      expect(updated(held, held.withReplicas(6), { otherChanges: true }).result.replicas).to.equal(2)
    }
    const pinned = sleeping(6, '2').pinned()
    expect(countsAt(pinned.scaledByHand(5)), 'the webhook was down').to.include({ asleep: true, replicas: 2 })
  })

  it('absorbs what GitOps applies, be it the count awake, n, or fewer', () => {
    const asleep = sleeping(6, '2')
    for (const [count, rest, options] of [
      [6, 2, { isApply: true }],
      [9, 2, { isApply: true }],
      [2, 2, { isApply: true, manifestCount: 'asleep' }],
      [1, 1, { isApply: true }],
      [0, 0, { isApply: true }],
      [4, 2, {}],
    ] as const) {
      const { result, reason } = updated(asleep, asleep.withReplicas(count), options)
      expect([reason, result.replicas, stateOf(result).snoozed?.replicas]).to.deep.equal([
        'absorbed',
        rest,
        count,
      ])
      expect(countsAt(followed(result), MORNING)).to.include({ asleep: false, replicas: count })
    }
    const stopsNaming = { isApply: true, manifestCount: 'absent' } as const
    const { result } = updated(asleep, asleep.withReplicas(1), stopsNaming)
    expect([result.replicas, stateOf(result).snoozed?.replicas]).to.deep.equal([2, 6])
    const edited = updated(asleep, asleep.withReplicas(1))
    expect([edited.reason, edited.result.replicas]).to.deep.equal(['free', 1])
    expect(stateOf(edited.result).snoozed?.replicas).to.equal(6)
  })

  it('goes back to n when an autoscaler or a sync raised it while nobody reviewed that', () => {
    expect(countsAt(sleeping(6).scaledByHand(3, 'kube-controller-manager'))).to.deep.equal({
      asleep: true,
      replicas: 1,
      kept: 6,
    })
    expect(countsAt(sleeping(6).appliedWith(4))).to.deep.equal({ asleep: true, replicas: 1, kept: 4 })
  })

  it('has followed once no more than n pods are left, and is then not late', () => {
    const { after } = stepped(running(6, '2'), EVENING)
    const seen = (existing: number) =>
      followed(asTold(after).with({ pods: { ...after.pods, existing, ready: existing } }))
    const left = (existing: number) => ({ ...seen(2), pods: { ...seen(2).pods, existing, ready: existing } })
    expect([6, 3, 2, 1].map((existing) => podsFollowed(left(existing)))).to.deep.equal([
      false,
      false,
      true,
      true,
    ])
    expect(listedRecord(left(6), EVENING, RULES)).to.include({ phase: 'falling_asleep', is_snoozed: true })
    expect(listedRecord(left(2), EVENING, RULES)).to.include({ phase: 'asleep', current_replicas: 2 })
  })

  it('saves what it keeps and does not run', () => {
    const asleep = sleeping(6, '2')
    expect(replicasSaved(read(asleep))).to.equal(4)
    const hours = (workload: Workload, now: number) =>
      savedSince(read(workload), at('Mon 0:00'), now).replicaSeconds / 3600
    expect(hours(asleep, EVENING + 2 * HOUR)).to.equal(8)
    const woken = asked(asleep, { action: 'wake' }, EVENING + 3 * HOUR).after
    expect(hours(woken, EVENING + 9 * HOUR)).to.equal(12)
  })

  it('says so, to whoever puts it to sleep and whoever syncs it', () => {
    expect(asked(running(6), { action: 'snooze' }, at('Mon 12:00')).message).to.match(
      /^snoozed at 1 replica, 6 replicas kept: /,
    )
    const { warnings } = updated(sleeping(6), sleeping(6).withReplicas(4), { isApply: true })
    expect(warnings[0]).to.include('is asleep and stays at 1 replica; it will wake to 4')
  })

  it('keeps data: volumes that a lower count would delete leave it awake, or asleep as it is', () => {
    const volumes = { deletesVolumes: true }
    const db = running(3, '1', aStatefulSet())
    expect(stepped(db.with(volumes), EVENING).decision.reason.code).to.equal('data_at_risk')
    const same = running(2, '2', aStatefulSet()).with(volumes)
    expect(countsAt(same), 'nothing is scaled down').to.include({ asleep: true, replicas: 2 })
    const asleep = aStatefulSet().with(slept(db)).annotated({ asleepReplicas: '0' })
    expect(stepped(asleep.with(volumes), NIGHT).after.replicas).to.equal(1)
    const kept = db.with({ keepsVolumesBy: 'Retain' })
    const { change } = stepped(kept, EVENING)
    expect(jsonPatch(kept, change!).map(({ path }) => path)).to.include(
      '/spec/persistentVolumeClaimRetentionPolicy/whenScaled',
    )
  })

  it('is released to the kept count', () => {
    const asleep = sleeping(6)
    expect(changed(asleep, releaseChange(asleep, NIGHT, RULES)!)).to.include({ replicas: 6 })
  })

  it('is read from its label and its setting where its state is lost, copied or foreign', () => {
    const asleep = sleeping(6)
    const lost = asked(
      asleep.annotated({ state: undefined, history: undefined }),
      { action: 'repair' },
      NIGHT,
    )
    expect([lost.state.asleep, lost.state.snoozed?.replicas, lost.after.replicas]).to.deep.equal([true, 6, 1])
    const restored = admitCreate(asleep, NIGHT, RULES)
    expect(stateOf('change' in restored ? changed(asleep, restored.change) : asleep)).to.deep.include({
      asleep: true,
    })
    // Two replicas run, and no setting lets it sleep with them.
    const runs = sleeping(6, '2').annotated({ asleepReplicas: undefined })
    const moved = admitCreate(runs, NIGHT, RULES)
    expect(stateOf('change' in moved ? changed(runs, moved.change) : runs).asleep).to.equal(false)
  })

  it('gets its count back where a webhook dropped the marks of the write that put it to sleep', () => {
    const before = running(6)
    const dropped = before.with({
      replicas: 1,
      replicasManager: { manager: 'dormouse', subresource: undefined },
    })
    const { counter } = stateOf(before)
    expect(lostCount(dropped, { counter, workload: before })).to.equal(6)
    expect(lostCount(dropped.scaledByHand(1), { counter, workload: before })).to.equal(undefined)
  })

  it('is left alone with n while another tool keeps its count', () => {
    const bare = running(1).with({ keptByOther: '6' }).annotated({ state: undefined, history: undefined })
    expect(stepped(bare, NIGHT).decision.reason.code).to.equal('kept_by_other')
    const { after, state } = asked(bare, { action: 'adopt', count: 6 }, NIGHT)
    expect([state.asleep, state.snoozed?.replicas, after.replicas]).to.deep.equal([true, 6, 1])
  })

  it('brings a new version to what runs of it at once, of which nothing has to be said', () => {
    const options = { otherChanges: true, changesTemplate: true, now: NIGHT }
    expect(updated(sleeping(6), sleeping(6), options).warnings).to.deep.equal([])
    expect(updated(sleeping(6, '0'), sleeping(6, '0'), options).warnings[0]).to.include(
      'the new version runs',
    )
  })

  it('has no count where its form has none', () => {
    const agent = running(2, '1', aDaemonSet())
    const after = slept(agent)
    expect([after.snoozeKey, stateOf(after).snoozed?.rest]).to.deep.equal(['true', undefined])
    expect(stepped(after, NIGHT).change).to.equal(undefined)
    const report = running(1, '1', aCronJob())
    expect(slept(report).replicas).to.equal(0)
    for (const [workload, what] of [
      [agent, 'a daemonset'],
      [report, 'a cronjob'],
    ] as const) {
      const before = workload.annotated({ asleepReplicas: undefined })
      expect(updated(before, workload).warnings.join()).to.include(
        `dormouse.dev/asleep-replicas has no effect on ${what}`,
      )
    }
  })
})
