import { expect } from 'chai'
import fc from 'fast-check'
import { ASLEEP_LABEL, KINDS, type BuiltInKind as Kind } from '../../../src/domain/workload/workload.ts'
import { anyMarks, labelsWith, type Marks } from '../../support/arbitrary-marks.ts'
import { countOf } from '../../support/manifests.ts'
import { at } from '../../support/rules.ts'
import { aDeployment, BY_KIND, type AWorkload } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig } from './rig.ts'

const NOW = at('Mon 17:55')
const MOST_WRITES = 3

function marked(kind: Kind, { annotations, label, held, replicas, snoozeKey }: Marks): AWorkload {
  const key = kind === 'daemonsets' ? snoozeKey : undefined
  return BY_KIND[kind]()
    .with({
      annotations,
      hasAnnotations: true,
      labels: labelsWith(label, held),
      snoozeKey: key,
      hasNodeSelector: key !== undefined,
    })
    .withReplicas(countOf(kind, replicas))
}

function sleeper(): AWorkload {
  return aDeployment()
    .withReplicas(3)
    .enabled()
    .snoozed({ at: at('Mon 16:00'), trigger: 'api', by: 'k8s:alice' })
}

const KIND = fc.constantFrom(...KINDS)
const CASE = KIND.chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    copies: fc.array(anyMarks(NOW, kind), { minLength: 1, maxLength: 4 }),
  }),
)

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
      const { cluster, start } = aRig(NOW)
      cluster.put(copy)
      await start()
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

describe('the controller, over a workload whose marks others write again and again', () => {
  it(`rests after at most ${MOST_WRITES} writes each time`, async function () {
    this.timeout(1_200_000)
    let writes = 0
    await fc.assert(
      fc.asyncProperty(CASE, async ({ kind, copies }) => {
        const { cluster, controller, start } = aRig(NOW)
        const [first, ...others] = copies
        cluster.put(marked(kind, first!))
        await start()
        let before = 0
        for (const marks of [undefined, ...others]) {
          if (marks) cluster.put(marked(kind, marks))
          await settled()
          expect(cluster.sent - before, 'writes').to.be.at.most(MOST_WRITES)
          before = cluster.sent
          await settled()
          expect(cluster.sent, 'at rest').to.equal(before)
        }
        writes += before
        await controller.stop()
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 400) },
    )
    expect(writes, 'writes of all cases').to.be.above(0)
  })
})
