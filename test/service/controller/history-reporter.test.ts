import { expect } from 'chai'
import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import { decoded } from '../../support/readable.ts'
import { HistoryReporter } from '../../../src/service/controller/history-reporter.ts'
import { createLogger } from '../../../src/process/logger.ts'
import type { Operation } from '../../../src/domain/workload/state.ts'
import { sleepingBy } from '../../../src/domain/sleeping/configured.ts'
import { iso } from '../../../src/domain/text.ts'
import { ASLEEP_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { evaluationsOf } from '../../support/evaluations.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Told } from './told.ts'

const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00')
  .woken({ at: at('Mon 8:00'), by: 'k8s:alice' })
const { type, ...restOfWake } = awake.state().history[0]!

function tellOf(steps: Workload[], now = at('Mon 18:05')): Told {
  const told = new Told()
  const clock = () => now
  const evaluations = evaluationsOf(RULES, clock)
  const ports = { evaluations, recorder: told, observer: told, clock, logger: createLogger('silent') }
  const reporter = new HistoryReporter(ports, RULES)
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1]
    if (before) reporter.changed(before, step)
    reporter.evaluated(step)
  }
  return told
}

const snooze = (parts: Partial<Operation>): Operation => ({
  ...restOfWake,
  type: 'snooze',
  at: at('Mon 18:00'),
  trigger: 'schedule',
  by: null,
  replicas: 0,
  ...parts,
})

const withHistory = (...history: Operation[]) => awake.remembering({ history })

