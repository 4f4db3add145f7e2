import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { at } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted } from './rig.ts'

const NOW = at('Mon 17:55')

function sleeper(): AWorkload {
  return aDeployment()
    .withReplicas(3)
    .enabled()
    .snoozed({ at: at('Mon 16:00'), trigger: 'api', by: 'k8s:alice' })
}

/** Each of these was once patched without end: the last known marks and the decision disagreed on the label. */
const DISAGREEING: Readonly<Record<string, AWorkload>> = {
  'asleep, and no label': sleeper().labelled(undefined),
  'asleep, and a label that is no count': sleeper().labelled({ [ASLEEP_LABEL]: 'x' }),
  'asleep, and a label that nobody writes so': sleeper().labelled({ [ASLEEP_LABEL]: '03' }),
  'awake, and a label left over': sleeper()
    .woken({ at: at('Mon 17:00') })
    .labelled({ [ASLEEP_LABEL]: '3' }),
}

describe('a first copy whose label disagrees with its state', () => {
  for (const [what, copy] of Object.entries(DISAGREEING)) {
    it(`is put right, and no more (${what})`, async () => {
      const { cluster } = await aStarted(NOW, copy)
      await settled()
      expect(cluster.sent).to.equal(1)
    })
  }
})

describe('a leader whose first copy had a wrong label', () => {
  it('knows the right one once it has put it right', async () => {
    const { cluster, start } = aRig(at('Mon 19:00'))
    const web = aDeployment()
      .withReplicas(5)
      .enabled()
      .scheduled('8:00-18:00')
      .snoozed({ at: at('Mon 18:00') })
    cluster.put(web.labelled(undefined))
    await start()
    cluster.put(cluster.live(web).scaledByHand(1))
    await settled()
    expect(cluster.live(web).state()).to.deep.include({ asleep: false })
    expect(cluster.live(web).state().woken).to.include({ kept: 5, set: 1 })
  })
})
