import { expect } from 'chai'
import fc from 'fast-check'
import { isRelevant } from '../../../src/domain/deciding/relevance.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const WORK = '8:00-18:00,Mon-Fri'

const start = (workload: AWorkload) =>
  workload
    .withReplicas(3)
    .enabled()
    .scheduled(WORK)
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const lives: ((workload: AWorkload) => AWorkload)[] = [
  (workload) => workload,
  (workload) => workload.snoozed({ at: at('Mon 10:00') }),
  (workload) => workload.snoozed({ at: at('Mon 10:00') }).editedTo(2),
  (workload) => workload.snoozed({ at: at('Mon 10:00') }).scaledByHand(2),
  (workload) => workload.snoozed({ at: at('Mon 10:00') }).pinned(),
  (workload) => workload.snoozed({ at: at('Mon 10:00') }).inProgress({ type: 'snooze', at: at('Mon 10:00') }),
  (workload) => workload.inProgress({ type: 'wake', at: at('Mon 10:00') }),
  (workload) => workload.inProgress({ type: 'wake', at: at('Mon 10:00') }).with({ ownReplicasEntry: 1 }),
  (workload) => workload.overridden(at('Mon 12:00')),
  (workload) => workload.inBackoff(at('Mon 12:00')),
  (workload) => workload.annotated({ enabled: 'false' }),
]
const aStatus = fc.record({
  existing: fc.nat(4),
  ready: fc.nat(4),
  observedGeneration: fc.nat(6),
  trouble: fc.constantFrom({ code: 'FailedCreate', message: 'x' }, { code: 'FailedCreate', message: 'y' }),
})

/** Whether there is something to write, and when to look again. */
function evaluate(workload: Workload, now: number) {
  const { change, decision } = planStep(workload, now, RULES)
  return { due: change !== undefined, action: decision.action, lookAgainAt: decision.lookAgainAt }
}

describe('relevance', () => {
  it('is denied only to changes that leave every decision as it is', () => {
    const aLife = fc.constantFrom(...lives)
    const aKind = fc.constantFrom(aDeployment(), aDaemonSet())
    const instants = fc.integer({ min: at('Mon 10:00'), max: at('Mon 10:00') + 14 * HOUR })
    const runs = propertyRuns(500)
    let spared = 0
    fc.assert(
      fc.property(aKind, aLife, aStatus, aStatus, instants, (kind, live, first, second, now) => {
        const before = live(start(kind)).with({ pods: first })
        const after = before.with({ pods: second, resourceVersion: '101' })
        if (isRelevant(before, after)) return
        spared++
        expect(evaluate(after, now)).to.deep.equal(evaluate(before, now))
      }),
      runs,
    )
    expect(spared).to.be.above(runs.numRuns / 5)
  })

  it('is found in each thing that a decision asks for', () => {
    const web = start(aDeployment())
    const changes: AWorkload[] = [
      web.annotated({ enabled: 'false' }),
      web.scheduled('9:00-17:00'),
      web.scheduled(WORK, 'Asia/Tokyo'),
      web.remembering({}),
      web.labelled({ 'dormouse.dev/asleep': '3' }),
      web.with({ replicas: 4 }),
      web.with({ snoozeKey: 'true' }),
      web.with({ deleting: true }),
      web.with({ replicasManager: { manager: 'kubectl', subresource: 'scale' } }),
      web.with({ ownReplicasEntry: 0 }),
      web.unsettled(),
      web.with({ otherAnnotationBytes: 255 * 1024 }),
    ]
    for (const after of changes) expect(isRelevant(web, after)).to.equal(true)
    expect(isRelevant(web, web.labelled({ app: 'web' })), 'another label').to.equal(true)
    expect(isRelevant(web, web.with({ otherAnnotationBytes: 9 })), 'other annotations').to.equal(false)
    expect(isRelevant(web, web.with({ requests: { cpu: 9, memory: MINUTE } }))).to.equal(false)
  })
})
