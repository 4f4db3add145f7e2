import { expect } from 'chai'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'
import { updated } from './updates.ts'

const web = aDeployment('shop/web').withReplicas(3).enabled().scheduled('8:00-18:00', 'Asia/Tokyo')

describe('what kubectl prints of a decision', () => {
  const refused = () => admitScale(web.pinned(), 5, NOON, RULES)

  it('has names without prefixes, and times on the clocks of the workload, whose zone is named', () => {
    expect(refused()).to.have.property(
      'message',
      'Dormouse: deployment shop/web is pinned awake by alice since Mon 16:00 (Asia/Tokyo); ' +
        'to let it go: kubectl annotate -n shop deployments/web dormouse.dev/request=unpin',
    )
  })

  it('names a zone only where it is one, and steers no terminal by another', () => {
    for (const timezone of ['\u001b]0;PWN\u0007\u001b[2J\u202e', 'Mars/Olympus']) {
      const broken = web.scheduled('8:00-18:00', timezone)
      const says = JSON.stringify(admitScale(broken.pinned(), 5, NOON, RULES))
      expect(JSON.parse(says)).to.have.property('message').that.includes('since Mon 7:00 (UTC)')
      const lower = admitScale(broken.snoozed({ at: NOON }), 1, NOON, RULES)
      for (const text of [says, JSON.stringify(lower)])
        expect(text).to.not.match(/Olympus|\\u001b|\\u0007|\u202e/)
    }
  })

  it('leaves the explanation for programs as it is', () => {
    expect(refused()).to.have.nested.property('explanation.reason_values.by', 'k8s:alice')
    expect(refused()).to.have.nested.property('explanation.reason').that.contains('2026-03-02T07:00:00Z')
  })

  it('has the date of a time that is days off', () => {
    const held = web.overridden(at('Mon 13:00') + 14 * 86_400_000)
    expect(admitScale(held, 5, NOON, RULES))
      .to.have.property('message')
      .that.contains('until Mon 2026-03-16 22:00')
  })

  it('leaves times to the client that localizes them itself', () => {
    const decision = updated(web.pinned(), web.pinned().withReplicas(5), { manager: 'kubectl-dormouse' })
    expect(decision).to.have.property('message').that.contains('k8s:alice since 2026-03-02T07:00:00Z')
  })

  it('leaves the example of a request as it is typed', () => {
    const decision = updated(web, web.annotated({ request: 'wake @soon' }))
    expect(decision).to.have.property('message').that.contains('such as @2026-11-24T18:00:00Z')
  })
})
