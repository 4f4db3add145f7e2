import { expect } from 'chai'
import { LastKnownMarks } from '../../../src/service/controller/last-known-marks.ts'
import { withMarksRestored } from '../../../src/domain/workload/last-known.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'

const WORK = '8:00-18:00,Mon-Fri'
const old = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('7:00-9:00')
  .woken({ at: at('Mon 7:00') })
const asleep = old
  .scheduled(WORK)
  .snoozed({ at: at('Mon 18:00') })
  .with({ resourceVersion: '110' })

function knowing(...workloads: Workload[]): LastKnownMarks {
  const marks = new LastKnownMarks(RULES)
  for (const workload of workloads) marks.note(workload)
  return marks
}

/** The copy once its marks are restored. */
function mended(marks: LastKnownMarks, copy: AWorkload): Workload {
  return withMarksRestored(copy, marks.of(copy), RULES)
}

describe('the last known marks', () => {
  it('an old state that is put back (kubectl rollout undo) gives way to the newest, with schedule and label', () => {
    const undone = old.with({ resourceVersion: '120', replicas: 0, labels: undefined })
    const marks = knowing(old, asleep)
    expect(marks.note(undone)).to.equal(false)
    const { annotations, labels } = mended(marks, undone)
    expect(annotations).to.deep.equal(asleep.annotations)
    expect(labels).to.deep.equal(asleep.labels)
  })

  it('a state of the same counter and another content is not ours', () => {
    const forged = asleep.annotated({
      state: asleep.annotations.state!.replace('"replicas":3', '"replicas":9'),
    })
    expect(forged.annotations.state).to.not.equal(asleep.annotations.state)
    expect(mended(knowing(asleep), forged).annotations.state).to.equal(asleep.annotations.state)
  })

  it('a history that alone was changed or dropped is put back', () => {
    for (const history of [undefined, '2026-03-02T07:00:00Z w3'])
      expect(mended(knowing(asleep), asleep.annotated({ history })).annotations).to.deep.equal(
        asleep.annotations,
      )
  })

  it('a label that disagreed with its state when it was noted is not put back once it is right', () => {
    const righted = asleep.with({ resourceVersion: '120' })
    expect(mended(knowing(asleep.labelled(undefined)), righted).labels).to.deep.equal(asleep.labels)
  })

  it('an older copy after a live read is no fall', () => {
    const marks = knowing(old)
    const live = asleep.with({ resourceVersion: '130' })
    expect(marks.isInOrder(live)).to.equal(true)
    const late = old.remembering({}).with({ resourceVersion: '120' })
    expect(marks.isInOrder(late)).to.equal(true)
    expect(marks.note(late)).to.equal(true)
  })

  it('a cluster that went back in time (restored from a backup) is believed', () => {
    const marks = knowing(asleep)
    expect(marks.isInOrder(old)).to.equal(true)
    expect(marks.note(old), 'nothing new').to.equal(false)
    expect(marks.of(asleep)?.workload).to.equal(old)
  })

  it('orders resourceVersions as numbers', () => {
    const marks = knowing(asleep.with({ resourceVersion: '99' }))
    expect(marks.isInOrder(old.with({ resourceVersion: '100' }))).to.equal(false)
  })

  it('a state that cannot be read forgets, so that a repair is not taken for an old copy', () => {
    const broken = asleep.annotated({ state: '{' }).with({ resourceVersion: '120' })
    const marks = knowing(asleep)
    expect(marks.isInOrder(broken)).to.equal(true)
    marks.note(broken)
    const repaired = asleep
      .annotated({ state: undefined })
      .remembering({ asleep: true })
      .with({ resourceVersion: '130' })
    expect(marks.isInOrder(repaired)).to.equal(true)
  })

  it('another uid is another workload', () => {
    const marks = knowing(asleep)
    expect(marks.isInOrder(old.with({ uid: 'another', resourceVersion: '120' }))).to.equal(true)
  })

  it('a workload that is being deleted is left alone', () => {
    const going = old.with({ resourceVersion: '120', deleting: true })
    expect(knowing(asleep).isInOrder(going)).to.equal(true)
  })

  it('what is left on a workload that is awake and not managed may be cleared away', () => {
    const disabled = old.annotated({ enabled: 'false' })
    const marks = knowing(disabled)
    const cleared = disabled.with({ resourceVersion: '120', annotations: {} })
    expect(marks.isInOrder(cleared)).to.equal(true)
    marks.note(cleared)
    expect(marks.of(cleared)).to.equal(undefined)
  })

  it('holds nothing of workloads without a state, nor of those that are forgotten', () => {
    const plain = aDeployment()
    const marks = knowing(plain, asleep)
    marks.forget(asleep)
    expect([marks.of(plain), marks.of(asleep)]).to.deep.equal([undefined, undefined])
    expect(marks.isInOrder(old.with({ resourceVersion: '120' }))).to.equal(true)
  })
})
