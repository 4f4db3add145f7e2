import { expect } from 'chai'
import { Complaints } from '../../src/controller/complaints.ts'
import type { Workload } from '../../src/domain/workload.ts'
import { createLogger } from '../../src/logger.ts'
import { RULES } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'
import { Told } from './told.ts'

const web = aDeployment().enabled().scheduled('8:00-18:00')
const typo = web.scheduled('8:00')

function complaintsOf(...steps: Workload[]): string[] {
  const told = new Told()
  const complaints = new Complaints({ recorder: told, logger: createLogger('silent') }, RULES)
  for (const [index, step] of steps.entries()) complaints.changed(steps[index - 1], step)
  return told.events
}

describe('complaints', () => {
  it('are made of a schedule or zone that cannot be read, and of a state', () => {
    for (const broken of [typo, web.scheduled('8:00-18:00', 'Mars/Olympus')]) {
      expect(complaintsOf(broken)).to.deep.equal(['Warning InvalidSchedule web'])
    }
    expect(complaintsOf(web.annotated({ state: '[]' }))).to.deep.equal(['Warning InvalidState web'])
  })

  it('are made when it comes about, not at each change after', () => {
    const later = [typo.withReplicas(4), typo.remembering({}), typo.remembering({}).labelled({ a: 'b' })]
    expect(complaintsOf(web, typo, ...later)).to.deep.equal(['Warning InvalidSchedule web'])
  })

  it('are made again of another fault, and of the same once it was mended', () => {
    expect(complaintsOf(typo, web.scheduled('nonsense'))).to.have.length(2)
    expect(complaintsOf(typo, web, typo)).to.have.length(2)
  })

  it('are made of a state that is gone while its mark is there', () => {
    expect(complaintsOf(web, web.labelled({ 'dormouse.dev/asleep': '3' }))).to.deep.equal([
      'Warning InvalidState web',
    ])
  })

  it('are made of a schedule that would delete volumes', () => {
    const risky = web.with({ deletesVolumes: true })
    expect(complaintsOf(web, risky, risky.withReplicas(2))).to.deep.equal(['Warning DataAtRisk web'])
    expect(complaintsOf(risky.scheduled(''))).to.deep.equal([])
  })

  it('are not made of the schedule of what is not managed, until it is', () => {
    const off = typo.annotated({ enabled: 'false' })
    expect(complaintsOf(off)).to.deep.equal([])
    expect(complaintsOf(off, typo)).to.deep.equal(['Warning InvalidSchedule web'])
  })
})
