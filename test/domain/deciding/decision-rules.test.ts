import { expect } from 'chai'
import { desired } from '../../../src/domain/deciding/desired.ts'
import type { Instant } from '../../../src/process/clock.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { Situation } from '../../../src/domain/deciding/situation.ts'
import { decided, followed, stateOf, stepped } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aStatefulSet } from '../../support/workloads.ts'
import { NIGHT, NOON, WORK } from '../fixtures.ts'

const MORNING = at('Tue 8:00')
const unscheduled = aDeployment().withReplicas(5).enabled().remembering({})
const awake = unscheduled.scheduled(WORK).woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const asleep = awake.snoozed({ at: at('Mon 18:00') })
const byAlice = { want: 'asleep', before: 'awake', by: 'k8s:alice', trigger: 'api' } as const
/** Asleep with 5, and woken to 1 by `kubectl scale`. */
const lowered = () => aDeployment().with(followed(stepped(asleep.scaledByHand(1), NIGHT).after))

describe('what others did to the pods is adopted at once, in a backoff too', () => {
  const until = at('Tue 12:00')

  it('a sleeper that was scaled while overridden', () => {
    const moved = asleep.overridden().inBackoff(until).scaledByHand(4)
    expect(stepped(moved, NIGHT).state.asleep).to.equal(false)
  })

  it('a workload woken by hand to fewer than were kept, and scaled to 0 again', () => {
    const moved = lowered().inBackoff(until).scaledByHand(0)
    expect(stepped(moved, at('Mon 21:00')).state.asleep).to.equal(true)
  })

  it('a sleeper that must not be put to sleep again, since its volumes would go', () => {
    const moved = asleep.inBackoff(until).with({ deletesVolumes: true }).editedTo(4)
    expect(stepped(moved, NIGHT).state.asleep).to.equal(false)
  })
})

describe('when to look again', () => {
  it('is after now: not at the instant at which an operation times out', () => {
    const snoozing = awake.inProgress({ type: 'snooze', at: NOON }).annotated({ schedule: undefined })
    expect(decided(snoozing, NOON + 10 * MINUTE - 1).lookAgainAt).to.equal(NOON + 10 * MINUTE)
    expect(decided(snoozing, NOON + 10 * MINUTE)).not.to.have.property('lookAgainAt')
  })

  it('is after now: an intent that is 5 minutes ahead counts', () => {
    const ahead = unscheduled.woken({ at: NOON + 5 * MINUTE })
    expect(decided(ahead, NOON - 1).lookAgainAt).to.equal(NOON)
    expect(decided(ahead, NOON)).not.to.have.property('lookAgainAt')
  })

  it('after a manual wake is the end of its hold, where no edge comes before', () => {
    const next = (workload: Workload, now: Instant) =>
      decided(aDeployment().with(followed(stepped(workload, now).after)), now).lookAgainAt
    const friday = awake.snoozed({ at: at('Fri 18:00') }).scaledByHand(5)
    expect(next(friday, at('Fri 20:00'))).to.equal(at('Sat 8:00'))
    const edgeless = asleep.scheduled('0:00-24:00').remembering({ intent: { ...byAlice, at: NOON } })
    expect(next(edgeless.scaledByHand(5), NIGHT)).to.equal(MORNING)
  })
})

describe('since when a transition is due', () => {
  it('is since its edge, or the end of what it waited for, whichever is last', () => {
    expect(decided(asleep, MORNING + MINUTE).dueAt).to.equal(MORNING)
    const both = asleep.overridden(at('Tue 9:00')).inBackoff(at('Tue 10:00'))
    expect(decided(both, at('Tue 11:00')).dueAt).to.equal(at('Tue 10:00'))
    const before = asleep.overridden(at('Tue 7:00')).inBackoff(at('Tue 6:00'))
    expect(decided(before, at('Tue 11:00')).dueAt).to.equal(MORNING)
  })

  it('is since the schedule was set, where its edge had passed by then', () => {
    const { intent } = asleep.state()
    const setAtNight = awake.remembering({ intent: { ...intent!, at: NIGHT } })
    expect(decided(setAtNight, NIGHT + MINUTE)).to.include({ action: 'snooze', dueAt: NIGHT })
  })

  it("is since the schedule's own intent, where its schedule has no edge any more", () => {
    const edgeless = asleep.scheduled('0:00-24:00')
    expect(decided(edgeless, NIGHT)).to.include({ action: 'wake', dueAt: at('Mon 18:00') })
  })

  it('is not known of a schedule that was removed', () => {
    const removed = asleep.annotated({ schedule: undefined })
    expect(decided(removed, NIGHT)).to.include({ action: 'wake' }).and.not.to.have.property('dueAt')
  })
})