describe('the history reporter', () => {
  it('names no schedule of a workload that has none', () => {
    const without = (workload: typeof awake) => workload.annotated({ schedule: undefined })
    const told = tellOf([without(awake), without(withHistory(snooze({ result: 'succeeded' })))])
    expect(told.messages[0]).to.match(/^Put to sleep automatically/)
  })

  it('reports an operation once, when it is written, and counts it once, when it has ended', () => {
    const running = withHistory(snooze({ result: 'running', duration: null }))
    const ended = running.remembering({ history: [snooze({ result: 'succeeded', duration: 4200 })] })
    const told = tellOf([awake, running, ended, ended.remembering({})])
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
    expect(told.operations).to.deep.equal(['snooze schedule deployments succeeded'])
    expect(told.durations).to.deep.equal([4.2])
  })

  it('counts an operation that is followed by the time of its first evaluation', () => {
    const zero = { existing: 0, ready: 0, observedGeneration: 9 }
    const running = withHistory(snooze({ result: 'running', duration: null }))
      .with({ replicas: 0, generation: 9, pods: zero })
      .labelled({ [ASLEEP_LABEL]: '3' })
    const ended = running.remembering({ history: [snooze({ result: 'succeeded', duration: 18 })] })
    expect(tellOf([awake, running, ended]).operations).to.deep.equal([
      'snooze schedule deployments succeeded',
    ])
  })

  it('counts no duration of what did not succeed', () => {
    const running = withHistory(snooze({ result: 'running', duration: null }))
    const late = running.remembering({ history: [snooze({ result: 'timed_out', duration: 600_000 })] })
    const told = tellOf([awake, running, late])
    expect(told.operations).to.deep.equal(['snooze schedule deployments timed_out'])
    expect(told.durations).to.deep.equal([])
  })

  it('warns once of a wake whose pods did not come in time, when that is written, with what keeps them', () => {
    const wake: Operation = { ...restOfWake, type: 'wake', at: at('Mon 18:01'), replicas: 3 }
    const trouble = { code: 'FailedCreate', message: 'exceeded quota: q' }
    const missing = { existing: 1, ready: 1, observedGeneration: 9, trouble }
    const running = withHistory({ ...wake, result: 'running', duration: null }).with({ pods: missing })
    const timed: Operation = { ...wake, result: 'timed_out', duration: 600_000 }
    const late = running.remembering({ history: [timed] })
    const next = late.remembering({})
    const told = tellOf([awake, running, late, next, next.with({ resourceVersion: '101' })])
    expect(told.events).to.deep.equal(['Normal Woken web', 'Warning WakeTimedOut web'])
    expect(told.messages[1]).to.equal(
      '1 of 3 replicas ready 10m after it was woken: exceeded quota: q (FailedCreate)',
    )
    const { trouble: _, ...silent } = missing
    expect(tellOf([running, late.with({ pods: silent })]).messages[0]).to.include('Events say why')
    const ready = late.with({ pods: { ...missing, ready: 3, existing: 3 } })
    expect(tellOf([running, ready]).events, 'ready meanwhile').to.deep.equal([])
    expect(tellOf([late, next]).events, 'of a leader that comes later').to.deep.equal([])
    const slept = [snooze({ at: at('Mon 18:20'), result: 'running', duration: null }), timed]
    expect(tellOf([running, late.remembering({ history: slept })]).events).to.deep.equal([
      'Normal Snoozed web',
    ])
  })

  it('says of a switch neither counts nor pods', () => {
    const off = { path: '.spec.off', asleep: true, awake: false }
    const awakeWhen = { path: '.status.state', equals: 'ready' }
    const sleeping = sleepingBy({ resource: 'boxes.example.com', switch: off, awakeWhen })
    const configured = { apiVersion: 'example.com/v1', kind: 'Box', sleeping }
    const box = awake.with({ kind: 'boxes.example.com', configured, replicas: 1 }).remembering({})
    const slept = snooze({ result: 'succeeded' })
    const wake: Operation = { ...restOfWake, type: 'wake', at: at('Mon 18:01'), replicas: 1, by: null }
    const { at: since, trigger, by } = slept
    const kept = box.remembering({
      asleep: true,
      history: [slept],
      snoozed: { at: since, trigger, by, replicas: 1 },
    })
    const waking = kept
      .remembering({ asleep: false, history: [{ ...wake, result: 'running', duration: null }, slept] })
      .with({ pods: { existing: 1, ready: 0, observedGeneration: 9 } })
    const late = waking.remembering({ history: [{ ...wake, result: 'timed_out', duration: 600_000 }, slept] })
    expect(tellOf([box, kept, waking, late]).messages).to.deep.equal([
      'Put to sleep by its schedule',
      'Woken on request',
      "Its operator does not say that it is ready 10m after it was woken. Its status or its operator's log says why",
    ])
  })

  it('counts what was superseded, and reports what superseded it, in their order', () => {
    const running = withHistory(snooze({ result: 'running', duration: null }))
    const wake: Operation = { ...restOfWake, type, at: at('Mon 18:01'), result: 'running', duration: null }
    const over = running
      .remembering({ history: [wake, snooze({ result: 'superseded', duration: 9 })] })
      .with({ pods: { existing: 1, ready: 1, observedGeneration: 9 } })
    const told = tellOf([awake, running, over])
    expect(told.events).to.deep.equal(['Normal Snoozed web', 'Normal Woken web'])
    expect(told.operations).to.deep.equal(['snooze schedule deployments superseded'])
  })

  it('reports several operations that came with one change, the oldest first', () => {
    const both = withHistory(
      { ...restOfWake, type, at: at('Mon 18:02'), result: 'succeeded' },
      snooze({ result: 'superseded' }),
    )
    const told = tellOf([awake, both])
    expect(told.events).to.deep.equal(['Normal Snoozed web', 'Normal Woken web'])
    expect(told.operations).to.deep.equal([
      'snooze schedule deployments superseded',
      'wake api deployments succeeded',
    ])
  })

  it('says who did it, why, and how many replicas are kept or running', () => {
    const asleep = awake.snoozed({ at: at('Mon 18:00') })
    const woken = asleep.woken({ at: at('Mon 18:01'), by: 'k8s:alice' })
    expect(tellOf([awake, asleep, woken]).messages).to.deep.equal([
      'Put to sleep by its schedule, 3 replicas kept',
      'Woken to 3 replicas by k8s:alice, on request',
    ])
  })

  it('calls manual scaling and a pin’s repair by their names, and leaves what the cluster refused to the reconciler', () => {
    const told = tellOf([
      awake,
      withHistory(snooze({ result: 'failed' })),
      withHistory(snooze({ at: at('Mon 18:01'), trigger: 'pin' })).remembering({}),
      withHistory({ ...restOfWake, type: 'wake', at: at('Mon 18:02'), trigger: 'manual' })
        .remembering({})
        .remembering({}),
      withHistory({ ...restOfWake, type: 'wake', at: at('Mon 18:03'), result: 'failed' })
        .remembering({})
        .remembering({})
        .remembering({}),
    ])
    expect(told.events).to.deep.equal(['Warning PinEnforced web', 'Normal ManualScaling web'])
  })

  it('reports the first operation of a workload that had no state', () => {
    const plain = aDeployment().withReplicas(3).enabled()
    const asleep = plain.snoozed({ at: at('Mon 18:00') })
    expect(tellOf([plain, asleep]).events).to.deep.equal(['Normal Snoozed web'])
  })

  it('reports that flapping started a backoff, once for each', () => {
    const first = awake.inBackoff(at('Mon 18:30'))
    const later = first.remembering({})
    const second = later.inBackoff(at('Mon 19:30'), 'flapping', 2)
    const told = tellOf([awake, first, later, second])
    expect(told.events).to.deep.equal(['Warning BackoffStarted web', 'Warning BackoffStarted web'])
    expect(told.messages).to.include(
      `Switched too often: the schedule is paused until ${iso(at('Mon 18:30'))}`,
    )
  })

  it('leaves the backoff after a refusal to the refusal’s own Event', () => {
    expect(tellOf([awake, awake.inBackoff(at('Mon 18:30'), 'failure')]).events).to.deep.equal([])
  })

  it('reports that an override expired, not that somebody cleared it', () => {
    const overridden = awake.overridden(at('Mon 18:00'))
    const { override: _, ...rest } = decoded(overridden.annotations)
    const without = overridden.annotated(encodeState({ ...rest, counter: rest.counter + 1 }))
    expect(tellOf([overridden, without], at('Mon 18:00')).events).to.deep.equal([
      'Normal OverrideExpired web',
    ])
    expect(tellOf([overridden, without], at('Mon 18:00') - MINUTE).events).to.deep.equal([])
  })

  it('reports a move that the history had no room for, or that cannot be read there, and counts its end', () => {
    const asleep = awake.snoozed({ at: at('Mon 18:00') })
    const running = (workload: typeof awake) => workload.unsettled().with({ generation: 7 })
    const without = (workload: typeof awake) => workload.annotated({ history: undefined })
    const byRequest = running(without(asleep.woken({ at: at('Mon 18:01'), by: 'k8s:alice' })))
    const told = tellOf([without(awake), without(asleep), byRequest, byRequest.settled()])
    expect(told.messages).to.deep.equal([
      'Put to sleep by its schedule, 3 replicas kept',
      'Woken to 3 replicas by k8s:alice, on request',
    ])
    expect(told.operations).to.deep.equal([
      'snooze schedule deployments succeeded',
      'wake api deployments succeeded',
    ])
    const byEdge = asleep
      .woken({ at: at('Tue 8:00'), trigger: 'schedule' })
      .annotated({ history: 'of a later release' })
    expect(tellOf([asleep, byEdge]).messages).to.deep.equal(['Woken to 3 replicas by its schedule'])
    const repaired = asleep.pinned().woken({ at: at('Tue 8:00') })
    expect(tellOf([asleep.pinned(), without(repaired)]).events).to.deep.equal(['Warning PinEnforced web'])
  })

  it('reports nothing of a state that cannot be read, of an older copy, and of a state that is gone', () => {
    const asleep = awake.snoozed({ at: at('Mon 18:00') })
    const broken = asleep.annotated({ state: '{' })
    const gone = asleep.annotated({ state: undefined })
    const told = tellOf([asleep, broken, asleep, awake, gone])
    expect(told.events).to.deep.equal([])
    expect(told.operations).to.deep.equal([])
  })
})
