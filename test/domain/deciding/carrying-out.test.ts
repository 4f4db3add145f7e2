import { expect } from 'chai'
import type { Instant } from '../../../src/process/clock.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { decide } from '../../../src/domain/deciding/decide.ts'
import { situationOf } from '../../../src/domain/deciding/situation.ts'
import type { Decision } from '../../../src/domain/deciding/decision.ts'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import type { Unreadable } from '../../../src/domain/workload/state-codec.ts'
import { carryOut, planFailure, planStep } from '../../../src/domain/deciding/operation.ts'
import { sleepingBy } from '../../../src/domain/sleeping/configured.ts'
import { PRESETS } from '../../../src/domain/sleeping/presets.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { asked, decided, followed, stepped } from '../../support/decisions.ts'
import { decoded, read } from '../../support/readable.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, WORK } from '../fixtures.ts'

const MORNING = at('Tue 8:00')

describe('a workload that is being deleted is left alone', () => {
  it('with an operation that has ended', () => {
    const waking = asked(asleep, { action: 'wake' }, NIGHT).after
    const ready = { ...followed(waking), ownReplicasEntry: 2 }
    expect(stepped(ready, NIGHT + MINUTE).change).to.include({ givesUpReplicas: true })
    expect(stepped({ ...ready, deleting: true }, NIGHT + MINUTE).change).to.equal(undefined)
  })

  it('with a backoff from beyond any', () => {
    const held = awake.inBackoff(at('next Sun 0:00')).with({ deleting: true })
    expect(stepped(held, NOON).change).to.equal(undefined)
  })
})

describe('a workload that is not managed is not written', () => {
  const off = aDeployment().withReplicas(3).annotated({ enabled: 'false' })

  it('where its state says asleep and it runs without a mark', () => {
    const old = asleep.labelled(undefined).editedTo(3)
    expect(stepped(old, NOON).change, 'managed').to.have.property('annotations')
    const { intent: _, ...state } = old.state()
    const step = planStep(off.remembering(state), NOON, RULES)
    expect([step.change, step.isDue]).to.deep.equal([undefined, false])
  })

  it('where its `enabled` is unclear and its backoff ends later than any', () => {
    const resting = asleep.inBackoff(at('next Sun 0:00'))
    expect(stepped(resting, NIGHT).change, 'managed').to.have.property('annotations')
    expect(stepped(resting.annotated({ enabled: 'ture' }), NIGHT).change).to.equal(undefined)
  })

  it('where a hand changed the count that it had set', () => {
    const woken = off.remembering({ woken: { at: NOON, kept: 5, set: 1 } })
    expect(stepped(woken.enabled(), NIGHT).change, 'managed').to.have.property('annotations')
    expect(stepped(woken, NIGHT).change).to.equal(undefined)
  })

  it('but its own annotations come back where `kubectl rollout undo` put old ones on it', () => {
    const old = awake.annotated({ schedule: '9:00-17:00' })
    const disabled = asked(old, { action: 'disable' }, NOON).after
    const known = { counter: decoded(disabled.annotations).counter, workload: disabled }
    const { annotations } = off.remembering({})
    const undone = { ...disabled, annotations, resourceVersion: '101' }
    const { change } = planStep(undone, NOON, RULES, known)
    expect(change?.annotations).to.include({ schedule: '9:00-17:00' })
  })
})

describe('a workload whose marks an admission webhook dropped from the write that put it to sleep', () => {
  const ours = { manager: 'dormouse', subresource: undefined }
  const dropped = awake.with({ replicas: 0, replicasManager: ours, resourceVersion: '101' })
  const known = { counter: awake.state().counter, workload: awake }

  it('gets its count back, and nothing else: marks might be dropped again', () => {
    const { decision, change, isDue, target } = planStep(dropped, NIGHT, RULES, known)
    expect(decision).to.include({ action: 'wake', trigger: 'recovery', by: null, replicas: 3 })
    expect(decision.reason).to.include({
      code: 'recovery',
      text: 'an admission webhook dropped the annotations and the label that kept its count: it gets its 3 back',
    })
    expect([change, isDue, target]).to.deep.equal([{ annotations: {}, replicas: 3 }, true, undefined])
  })

  it('keeps sleeping, and gets its label again, where the state with its count was stored', () => {
    const unlabelled = asleep.labelled(undefined).with({ replicasManager: ours, resourceVersion: '101' })
    const { decision, change } = planStep(unlabelled, NIGHT, RULES, known)
    expect([decision.action, change?.label, change?.replicas]).to.deep.equal(['none', '3', undefined])
  })

  it('is left alone where nobody remembers the count', () => {
    expect(planStep(dropped.annotated({ state: undefined }), NIGHT, RULES).isDue).to.equal(false)
  })
})