describe('what comes at the very instant of an edge comes after it', () => {
  it('a request', () => {
    const snoozed = awake.snoozed({ at: MORNING, trigger: 'api', by: 'k8s:alice' })
    expect(decided(snoozed, MORNING).action).to.equal('none')
    expect(decided(snoozed, at('Tue 12:00')).action).to.equal('none')
  })

  it('a hand that wakes to fewer than were kept: the next edge gives them back', () => {
    const woken = followed(stepped(asleep.scaledByHand(1), MORNING).after)
    expect(stepped(woken, MORNING).change).to.equal(undefined)
    expect(stateOf(stepped(woken, at('Tue 18:00')).after).snoozed?.replicas).to.equal(5)
  })
})

describe('the count that a hand left kept', () => {
  it('waits for the next edge, and is not written meanwhile', () => {
    expect(decided(lowered(), at('Mon 21:00')).action).to.equal('none')
    expect(stepped(lowered(), at('Mon 21:00')).change).to.equal(undefined)
  })

  it("comes back together with the edge's intent, as a wake that was due at the edge", () => {
    const { decision, state } = stepped(lowered(), MORNING + MINUTE)
    expect(decision).to.include({ action: 'wake', trigger: 'schedule', dueAt: MORNING })
    expect(state.intent).to.include({ want: 'awake', at: MORNING, trigger: 'schedule' })
  })

  it('waits without a schedule too', () => {
    const { decision, change } = stepped(lowered().annotated({ schedule: undefined }), MORNING)
    expect([decision.action, change]).to.deep.equal(['none', undefined])
  })

  it('comes back although its volumes would go if it slept', () => {
    const risky = lowered().with({ deletesVolumes: true })
    expect(stepped(risky, MORNING).after.replicas).to.equal(5)
  })

  it('is the kept count of the sleeper, and nothing else, once it is asleep again', () => {
    const slept = stepped(lowered(), at('Tue 18:00')).state
    expect(slept.snoozed?.replicas).to.equal(5)
    expect(slept.woken).to.deep.equal({ at: NIGHT })
  })

  it('is forgotten where a pin brings back another count than the hand had set', () => {
    const pin = { state: 'active', replicas: 3, at: NIGHT, by: 'k8s:alice' } as const
    const repinned = lowered().remembering({ pin }).scaledByHand(0)
    const { after, state } = stepped(repinned, at('Mon 21:00'))
    expect(after.replicas).to.equal(3)
    expect(state.woken).to.deep.equal({ at: at('Mon 21:00') })
  })
})

describe('a sleeper found running', () => {
  for (const manager of ['kube-controller-manager', 'keda', 'keda-operator']) {
    it(`sleeps again where an autoscaler woke it (${manager})`, () => {
      const { state } = stepped(asleep.scaledByHand(7, manager), NIGHT)
      expect(state.history[0]).to.include({ type: 'snooze', trigger: 'recovery' })
    })
  }

  it('stays awake where its schedule was removed meanwhile', () => {
    const { after, state } = stepped(asleep.annotated({ schedule: undefined }).editedTo(7), NIGHT)
    expect([after.replicas, state.asleep]).to.deep.equal([7, false])
  })
})

describe('a pinned-active workload', () => {
  it('of a DaemonSet that counts no node yet loses the key all the same', () => {
    const agent = aDaemonSet().withReplicas(0).enabled().pinned()
    const keyed = agent.with({ snoozeKey: 'true', hasNodeSelector: true })
    expect(stepped(keyed, NOON).change).to.include({ snoozeKey: null })
  })

  it('that sleeps after all, as an old pin that came back finds it, wakes to the count that was kept', () => {
    for (const replicas of [0, 2]) {
      const pin = { state: 'active', replicas, at: NOON, by: 'k8s:alice' } as const
      expect(stepped(asleep.remembering({ pin }), NIGHT).after.replicas).to.equal(5)
    }
  })
})

describe('what would lose its volumes by sleeping', () => {
  it('is marked asleep where it runs no pods: nothing is lost', () => {
    const empty = aStatefulSet().withReplicas(0).enabled().scheduled(WORK).with({ deletesVolumes: true })
    expect(stepped(empty, NIGHT).state.asleep).to.equal(true)
  })
})

describe('a new workload', () => {
  it('is to be awake until its grace ends, in hours of sleep', () => {
    const chart = aDeployment().enabled().scheduled(WORK).born(NIGHT)
    expect(desired(new Situation(read(chart), NIGHT + MINUTE, RULES))).to.include({
      want: 'awake',
      next: NIGHT + 15 * MINUTE,
    })
  })
})

describe('what is not managed', () => {
  it('is let go of by each of intent, pin, override and backoff', () => {
    const off = aDeployment().withReplicas(3).annotated({ enabled: 'false' })
    for (const held of [
      off.woken({ at: NOON }),
      off.remembering({}).pinned(),
      off.remembering({}).overridden(),
      off.remembering({}).inBackoff(NOON + HOUR),
    ])
      expect(stepped(held, NOON).state).not.to.have.any.keys('pin', 'override', 'intent', 'backoff')
  })
})
