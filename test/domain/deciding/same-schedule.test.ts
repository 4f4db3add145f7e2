import { expect } from 'chai'
import { meansTheSame } from '../../../src/domain/deciding/intent.ts'
import { RULES } from '../../support/rules.ts'
import { read } from '../../support/readable.ts'
import { aDeployment } from '../../support/workloads.ts'

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
