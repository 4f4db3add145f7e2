import { expect } from 'chai'
import { eventsForPeople } from '../../src/wiring/events-for-people.ts'
import { at, RULES } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'

describe('the Events on workloads', () => {
  const told = (message: string, subject: object) => {
    const messages: string[] = []
    const recorder = { record: (...[, , , text]: unknown[]) => void messages.push(String(text)) }
    eventsForPeople(recorder, RULES, () => at('Mon 18:00')).record(
      subject as never,
      'Normal',
      'Woken',
      message,
    )
    return messages
  }

  it("have people's names without prefixes, and times on the clocks of the workload's zone, which is named", () => {
    const inTokyo = aDeployment().annotated({ timezone: 'Asia/Tokyo' })
    expect(
      told('Paused by k8s:alice until 2026-03-02T18:30:00Z, again 2026-03-02T19:00:00Z', inTokyo),
    ).to.deep.equal(['Paused by alice until Tue 3:30 (Asia/Tokyo), again Tue 4:00'])
    expect(told('Woken by review:alice', inTokyo), 'an unproven name').to.deep.equal([
      'Woken by review:alice',
    ])
  })

  it('on another object have those of the configuration', () => {
    const subject = { namespace: 'shop', name: 'shop', uid: '1', resourceVersion: '1', reference: {} }
    expect(told('since 2026-03-02T18:30:00Z', subject)).to.deep.equal(['since Mon 18:30 (UTC)'])
  })
})
