import { expect } from 'chai'
import { AnnotationWarnings } from '../../../src/service/controller/annotation-warnings.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Told } from './told.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

const web = aDeployment().enabled().scheduled('8:00-18:00')
const typo = web.scheduled('8:00')

function warningsOf(...steps: Workload[]): string[] {
  return toldOf(...steps).events
}

function toldOf(...steps: Workload[]): Told {
  const told = new Told()
  const warnings = new AnnotationWarnings({
    evaluations: evaluationsOf(RULES, () => 0),
    recorder: told,
    logger: createLogger('silent'),
  })
  for (const [index, step] of steps.entries()) warnings.changed(steps[index - 1], step)
  return told
}

describe('annotation warnings', () => {
  it('are given of a schedule, a zone or a state that cannot be read', () => {
    for (const broken of [typo, web.scheduled('8:00-18:00', 'Mars/Olympus')]) {
      expect(warningsOf(broken)).to.deep.equal(['Warning InvalidSchedule web'])
    }
    expect(warningsOf(web.annotated({ state: '[]' }))).to.deep.equal(['Warning InvalidState web'])
  })

  it('are given when the fault appears, not at each change after', () => {
    const later = [typo.withReplicas(4), typo.remembering({}), typo.remembering({}).labelled({ a: 'b' })]
    expect(warningsOf(web, typo, ...later)).to.deep.equal(['Warning InvalidSchedule web'])
  })

  it('are given again of another fault, and of the same one when it returns', () => {
    expect(warningsOf(typo, web.scheduled('nonsense'))).to.have.length(2)
    expect(warningsOf(typo, web, typo)).to.have.length(2)
  })

  it('are given of a state that is gone while the label says asleep', () => {
    expect(warningsOf(web, web.labelled({ 'dormouse.dev/asleep': '3' }))).to.deep.equal([
      'Warning InvalidState web',
    ])
  })

  it('are given of a schedule that would delete volumes', () => {
    const risky = web.with({ deletesVolumes: true })
    expect(warningsOf(web, risky, risky.withReplicas(2))).to.deep.equal(['Warning DataAtRisk web'])
    expect(warningsOf(risky.scheduled(''))).to.deep.equal([])
  })

  it('are given of no risk to what sleeps already, until it runs again', () => {
    const asleep = web.withReplicas(3).snoozed({ at: 0 })
    const filled = asleep.with({ otherAnnotationBytes: 262_000 })
    expect(warningsOf(asleep, filled)).to.deep.equal([])
    expect(warningsOf(asleep, asleep.with({ deletesVolumes: true }))).to.deep.equal([])
    expect(warningsOf(asleep, filled, filled.woken({ at: 1 }))).to.deep.equal(['Warning DataAtRisk web'])
  })

  it('are given of a stored request, with what becomes of it', () => {
    for (const [workload, says] of [
      [web, 'it is removed. Ask again'],
      [web.with({ deleting: true }), 'was not carried out: it is being deleted'],
      [web.annotated({ state: '[]' }), 'it stays until its state is repaired'],
    ] as const) {
      const { events, messages } = toldOf(workload, workload.annotated({ request: 'wake' }))
      expect(events).to.include('Warning RequestIgnored web')
      expect(messages.join()).to.include(says)
    }
  })

  it('are not given of an unmanaged schedule, until it is managed', () => {
    const off = typo.annotated({ enabled: 'false' })
    expect(warningsOf(off)).to.deep.equal([])
    expect(warningsOf(off, typo)).to.deep.equal(['Warning InvalidSchedule web'])
  })
})
