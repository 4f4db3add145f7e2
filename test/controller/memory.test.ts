import { expect } from 'chai'
import { Memory } from '../../src/controller/memory.ts'
import { withMarksRestored } from '../../src/domain/marks.ts'
import { ASLEEP_LABEL, type Workload } from '../../src/domain/workload.ts'
import { at } from '../support/rules.ts'
import { aDeployment, type AWorkload } from '../support/workloads.ts'

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

function knowing(...workloads: Workload[]): Memory {
  const memory = new Memory()
  for (const workload of workloads) memory.note(workload)
  return memory
}

/** The copy once its marks are restored. */
function mended(memory: Memory, copy: AWorkload): Workload {
  return withMarksRestored(copy, memory.of(copy))
}

describe('the memory of marks', () => {
  it('an old state that is put back (kubectl rollout undo) gives way to the newest, with schedule and label', () => {
    const undone = old.with({ resourceVersion: '120', replicas: 0, labels: undefined })
    const memory = knowing(old, asleep)
    expect(memory.note(undone)).to.equal(false)
    const { annotations, labels } = mended(memory, undone)
    expect(annotations).to.deep.equal(asleep.annotations)
    expect(labels).to.deep.equal(asleep.labels)
  })

  it('a schedule that an old copy brings and the newest does not have goes again', () => {
    const newest = asleep.annotated({ schedule: undefined })
    const undone = old.with({ resourceVersion: '120' })
    expect(mended(knowing(newest), undone).annotations).to.not.have.property('schedule')
  })

  it('marks that are dropped (kubectl replace) come back; what is there stays', () => {
    const replaced = asleep.with({
      resourceVersion: '120',
      labels: { app: 'web' },
      annotations: { enabled: 'true', schedule: '9:00-17:00' },
    })
    const { annotations, labels } = mended(knowing(asleep), replaced)
    expect(annotations.state).to.equal(asleep.annotations.state)
    expect(annotations.schedule).to.equal('9:00-17:00')
    expect(labels).to.deep.equal({ app: 'web', [ASLEEP_LABEL]: '3' })
  })

  it('a label that alone was changed or dropped is put right', () => {
    const memory = knowing(asleep)
    for (const labels of [undefined, { [ASLEEP_LABEL]: '7' }]) {
      const tampered = asleep.with({ resourceVersion: '120', labels })
      const { labels: mendedLabels, annotations } = mended(memory, tampered)
      expect(mendedLabels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
      expect(annotations).to.deep.equal(asleep.annotations)
    }
  })

  it('a state of the same counter and another content is not ours', () => {
    const forged = asleep.annotated({
      state: asleep.annotations.state!.replace('"replicas":3', '"replicas":9'),
    })
    expect(forged.annotations.state).to.not.equal(asleep.annotations.state)
    expect(mended(knowing(asleep), forged).annotations.state).to.equal(asleep.annotations.state)
  })

  it('the other annotations are people’s while the state is untouched', () => {
    const edited = asleep.annotated({ enabled: 'false', schedule: undefined })
    expect(knowing(asleep).isInOrder(edited)).to.equal(true)
  })

  it('an older copy after a live read is no fall', () => {
    const memory = knowing(old)
    const live = asleep.with({ resourceVersion: '130' })
    expect(memory.isInOrder(live)).to.equal(true)
    const late = old.remembering({}).with({ resourceVersion: '120' })
    expect(memory.isInOrder(late)).to.equal(true)
    expect(memory.note(late)).to.equal(true)
  })

  it('a cluster that went back in time (restored from a backup) is believed', () => {
    const memory = knowing(asleep)
    expect(memory.isInOrder(old)).to.equal(true)
    expect(memory.note(old), 'nothing new').to.equal(false)
    expect(memory.of(asleep)?.workload).to.equal(old)
  })

  it('orders resourceVersions as numbers', () => {
    const memory = knowing(asleep.with({ resourceVersion: '99' }))
    expect(memory.isInOrder(old.with({ resourceVersion: '100' }))).to.equal(false)
  })

  it('a state that cannot be read forgets, so that a repair is not taken for an old copy', () => {
    const broken = asleep.annotated({ state: '{' }).with({ resourceVersion: '120' })
    const memory = knowing(asleep)
    expect(memory.isInOrder(broken)).to.equal(true)
    memory.note(broken)
    const repaired = asleep
      .annotated({ state: undefined })
      .remembering({ asleep: true })
      .with({ resourceVersion: '130' })
    expect(memory.isInOrder(repaired)).to.equal(true)
  })

  it('another uid is another workload', () => {
    const memory = knowing(asleep)
    expect(memory.isInOrder(old.with({ uid: 'another', resourceVersion: '120' }))).to.equal(true)
  })

  it('a workload that is being deleted is left alone', () => {
    const going = old.with({ resourceVersion: '120', deleting: true })
    expect(knowing(asleep).isInOrder(going)).to.equal(true)
  })

  it('what is left on a workload that is awake and not managed may be cleared away', () => {
    const disabled = old.annotated({ enabled: 'false' })
    const memory = knowing(disabled)
    const cleared = disabled.with({ resourceVersion: '120', annotations: {} })
    expect(memory.isInOrder(cleared)).to.equal(true)
    memory.note(cleared)
    expect(memory.of(cleared)).to.equal(undefined)
  })

  it('holds nothing of workloads without a state, nor of those that are forgotten', () => {
    const plain = aDeployment()
    const memory = knowing(plain, asleep)
    memory.forget(asleep)
    expect([memory.of(plain), memory.of(asleep)]).to.deep.equal([undefined, undefined])
    expect(memory.isInOrder(old.with({ resourceVersion: '120' }))).to.equal(true)
  })
})