describe('a decision that changes nothing', () => {
  it('leaves the very reading that it was made of, managed or not', () => {
    for (const workload of [awake, aDeployment(), aDeployment().withReplicas(0)]) {
      const reading = read(workload)
      const situation = situationOf(reading, NOON, RULES)
      expect(carryOut(situation, decide(situation))).to.equal(reading)
    }
  })
})

describe('the operation of a wake', () => {
  it('has succeeded at once where the pods run already', () => {
    const agent = aDaemonSet()
      .withReplicas(2)
      .enabled()
      .scheduled(WORK)
      .snoozed({ at: at('Mon 18:00') })
    const { change, state } = stepped(agent.withoutItsKey(), MORNING)
    expect(change).to.include({ label: null }).and.not.to.have.property('snoozeKey')
    expect(state.history[0]).to.include({ type: 'wake', result: 'succeeded', duration: 0 })
  })

  it('runs where they run already and are not ready yet', () => {
    const { state } = stepped(asleep.editedTo(3).unsettled(), MORNING)
    expect(state.history[0]).to.include({ type: 'wake', result: 'running' })
  })
})

describe('an operation that the cluster refused', () => {
  const failed = (workload: Workload, action: Decision['action'], now: Instant) => {
    const decision = { ...decided(workload, now), action, replicas: 3 }
    const change = planFailure(workload, decision, now, RULES)
    return change && changed(workload, change)
  }
  const history = (workload: Workload | undefined) =>
    decoded(workload?.annotations).history.map(({ type, result }) => `${type} ${result}`)

  it('is the first of a workload without a history', () => {
    const fresh = aDeployment().withReplicas(3).enabled().scheduled(WORK)
    expect(history(failed(fresh, 'snooze', NIGHT))).to.deep.equal(['snooze failed'])
  })

  it('counts no replicas after a snooze, and the ones to come after a wake', () => {
    const [snooze] = decoded(failed(awake, 'snooze', NIGHT)!.annotations).history
    expect(snooze).to.include({ type: 'snooze', replicas: 0 })
    const [wake] = decoded(failed(asleep, 'wake', MORNING)!.annotations).history
    expect(wake).to.include({ type: 'wake', replicas: 3 })
  })

  it('is told once, however often it is refused again', () => {
    const once = failed(asleep, 'wake', MORNING)!
    expect(history(failed(once, 'wake', MORNING + HOUR))).to.deep.equal(history(once))
  })

  it('is told beside one that succeeded, and beside a failure of the opposite', () => {
    const snoozed = failed(asleep, 'snooze', NIGHT)!
    expect(history(snoozed).slice(0, 2)).to.deep.equal(['snooze failed', 'snooze succeeded'])
    const woken = failed(snoozed, 'wake', MORNING)!
    expect(history(woken).slice(0, 2)).to.deep.equal(['wake failed', 'snooze failed'])
  })

  it('is none where the marks alone were to follow', () => {
    expect(failed(asleep.scaledByHand(3), 'adopt', NIGHT)).to.equal(undefined)
  })
})

describe('a workload whose state cannot be read', () => {
  it('is left as it is, and the decision says what is wrong with the state', () => {
    const broken = awake.annotated({ state: '{' })
    const { decision, change } = planStep(broken, NOON, RULES)
    expect(change).to.equal(undefined)
    const { reason, ...others } = decision
    expect(others).to.deep.equal({ action: 'none', trigger: 'schedule', by: null, replicas: 3 })
    const { code, text, values, remedy } = reason
    expect([code, values]).to.deep.equal(['invalid_state', { fault: 'not JSON' }])
    expect(text).to.equal((readWorkload(broken, RULES) as Unreadable).message)
    expect(remedy).to.deep.equal({ action: 'enable', query: {} })
  })
})

describe('a wake by an annotation, which makes no new generation', () => {
  const [cnpg] = PRESETS['cloudnative-pg'].kinds
  const configured = { apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', sleeping: sleepingBy(cnpg) }
  const sleeper = asleep.with({ kind: cnpg.resource, configured })

  it('runs until its operator has followed, whose status still says that all has stopped', () => {
    const [operation] = asked(sleeper, { action: 'wake' }, NIGHT).state?.history ?? []
    expect(operation).to.include({ type: 'wake', result: 'running' })
  })

  it('has ended at once where nobody says that they follow', () => {
    const { asleepWhen: _, awakeWhen: __, ...unfollowed } = configured.sleeping
    const silent = sleeper.with({ configured: { ...configured, sleeping: unfollowed } })
    const [operation] = asked(silent, { action: 'wake' }, NIGHT).state?.history ?? []
    expect(operation).to.include({ type: 'wake', result: 'succeeded' })
  })
})
