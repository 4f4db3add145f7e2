import { expect } from 'chai'
import { changed } from '../../../src/domain/workload/change.ts'
import { releaseChange } from '../../../src/domain/deciding/release.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { asleep } from '../fixtures.ts'

const NOW = at('Mon 19:00')

function released(workload: Workload): Workload {
  const change = releaseChange(workload, NOW, RULES)
  return change ? changed(workload, change) : workload
}

describe('release', () => {
  it('wakes a sleeper and removes annotations and label, even if it is pinned, overridden or disabled', () => {
    for (const held of [
      asleep,
      asleep.pinned(),
      asleep.overridden(),
      asleep.annotated({ enabled: 'false' }),
    ]) {
      expect(released(held)).to.deep.include({ replicas: 3, annotations: {}, labels: {} })
    }
  })

  it('removes the key, and nothing else, from a DaemonSet', () => {
    const agent = aDaemonSet()
      .withReplicas(2)
      .enabled()
      .snoozed({ at: at('Mon 18:00') })
    expect(releaseChange(agent, NOW, RULES)).to.deep.equal({
      annotations: { enabled: null, state: null, history: null },
      label: null,
      snoozeKey: null,
    })
  })

  it('takes the count from the label where the state cannot be read', () => {
    for (const state of ['{', undefined]) {
      expect(released(asleep.annotated({ state }))).to.deep.include({
        replicas: 3,
        annotations: {},
        labels: {},
      })
    }
  })

  it('leaves the count of a running workload', () => {
    expect(released(asleep.editedTo(7)).replicas).to.equal(7)
    expect(released(aDeployment().withReplicas(2).enabled()).replicas).to.equal(2)
  })

  it('gives back the count that stayed kept when somebody woke it to fewer', () => {
    const lowered = aDeployment().with(followed(stepped(asleep.scaledByHand(1), NOW).after))
    expect(stateOf(lowered).woken).to.include({ kept: 3, set: 1 })
    for (const held of [
      lowered,
      lowered.pinned(),
      lowered.annotated({ enabled: 'false' }),
      lowered.editedTo(0),
    ])
      expect(released(held)).to.deep.include({ replicas: 3, annotations: {} })
    expect(released(lowered.editedTo(2)).replicas, 'another count was set since').to.equal(2)
  })

  it('gives up the ownership of spec.replicas, and has nothing to do then', () => {
    const bare = aDeployment().with({ ownReplicasEntry: 1 })
    expect(releaseChange(bare, NOW, RULES)).to.deep.equal({ annotations: {}, givesUpReplicas: true })
    expect(releaseChange(aDeployment(), NOW, RULES)).to.equal(undefined)
  })
})
