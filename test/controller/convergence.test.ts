import { expect } from 'chai'
import fc from 'fast-check'
import type { Kind } from '../../src/domain/workload.ts'
import { anyMarks, labelsWith, type Marks } from '../support/arbitrary-marks.ts'
import { at } from '../support/rules.ts'
import { aDaemonSet, aDeployment, aReplicaSet, aStatefulSet, type AWorkload } from '../support/workloads.ts'
import { settled } from './fake-time.ts'
import { aRig } from './rig.ts'

const NOW = at('Mon 17:55')
const MOST_WRITES = 3
const A: Readonly<Record<Kind, () => AWorkload>> = {
  deployments: aDeployment,
  statefulsets: aStatefulSet,
  daemonsets: aDaemonSet,
  replicasets: aReplicaSet,
}

function marked(kind: Kind, { annotations, label, replicas, snoozeKey }: Marks): AWorkload {
  const key = kind === 'daemonsets' && snoozeKey
  return A[kind]()
    .with({
      annotations,
      hasAnnotations: true,
      labels: labelsWith(label),
      snoozeKey: key,
      hasNodeSelector: key,
    })
    .withReplicas(replicas)
}

const KIND = fc.constantFrom<Kind>('deployments', 'statefulsets', 'daemonsets', 'replicasets')
const CASE = KIND.chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    copies: fc.array(anyMarks(NOW, kind), { minLength: 1, maxLength: 4 }),
  }),
)

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
