import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { asked, followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, HOUR, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { awake, NIGHT } from '../fixtures.ts'

const MORNING = at('Tue 8:00')
const EVENING = at('Tue 18:00')

const asleep = awake.withReplicas(5).snoozed({ at: at('Mon 18:00') })

/** `kubectl scale` of the sleeper at night, as the controller takes it. */
function scaledTo(replicas: number): Workload {
  return followed(stepped(asleep.scaledByHand(replicas), NIGHT).after)
}

const scaled = (workload: Workload, replicas: number, manager = 'kubectl') =>
  followed(stepped(aDeployment().with(workload).scaledByHand(replicas, manager), at('Mon 21:00')).after)
const edited = (workload: Workload, replicas: number) =>
  followed(stepped(aDeployment().with(workload).editedTo(replicas), at('Mon 21:00')).after)
const deployed = (workload: Workload) => ({ ...workload, generation: workload.generation + 1 })

describe('a manual wake never lowers the kept count', () => {
  /** Events before the edge; the awake count in the morning, and the kept one in the evening. */
  const cases: [string, () => Workload, { morning: number; evening: number }][] = [
    ['scaled to less', () => scaledTo(1), { morning: 5, evening: 5 }],
    ['scaled to as many', () => scaledTo(5), { morning: 5, evening: 5 }],
    ['scaled to more', () => scaledTo(7), { morning: 7, evening: 7 }],
    ['to less, then a deploy', () => deployed(scaledTo(1)), { morning: 5, evening: 5 }],
    [
      'to less, then by somebody else to another count',
      () => scaled(scaledTo(1), 2),
      { morning: 2, evening: 2 },
    ],
    [
      'to less, by somebody else to another count, and back to the first',
      () => scaled(scaled(scaledTo(1), 2), 1),
      { morning: 1, evening: 1 },
    ],
    [
      'to less, then an HPA',
      () => scaled(scaledTo(1), 3, 'kube-controller-manager'),
      { morning: 3, evening: 3 },
    ],
    ['to less, then an apply of another count', () => edited(scaledTo(1), 4), { morning: 4, evening: 4 }],
    ['to less, then to 0', () => scaled(scaledTo(1), 0), { morning: 5, evening: 5 }],
    ['to less, to 0, and to less again', () => scaled(scaled(scaledTo(1), 0), 2), { morning: 5, evening: 5 }],
  ]
  for (const [what, workload, { morning, evening }] of cases) {
    it(`${what}: an edge to awake brings ${morning}, the next one to sleep keeps ${evening}`, () => {
      const awake = followed(stepped(workload(), MORNING).after)
      expect([awake.replicas, stateOf(awake).asleep]).to.deep.equal([morning, false])
      const slept = stepped(awake, EVENING)
      expect([slept.after.replicas, slept.state.snoozed?.replicas]).to.deep.equal([0, evening])
    })

    it(`${what}: an edge to sleep keeps ${evening}`, () => {
      const slept = stepped(workload(), EVENING)
      expect([slept.after.replicas, slept.state.snoozed?.replicas]).to.deep.equal([0, evening])
    })
  }

  it('scaled to 0 again before the edge, it is asleep again until the edge, with all kept', () => {
    const again = scaled(scaledTo(1), 0)
    expect(stateOf(again)).to.deep.include({ asleep: true })
    expect(statusRecord(again, at('Mon 22:00'), RULES)).to.include({ is_snoozed: true, last_replicas: 5 })
    expect(stepped(again, at('Mon 22:00')).change).to.equal(undefined)
  })

  const requests: [string, Request, number][] = [
    ['a wake request brings all at once', { action: 'wake' }, 5],
    ['a wake request with a limit, too', { action: 'wake', for: HOUR }, 5],
  ]
  for (const [what, request, count] of requests) {
    it(what, () => {
      const { after, state } = asked(scaledTo(1), request, at('Mon 21:00'))
      expect(after.replicas).to.equal(count)
      expect(state.woken).to.deep.equal({ at: at('Mon 21:00') })
    })
  }

  it('a snooze request keeps all', () => {
    const { state } = asked(scaledTo(1), { action: 'snooze' }, at('Mon 21:00'))
    expect(state.snoozed?.replicas).to.equal(5)
  })

  it('a snooze request before anybody has noticed that wake keeps all, too', () => {
    const kept = (workload: Workload) => asked(workload, { action: 'snooze' }, NIGHT).state.snoozed?.replicas
    expect(kept(asleep.scaledByHand(1)), 'by hand').to.equal(5)
    expect(kept(asleep.scaledByHand(7)), 'by hand to more').to.equal(7)
    expect(kept(asleep.scaledByHand(7, 'kube-controller-manager')), 'by an autoscaler').to.equal(5)
  })

  for (const [found, still, title] of [
    [asleep.editedTo(1, 'a-webhook'), 5, 'an update that no webhook of ours saw'],
    [asleep.editedTo(7, 'a-webhook'), 7, 'such an update to more'],
    [asleep.appliedWith(1), 1, 'a manifest by server-side apply'],
    [
      asleep.editedTo(1, 'kubectl-client-side-apply').with({ manifestCount: 1 }),
      1,
      "a manifest by kubectl's apply",
    ],
    [asleep.editedTo(1).with({ manifestCount: 4 }), 5, 'an update to another count than the manifest has'],
  ] as const)
    it(`${title}: ${still} are kept, whatever comes next`, () => {
      const again = stepped(found, NIGHT)
      expect(again.state).to.deep.include({ asleep: true })
      expect(again.after.labels?.['dormouse.dev/asleep']).to.equal(String(still))
      expect(stepped(found, MORNING).after.replicas, 'at the edge to awake').to.equal(still)
      expect(asked(found, { action: 'wake' }, NIGHT).after.replicas, 'by a wake request').to.equal(still)
      expect(asked(found, { action: 'snooze' }, NIGHT).state.snoozed?.replicas).to.equal(still)
      const resting = found.inBackoff(NIGHT + HOUR)
      expect(asked(resting, { action: 'wake' }, NIGHT).after.replicas, 'in a backoff').to.equal(still)
      expect(asked(resting, { action: 'pin' }, NIGHT).state.pin?.replicas, 'pinned').to.equal(still)
      const forced = asked(resting, { action: 'snooze', force: true }, NIGHT)
      expect(forced.state.snoozed?.replicas, 'put to sleep in a backoff').to.equal(still)
      expect(asked(found, { action: 'disable' }, NIGHT).after.replicas, 'disabled').to.equal(still)
      const overridden = followed(stepped(found.overridden(), NIGHT).after)
      const freed = asked(overridden, { action: 'clearOverride' }, MORNING + HOUR).after
      expect(freed.replicas, 'once an override of it has ended').to.equal(still)
    })

  it('a wake request after somebody changed the count says that it is awake', () => {
    const { change, message } = asked(scaled(scaledTo(1), 2), { action: 'wake' }, at('Mon 22:00'))
    expect(change).to.equal(undefined)
    expect(message).to.contain('already awake')
  })

  it('outlasts a pin that brings the count back, and a disable', () => {
    const pinned = asked(scaledTo(1), { action: 'pin' }, at('Mon 21:00')).after
    const emptied = aDeployment().with(pinned).withReplicas(0)
    const back = followed(stepped(emptied, at('Mon 22:00')).after)
    expect(back.replicas).to.equal(1)
    expect(asked(back, { action: 'unpin' }, MORNING + HOUR).after.replicas).to.equal(5)
    const disabled = asked(scaledTo(1), { action: 'disable' }, at('Mon 21:00')).after
    expect(stateOf(disabled).woken).to.include({ kept: 5, set: 1 })
    const down = aDeployment().with(scaledTo(1)).scaledByHand(0)
    expect(asked(down, { action: 'disable' }, at('Mon 21:00')).after.replicas, 'nothing stays down').to.equal(
      5,
    )
  })

  it('an autoscaler that wakes a sleeper does not lower it either', () => {
    for (const manager of ['kube-controller-manager', 'keda']) {
      const { state } = stepped(asleep.scaledByHand(1, manager), NIGHT)
      expect(state.snoozed?.replicas).to.equal(5)
      const overridden = stepped(asleep.overridden().scaledByHand(1, manager), NIGHT)
      expect(overridden.state.woken).to.include({ kept: 5, set: 1 })
    }
  })

  it('waits for pin, override and backoff', () => {
    const lowered = scaledTo(1)
    const pinned = asked(lowered, { action: 'pin' }, at('Mon 21:00')).after
    expect(stepped(pinned, MORNING).after.replicas).to.equal(1)
    expect(asked(pinned, { action: 'unpin' }, MORNING + HOUR).after.replicas).to.equal(5)
    const overridden = asked(lowered, { action: 'override', duration: 14 * HOUR }, at('Mon 21:00')).after
    expect(stepped(overridden, MORNING).after.replicas).to.equal(1)
    expect(stepped(overridden, at('Tue 11:00')).after.replicas).to.equal(5)
    const resting = aDeployment()
      .with(lowered)
      .inBackoff(MORNING + HOUR / 2)
    expect(stepped(resting, MORNING).after.replicas).to.equal(1)
    expect(stepped(resting, MORNING + HOUR / 2).after.replicas).to.equal(5)
  })

  it('is shown in the reason', () => {
    expect(statusRecord(scaledTo(1), at('Mon 21:00'), RULES).reason).to.contain('5 are kept')
  })
})

describe('a StatefulSet whose volumes are deleted with its pods', () => {
  const risky = asleep.woken({ at: at('Mon 19:00') }).with({ deletesVolumes: true, kind: 'deployments' })

  it('is not put to sleep by its schedule, and says why', () => {
    const { decision, change } = stepped(risky, EVENING)
    expect(change).to.equal(undefined)
    expect(decision.reason).to.include({ code: 'data_at_risk' })
    expect(decision.reason.text).to.match(/whenScaled is Delete/)
    expect(decision.lookAgainAt).to.equal(at('Wed 8:00'))
  })

  it('is not put to sleep by a request, with 409 DATA_AT_RISK, unless it says force', () => {
    const snooze = () => asked(risky, { action: 'snooze' }, at('Tue 12:00'))
    expect(snooze).to.throw('would delete its volumes').and.have.property('code', 'DATA_AT_RISK')
    expect(asked(risky, { action: 'snooze', force: true }, at('Tue 12:00')).after.replicas).to.equal(0)
  })

  it('is awake where it was found running although asleep: its volumes stay', () => {
    const found = asleep.with({ deletesVolumes: true }).editedTo(5)
    const { after, state } = stepped(found, NIGHT)
    expect([after.replicas, state.asleep]).to.deep.equal([5, false])
    expect(stepped(after, NIGHT).change).to.equal(undefined)
  })

  it('is put to sleep if it has no pods, and wakes as any other', () => {
    const slept = asleep.with({ deletesVolumes: true })
    expect(stepped(slept, MORNING).after.replicas).to.equal(5)
  })
})

describe('near the limit of all annotations', () => {
  const full = (bytes: number) => asleep.with({ otherAnnotationBytes: bytes })

  it('the history is shortened until the write fits, and a wake is never refused for it', () => {
    const taken = full(256 * 1024 - 1200)
    const woken = stepped(taken, MORNING).after
    const { annotations } = woken
    const ours = Object.entries(annotations).reduce(
      (sum, [name, text]) => sum + `dormouse.dev/${name}`.length + text.length,
      0,
    )
    expect(ours).to.be.at.most(1200)
    expect(woken.replicas).to.equal(5)
  })

  it('a workload that can be put to sleep can be woken, however long the names in its state', () => {
    const name = `k8s:${'名'.repeat(124)}`
    const awake = aDeployment().with(stepped(asleep, MORNING).after)
    for (let room = 200; room < 6000; room += 100) {
      const near = awake.with({ otherAnnotationBytes: 256 * 1024 - room }).overridden(null, name)
      let slept: Workload
      try {
        slept = asked(near, { action: 'snooze', for: HOUR }, EVENING, { by: name }).after
      } catch {
        continue
      }
      const woken = asked(slept, { action: 'wake', for: HOUR }, EVENING + 1, { by: name }).after
      for (const { annotations } of [slept, woken]) {
        const ours = Object.entries(annotations).map(([key, text]) => `dormouse.dev/${key}${text}`)
        expect(Buffer.byteLength(ours.join('')), `${room} bytes of room`).to.be.at.most(room)
      }
    }
  })

  it('a workload that could not be woken is not put to sleep', () => {
    const { decision } = stepped(
      asleep.woken({ at: at('Tue 8:00') }).with({ otherAnnotationBytes: 260_000 }),
      EVENING,
    )
    expect(decision.reason).to.include({ code: 'data_at_risk' })
    expect(decision.reason.text).to.contain('its annotations are nearly as large')
  })
})

describe('a state written for another kind', () => {
  const copied = asleep.with({ kind: 'replicasets', labels: undefined })

  it('is ignored on a ReplicaSet that carries the copy of its Deployment', () => {
    expect(stepped(copied.withReplicas(5), MORNING).change).to.equal(undefined)
    expect(statusRecord(copied, MORNING, RULES)).to.include({ enabled: false, is_snoozed: false })
  })

  it('is as good as none; so are copied annotations without a state on a ReplicaSet that a Deployment made', () => {
    const { state: _, ...annotations } = copied.annotations
    const bare = copied.with({ annotations, formerRevision: true }).withReplicas(5)
    expect(stepped(bare, EVENING).change).to.equal(undefined)
    const own = copied.with({ annotations }).withReplicas(5)
    expect(stepped(own, EVENING).after.replicas, 'one that nobody made').to.equal(0)
  })

  it('is replaced when the ReplicaSet is enabled by the API', () => {
    const { after, state } = asked(copied.withReplicas(5), { action: 'enable' }, NIGHT)
    expect(after.replicas).to.equal(0)
    expect(state.snoozed?.replicas).to.equal(5)
  })
})
