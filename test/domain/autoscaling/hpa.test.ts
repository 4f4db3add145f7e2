import { expect } from 'chai'
import { autoscalerConflict, fightOf } from '../../../src/domain/deciding/scaling.ts'
import { HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { asked, contradiction, decided, followed, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { aStatefulSet } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON } from '../fixtures.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'

/** As the HPA scales: by the scale subresource, from the controller manager. */
function scaledByHpa(workload: Workload, replicas: number): Workload {
  return followed({
    ...workload,
    replicas,
    generation: workload.generation + 1,
    replicasManager: { manager: 'kube-controller-manager', subresource: 'scale' },
  })
}

describe('a sleeper that a HorizontalPodAutoscaler with minReplicas 0 wakes', () => {
  it('is put back to sleep once, and rests awake in backoff the second time, with a reason that names the HPA', () => {
    const first = stepped(scaledByHpa(asleep, 2), NIGHT)
    expect(first.decision).to.include({ action: 'snooze', trigger: 'recovery' })
    expect(first.after.replicas).to.equal(0)
    expect(first.state.snoozed?.replicas).to.equal(3)

    const now = NIGHT + 15_000
    const second = stepped(scaledByHpa(first.after, 2), now)
    expect(second.after.replicas).to.equal(2)
    expect(second.state.backoff).to.deep.equal({ until: now + 5 * MINUTE, times: 1, cause: 'flapping' })
    const { reason, lookAgainAt } = decided(second.after, now + 1)
    expect(reason.code).to.equal('backoff')
    expect(reason.text).to.include(
      'a HorizontalPodAutoscaler scaled it to 2 replicas again although it is asleep',
    )
    expect(lookAgainAt).to.equal(now + 5 * MINUTE)
    expect(stepped(second.after, now + 1).change).to.equal(undefined)
  })

  it("is named where it is KEDA's operator, whose ScaledObject nobody knows", () => {
    for (const manager of ['keda', 'keda-operator'])
      expect(fightOf(asleep.scaledByHand(2, manager), RULES)).to.equal(
        "KEDA's operator scaled it to 2 replicas again although it is asleep",
      )
  })

  it('waits where the cluster refused to put it to sleep, with that reason', () => {
    const refused = scaledByHpa(asleep.inBackoff(NIGHT + 5 * MINUTE, 'failure'), 2)
    const { action, reason } = decided(refused, NIGHT)
    expect([action, reason.code]).to.deep.equal(['none', 'backoff'])
    expect(reason.text).to.match(/: the cluster refused the last attempt \(then: /)
  })

  it('starts no backoff where sleep would delete its volumes: then it is left awake for that', () => {
    const volumes = aStatefulSet()
      .withReplicas(3)
      .enabled()
      .scheduled('8:00-18:00,Mon-Fri')
      .snoozed({ at: NIGHT - 2 * HOUR })
      .with({ deletesVolumes: true })
    const first = stepped(scaledByHpa(volumes, 2), NIGHT)
    const again = stepped(scaledByHpa(first.after, 2), NIGHT + 15_000)
    expect([first.decision.reason.code, again.state.backoff]).to.deep.equal(['data_at_risk', undefined])
    const once = stepped(scaledByHpa(asleep, 2), NIGHT)
    const twice = stepped({ ...scaledByHpa(once.after, 2), deletesVolumes: true }, NIGHT + 15_000)
    expect([twice.decision.reason.code, twice.state.backoff]).to.deep.equal(['data_at_risk', undefined])
  })

  it('keeps what it kept when somebody puts it back to sleep, and so does what woke by hand to fewer', () => {
    const keptOf = (workload: Workload, now = NIGHT) =>
      asked(workload, { action: 'snooze' }, now).state.snoozed?.replicas
    expect(keptOf(scaledByHpa(asleep, 5))).to.equal(3)
    expect(keptOf(asleep.scaledByHand(1))).to.equal(3)
    expect(keptOf(asleep.scaledByHand(5))).to.equal(5)
    expect(keptOf(asleep.editedTo(2))).to.equal(3)
    expect(keptOf(scaledByHpa(awake, 5), NOON)).to.equal(5)
    expect(keptOf(awake.withReplicas(5), NOON)).to.equal(5)
  })

  it('is in conflict with its schedule while it runs although it is asleep', () => {
    const conflictOf = (workload: Workload) => autoscalerConflict(read(workload, RULES), RULES)
    expect(conflictOf(scaledByHpa(asleep, 2))).to.equal('fight')
    expect(conflictOf(asleep)).to.equal(undefined)
    expect(conflictOf(scaledByHpa(awake, 2))).to.equal(undefined)
    expect(conflictOf(asleep.scaledByHand(2))).to.equal(undefined)
  })

  it('is left awake while overridden, and does not count as woken by hand', () => {
    const { decision, after, state } = stepped(scaledByHpa(asleep.overridden(), 2), NIGHT)
    expect(decision).to.include({ action: 'adopt', trigger: 'recovery' })
    expect(decision.reason.code).to.equal('recovery')
    expect(after.replicas).to.equal(2)
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'recovery', by: null })
  })

  it('is tried again after each backoff, which doubles up to an hour', () => {
    let workload = scaledByHpa(stepped(scaledByHpa(asleep, 2), NIGHT).after, 2)
    let now = NIGHT + 15_000
    const waits: number[] = []
    for (let times = 0; times < 6; times++) {
      const rested = stepped(workload, now)
      const until = rested.state.backoff?.until ?? 0
      waits.push((until - now) / MINUTE)
      const again = stepped(rested.after, until)
      expect(again.after.replicas).to.equal(0)
      workload = scaledByHpa(again.after, 2)
      now = until + 15_000
    }
    expect(waits).to.deep.equal([5, 10, 20, 40, 60, 60])
  })

  it('begins anew after another sleep', () => {
    const rested = stepped(scaledByHpa(stepped(scaledByHpa(asleep, 2), NIGHT).after, 2), NIGHT + 15_000)
    const morning = NIGHT + 12 * HOUR
    const woken = followed(stepped(followed({ ...rested.after, replicas: 0 }), morning).after)
    const slept = followed(stepped(woken, morning + 10 * HOUR).after)
    expect(slept.replicas).to.equal(0)
    expect(stepped(scaledByHpa(slept, 2), morning + 10 * HOUR + 15_000).after.replicas).to.equal(0)
  })

  it('is fought no more while it is pinned asleep, either', () => {
    const first = stepped(scaledByHpa(asleep.pinned(), 2), NIGHT)
    expect(first.after.replicas).to.equal(0)
    const second = stepped(scaledByHpa(first.after, 2), NIGHT + 15_000)
    expect(second.after.replicas).to.equal(2)
    expect(second.state.backoff?.until).to.equal(NIGHT + 15_000 + 5 * MINUTE)
  })

  it('is put back each time by a hand or a sync, which are no autoscalers', () => {
    const first = stepped(asleep.editedTo(2), NIGHT)
    const second = stepped(
      { ...followed(first.after), replicas: 2, replicasManager: undefined },
      NIGHT + 15_000,
    )
    expect(second.after.replicas).to.equal(0)
    expect(second.state.backoff).to.equal(undefined)
  })
})

describe('a workload that a HorizontalPodAutoscaler scales to 0 while it is awake', () => {
  it('is no contradiction, although scaling to 0 leaves no field manager', () => {
    const scaled = scaledByHpa(awake, 2)
    const zeroed = { ...scaled, replicas: 0, replicasManager: undefined }
    expect(contradiction(scaled, zeroed, NOON)).to.equal(undefined)
  })
})
