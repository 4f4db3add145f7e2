import { expect } from 'chai'
import { meansTheSame, rescheduled } from '../../../src/domain/deciding/rescheduled.ts'
import { Situation } from '../../../src/domain/deciding/situation.ts'
import { RULES } from '../../support/rules.ts'
import { read } from '../../support/readable.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, NIGHT } from '../fixtures.ts'

describe('two schedules of a workload', () => {
  const of = (schedule: string, zone?: string) =>
    read(aDeployment().enabled().scheduled(schedule, zone), RULES)

  it('mean the same where they are written otherwise, or are wrong in the same way', () => {
    expect(meansTheSame(of('8:00-18:00,Mon-Fri'), of('08:00-18:00, mon-fri'))).to.equal(true)
    expect(meansTheSame(of('8:00-18:00'), of('8:00-18:00'))).to.equal(true)
    expect(meansTheSame(of('soon'), of('soon'))).to.equal(true)
  })

  it('differ in hours, zones, and faults', () => {
    expect(meansTheSame(of('8:00-18:00'), of('9:00-18:00'))).to.equal(false)
    expect(meansTheSame(of('8:00-18:00'), of('8:00-18:00', 'Asia/Tokyo'))).to.equal(false)
    expect(meansTheSame(of('soon'), of('8:00-18:00,someday'))).to.equal(false)
    expect(meansTheSame(of('soon'), of(''))).to.equal(false)
  })
})

describe('a schedule that cannot be read', () => {
  const broken = () => read(asleep.scheduled('whenever'), RULES)

  it('replaces no intent', () => {
    const situation = new Situation(read(asleep, RULES), NIGHT, RULES)
    const after = broken()
    expect(rescheduled(situation, after, 'k8s:alice')).to.equal(after)
  })

  it('keeps the intent of an edge until it is removed, which forms another', () => {
    const after = read(asleep.annotated({ schedule: undefined }), RULES)
    const { state } = rescheduled(new Situation(broken(), NIGHT, RULES), after, 'k8s:alice')
    expect(state.intent).to.include({ want: 'awake', at: NIGHT, by: 'k8s:alice', trigger: 'schedule' })
  })
})
