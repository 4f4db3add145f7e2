import { expect } from 'chai'
import { asked, decided, followed, stateOf, stepped } from '../../support/decisions.ts'
import { planFailure } from '../../../src/domain/deciding/operation.ts'
import { statusRecord, type HistoryRecord } from '../../../src/domain/records/record.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at, HOUR, MINUTE, RULES, SECOND } from '../../support/rules.ts'
import { aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { NOON, unscheduled } from '../fixtures.ts'

const snoozing = () => asked(unscheduled, { action: 'snooze' }, NOON).after
const waking = () => asked(followed(snoozing()), { action: 'wake' }, NOON + MINUTE).after

/** The newest operation as the API shows it. */
function shown(workload: Workload, now: number): HistoryRecord {
  return statusRecord(workload, now, RULES).operation_history[0]!
}

describe('an operation in progress', () => {
  it('runs from the patch on, with no duration yet', () => {
    expect(stateOf(snoozing()).history[0]).to.deep.equal({
      type: 'snooze',
      trigger: 'api',
      at: NOON,
      replicas: 0,
      duration: null,
      by: 'k8s:carol',
      result: 'running',
      generation: snoozing().generation,
    })
    expect(decided(snoozing(), NOON + 1).lookAgainAt).to.equal(NOON + 10 * MINUTE)
  })

  it('has a time that no other of its type has, also where a clock that was ahead dated one', () => {
    const [earlier] = stateOf(followed(snoozing())).history
    const timesOf = (type: 'snooze' | 'wake', since = NOON) => {
      const history = [{ ...earlier!, type, at: since }]
      const { state } = asked(unscheduled.remembering({ history }), { action: 'snooze' }, NOON)
      return state.history.map(({ at }) => at - NOON)
    }
    expect(timesOf('snooze')).to.deep.equal([1, 0])
    expect(timesOf('wake')).to.deep.equal([0, 0])
    expect(timesOf('snooze', NOON - 1)).to.deep.equal([0, -1])
    const history = [{ ...earlier!, type: 'wake' as const }]
    const sleeper = unscheduled.snoozed({ at: NOON - HOUR, trigger: 'api' }).remembering({ history })
    const { state } = asked(sleeper, { action: 'wake' }, NOON)
    expect(state.history.map(({ at }) => at - NOON)).to.deep.equal([1, 0])
  })

  it('of a snooze has succeeded when no pod is left and observedGeneration is current, without a write', () => {
    const { generation } = snoozing()
    const some = { ...snoozing(), pods: { existing: 1, ready: 0, observedGeneration: generation } }
    expect(shown(some, NOON + SECOND)).to.include({ result: 'running', duration: 1000 })
    const unseen = { ...snoozing(), pods: { existing: 0, ready: 0, observedGeneration: generation - 1 } }
    expect(shown(unseen, NOON + SECOND).result).to.equal('running')
    expect(shown(followed(snoozing()), NOON + 4 * SECOND)).to.include({ result: 'succeeded', duration: 4000 })
    expect(stepped(followed(snoozing()), NOON + 4 * SECOND).change).to.equal(undefined)
  })

  it('ended when the controller manager last wrote the status, or when this process saw it', () => {
    const gone = followed(snoozing())
    const told = { ...gone, pods: { ...gone.pods, updatedAt: NOON + 2 * SECOND } }
    expect(shown(told, NOON + HOUR)).to.include({ result: 'succeeded', duration: 2000 })
    const seen = { ...told, pods: { ...told.pods, followedAt: NOON + 1234 } }
    expect(shown(seen, NOON + HOUR)).to.include({ result: 'succeeded', duration: 1234 })
    const early = { ...gone, pods: { ...gone.pods, updatedAt: NOON - SECOND } }
    expect(shown(early, NOON + HOUR), 'to the second').to.include({ duration: 0 })
  })

  it('is completed along with the next write', () => {
    const { state } = asked(followed(snoozing()), { action: 'pin' }, NOON + 4 * SECOND)
    expect(state.history[0]).to.include({ result: 'succeeded', duration: 4000 })
  })

  it('of a wake has succeeded when all replicas are ready', () => {
    const { generation } = waking()
    const some = { ...waking(), pods: { existing: 3, ready: 2, observedGeneration: generation } }
    expect(shown(some, NOON + 2 * MINUTE).result).to.equal('running')
    expect(shown(followed(waking()), NOON + 2 * MINUTE)).to.include({ result: 'succeeded', duration: MINUTE })
  })

  it('of a DaemonSet is over when its controller has placed or removed all pods', () => {
    const agent = aDaemonSet().withReplicas(2).enabled().remembering({})
    const sleeping = asked(agent, { action: 'snooze' }, NOON).after
    expect(shown(sleeping, NOON + 1).result).to.equal('running')
    const gone = {
      ...sleeping,
      replicas: 0,
      pods: { existing: 0, ready: 0, observedGeneration: sleeping.generation },
    }
    expect(shown(gone, NOON + SECOND).result).to.equal('succeeded')
  })

  it('has timed out after operationTimeout, and is over then', () => {
    expect(shown(snoozing(), NOON + 10 * MINUTE - 1).result).to.equal('running')
    expect(shown(snoozing(), NOON + 10 * MINUTE)).to.include({ result: 'timed_out', duration: 10 * MINUTE })
    expect(stepped(snoozing(), NOON + 10 * MINUTE).decision).not.to.have.property('lookAgainAt')
  })

  it('is superseded by the opposite operation', () => {
    const { state } = asked(snoozing(), { action: 'wake' }, NOON + 30 * SECOND)
    expect(state.history[1]).to.include({ type: 'snooze', result: 'superseded', duration: 30_000 })
    expect(state.history[0]).to.include({ type: 'wake', result: 'running' })
  })

  it('is superseded by a manual wake, even if its pods are ready', () => {
    const scaled = followed({
      ...snoozing(),
      replicas: 3,
      replicasManager: { manager: 'kubectl', subresource: 'scale' },
    })
    const { state } = stepped(scaled, NOON + 5 * SECOND)
    expect(state.history.slice(0, 2)).to.deep.include({
      ...state.history[1],
      type: 'snooze',
      result: 'superseded',
    })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'manual', result: 'succeeded', duration: 0 })
  })

  it('has succeeded where somebody undid it after its pods had followed', () => {
    const pods = { existing: 0, ready: 0, observedGeneration: 1, followedBefore: NOON + 4 * SECOND }
    const scaled = { ...snoozing(), replicas: 3, generation: 9, pods }
    const byHand = { ...scaled, replicasManager: { manager: 'kubectl', subresource: 'scale' } }
    const { state } = stepped(byHand, NOON + HOUR)
    expect(state.history[1]).to.include({ type: 'snooze', result: 'succeeded', duration: 4000 })
    const early = { ...byHand, pods: { ...pods, followedBefore: NOON - 1 } }
    expect(stepped(early, NOON + MINUTE).state.history[1], 'before it began').to.include({
      result: 'superseded',
    })
  })

  it('of a snooze keeps its result when the workload is changed later', () => {
    const gone = followed(snoozing())
    const pods = { ...gone.pods, updatedAt: NOON + 4 * SECOND }
    const deployed = { ...gone, pods, generation: gone.generation + 1 }
    expect(shown(deployed, NOON + 5 * HOUR), 'nobody saw it, and no time is up').to.include({
      result: 'running',
    })
    const followedBefore = NOON + 4 * SECOND
    const later = {
      existing: 0,
      ready: 0,
      observedGeneration: gone.generation + 1,
      updatedAt: NOON + 5 * HOUR,
    }
    for (const each of [pods, later])
      expect(shown({ ...deployed, pods: { ...each, followedBefore } }, NOON + 6 * HOUR)).to.include({
        result: 'succeeded',
        duration: 4000,
      })
  })

  it('whose pods followed too late has timed out, whenever it is read', () => {
    const pods = { ...followed(snoozing()).pods, updatedAt: NOON + 15 * MINUTE }
    expect(shown({ ...snoozing(), pods }, NOON + HOUR)).to.include({
      result: 'timed_out',
      duration: 10 * MINUTE,
    })
  })

  it('is not superseded by an operation that the cluster refused', () => {
    const gone = followed(snoozing())
    const decision = { ...decided(gone, NOON + HOUR), action: 'wake' as const }
    const change = planFailure(gone, decision, NOON + HOUR, RULES)
    const { history } = decoded(change?.annotations)
    expect(history.map(({ type, result }) => `${type} ${result}`)).to.deep.equal([
      'wake failed',
      'snooze succeeded',
    ])
  })

  it('whose pods had followed is not superseded by the next', () => {
    const { state } = asked(followed(snoozing()), { action: 'wake' }, NOON + 30 * SECOND)
    expect(state.history[1]).to.include({ type: 'snooze', result: 'succeeded' })
  })

  it('that moves no pods succeeds at once', () => {
    const { state } = asked(unscheduled.withReplicas(0), { action: 'snooze' }, NOON)
    expect(state.history[0]).to.include({ result: 'succeeded', duration: 0 })
  })

  it('of a disable is completed although the workload is not managed any more', () => {
    const disabled = asked(followed(snoozing()), { action: 'disable' }, NOON + MINUTE).after
    expect(stateOf(disabled).history[0]).to.include({ result: 'running', trigger: 'disable' })
    const ready = { ...followed(disabled), ownReplicasEntry: 0 }
    expect(shown(ready, NOON + 2 * MINUTE).result).to.equal('succeeded')
    expect(stepped(ready, NOON + 2 * MINUTE).change).to.include({ givesUpReplicas: true })
  })
})

