import { expect } from 'chai'
import { faultOf } from '../../src/console/page/hours-fault.ts'

const WHY = "expected a time H:MM, found '8-18'"

describe('a fault of hours in the dialog', () => {
  for (const [told, about] of [
    [`web keeps its hours: body /schedule at 1: ${WHY}`, 'schedule'],
    [`web keeps its hours: schedule: at 1: ${WHY}`, 'schedule'],
    [`schedule: at 1: ${WHY}`, 'schedule'],
    [`web keeps its hours: dormouse.dev/timezone: ${WHY}`, 'timezone'],
  ] as const)
    it(`is shown at its field, without what is for programs: ${told}`, () => {
      expect(faultOf(told)).to.deep.equal({ about, fault: WHY })
    })

  it('of no field is shown whole', () => {
    const told = 'web keeps its hours: you may not change the schedule'
    expect(faultOf(told)).to.deep.equal({ about: undefined, fault: told })
  })
})
