import { expect } from 'chai'
import { contradiction } from '../../support/decisions.ts'
import { at, HOUR } from '../../support/rules.ts'
import { aCronJob, type AWorkload } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, unscheduled, WORK } from '../fixtures.ts'

const held = asleep.woken({ at: NIGHT, by: 'k8s:carol', for: 4 * HOUR })
const told = (before: AWorkload, after: AWorkload, now = NIGHT) => contradiction(before, after, now + 1000)

describe('somebody else who moves a workload against what was decided', () => {
  it('is told with what was decided, and why', () => {
    expect(told(held, held.editedTo(0, 'new-pykube'))).to.deep.equal({
      text:
        'scaled to 0 replicas by manager:new-pykube, against Dormouse ' +
        '(awake by request of k8s:carol; sleeps 2026-03-03T00:00:00Z)',
      byHand: false,
    })
    expect(told(asleep, asleep.editedTo(3, 'manager'))?.text).to.match(
      /^scaled to 3 replicas by manager:manager, against Dormouse \(asleep by schedule /,
    )
  })

  for (const [what, before, after, now] of [
    ['awake by its schedule', awake, awake.editedTo(0), NOON],
    ['pinned', awake.pinned(), awake.pinned().editedTo(0), NIGHT],
    ['overridden', awake.overridden(), awake.overridden().editedTo(0), NIGHT],
  ] as const)
    it(`counts where the workload is ${what}`, () => {
      expect(told(before, after, now)?.byHand).to.equal(false)
    })

  it('is told that it suspended a CronJob', () => {
    const job = aCronJob()
      .enabled()
      .scheduled(WORK)
      .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
    expect(told(job, job.editedTo(0), NOON)?.text).to.match(/^suspended by manager:argocd, against Dormouse/)
  })

  it('may do so by hand: it uses the scale subresource', () => {
    expect(told(held, held.scaledByHand(0))?.byHand).to.equal(true)
    expect(told(asleep, asleep.scaledByHand(2))?.byHand).to.equal(true)
  })

  for (const [what, before, after, now] of [
    ['another count of what is awake', awake, awake.editedTo(5), NOON],
    ['a deploy that moves nothing', asleep, asleep.editedTo(0), NIGHT],
    ['what nobody asked for', unscheduled, unscheduled.editedTo(0), NOON],
    ['what is to sleep anyway', awake, awake.editedTo(0), NIGHT],
    [
      'what is not managed',
      awake.annotated({ enabled: 'false' }),
      awake.annotated({ enabled: 'false' }).editedTo(0),
      NOON,
    ],
    ['what an autoscaler scales to 0', awake, awake.scaledByHand(0, 'keda-operator'), NOON],
    ['what is awake again', awake.editedTo(0), awake.editedTo(3), NOON],
    ['what is being deleted', awake, awake.editedTo(0).with({ deleting: true }), NOON],
    ['what cannot be read', awake, awake.annotated({ state: '{' }).editedTo(0), NOON],
    ['what Dormouse did', held, held.snoozed({ at: NIGHT + 1, trigger: 'api' }), NIGHT],
  ] as const)
    it(`does not count: ${what}`, () => {
      expect(told(before, after, now)).to.equal(undefined)
    })
})