describe('the write that completes a wake', () => {
  it('gives f:replicas back, so that a server-side applier may set it', () => {
    expect(stepped({ ...followed(waking()), ownReplicasEntry: 2 }, NOON + 2 * MINUTE).change).to.include({
      givesUpReplicas: true,
    })
  })

  it('does so when the pods were late, too', () => {
    expect(stepped({ ...waking(), ownReplicasEntry: 2 }, NOON + 11 * MINUTE).change).to.include({
      givesUpReplicas: true,
    })
  })

  it('is the write of a request, where one comes first', () => {
    const woken = { ...followed(waking()), ownReplicasEntry: 2 }
    const { change, state } = asked(woken, { action: 'pin' }, NOON + 2 * MINUTE)
    expect(change).to.include({ givesUpReplicas: true })
    expect(state.history[0]?.result).to.equal('succeeded')
  })

  it('is the wake itself where no pods move', () => {
    const empty = aDeployment()
      .withReplicas(0)
      .enabled()
      .scheduled('8:00-18:00')
      .snoozed({ at: at('Sun 18:00') - 7 * 86_400_000 })
    const { change } = stepped(empty.with({ ownReplicasEntry: 0 }), NOON)
    expect(change).to.deep.include({ givesUpReplicas: true, label: null })
  })

  it('is the only write that does', () => {
    const ready = { ...followed(waking()), ownReplicasEntry: 2 }
    const done = { ...followed(stepped(ready, NOON + 2 * MINUTE).after), ownReplicasEntry: 2 }
    expect(stepped({ ...done, ownReplicasEntry: undefined }, NOON + HOUR).change).to.equal(undefined)
    // Ours again, as a snooze that the cluster refused while it woke leaves it: it is given back all the same.
    expect(stepped(done, NOON + HOUR).change).to.deep.equal({ annotations: {}, givesUpReplicas: true })
  })

  it('is sent even if there is nothing to give back: pods may change, and the result would be lost', () => {
    const { change, state } = stepped(followed(waking()), NOON + 2 * MINUTE)
    expect(Object.keys(change ?? {})).to.deep.equal(['annotations'])
    expect(state.history[0]).to.include({ result: 'succeeded', duration: MINUTE })
    expect(stepped({ ...followed(snoozing()), ownReplicasEntry: 2 }, NOON + MINUTE).change).to.equal(
      undefined,
    )
  })
})

describe('the counter', () => {
  it('grows by exactly one at each write of the state', () => {
    const first = asked(aDeployment().enabled(), { action: 'pin' }, NOON)
    expect(first.state.counter).to.equal(1)
    const second = asked(first.after, { action: 'unpin' }, NOON)
    expect(second.state.counter).to.equal(2)
    const woken = asked(followed(snoozing()), { action: 'wake' }, NOON + 1)
    expect(woken.state.counter).to.equal(stateOf(snoozing()).counter + 1)
  })
})
