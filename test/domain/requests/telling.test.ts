import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import { asked } from '../../support/decisions.ts'
import { at, HOUR } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, WORK } from '../fixtures.ts'

describe('what a dry run says', () => {
  const by = { at: at('Mon 9:00'), trigger: 'api', by: 'k8s:alice' } as const
  const plain = aDeployment().withReplicas(2)
  const pinned = awake.pinned()
  const cases: readonly (readonly [Parameters<typeof asked>[0], Request, RegExp, number?])[] = [
    [asleep, { action: 'wake' }, /^would be woken to 3 replicas: awake by request of /, NIGHT],
    [awake, { action: 'wake' }, /^would be left as it is: already awake /],
    [awake, { action: 'wake', for: HOUR }, /^would stay awake\b/],
    [awake, { action: 'snooze' }, /^would be snoozed, 3 replicas kept: asleep by request of /],
    [asleep, { action: 'snooze' }, /^would be left as it is: already asleep: /, NIGHT],
    [asleep, { action: 'snooze', for: HOUR }, /^would stay asleep\b/, NIGHT],
    [awake, { action: 'pin' }, /^would be pinned awake by /],
    [asleep.editedTo(5), { action: 'pin' }, /^would be pinned asleep by \S+ since \S+, which would put it to sleep now, 5 replicas kept$/, NIGHT],
    [pinned, { action: 'pin' }, /^would be left as it is: pinned awake by /],
    [pinned, { action: 'unpin' }, /^would be unpinned, which would put it to sleep now, 3 replicas kept: asleep /, NIGHT],
    [awake, { action: 'unpin' }, /^would be left as it is: not pinned: awake /],
    [awake, { action: 'override', duration: HOUR }, /^would stay awake: overridden /],
    [pinned, { action: 'override', duration: HOUR }, /^would be overridden until \S+, but the pin goes first: pinned /],
    [awake.overridden(), { action: 'clearOverride' }, /^would have its override cleared: awake /],
    [awake, { action: 'clearOverride' }, /^would be left as it is: not overridden: awake /],
    [plain, { action: 'enable', schedule: WORK }, /^would be enabled, which would put it to sleep now, 2 replicas kept: /, NIGHT],
    [awake, { action: 'enable' }, /^would be left as it is: already enabled: /],
    [asleep.snoozed(by), { action: 'disable' }, /^would be disabled and woken/],
    [awake, { action: 'schedule', schedule: '20:00-22:00' }, /^would have its schedule set to 20:00-22:00 .*, which would put it to sleep now/],
    [awake, { action: 'schedule', schedule: WORK }, /^would be left as it is: that is its schedule already: /],
    [awake, { action: 'schedule' }, /^would have its schedule removed\b/],
    [awake, { action: 'enable', inherit: true }, /^would have its own dormouse\.dev\/enabled removed/],
  ] // prettier-ignore
  for (const [workload, request, expected, when = NOON] of cases)
    it(`reads on after the name: ${request.action}, ${expected.source.slice(1, 50)}`, () => {
      expect(asked(workload, request, when).rehearsed).to.match(expected)
    })
})
