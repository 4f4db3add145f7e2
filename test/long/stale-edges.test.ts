import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { FIRSTS, perform, type Pair } from '../faults/pairs.ts'
import { patchesEnd } from '../faults/resting.ts'
import { behind } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from '../e2e/agreement.ts'

/** The leader gets an older list of one kind, and its watch is frozen; of the other it sees all. */
const FRESH: Kind = 'statefulsets'
const STALE: Kind = 'replicasets'
/** Milliseconds that are enough for all that comes before the edge; the leader's clock is put forward to it. */
const PREPARATION = 120_000

/** An event for a workload before the edge that the leader acts at. */
interface Case {
  readonly edge: 'sleeps' | 'wakes'
  readonly held: 'pin' | 'override' | undefined
  readonly first: Pair['first']
}

const CASES = (['sleeps', 'wakes'] as const).flatMap((edge) =>
  ([undefined, 'pin', 'override'] as const).flatMap((held) =>
    FIRSTS.map((first): Case => ({ edge, held, first })),
  ),
)
const nameOf = ({ edge, held, first }: Case) => `${edge}-${held ?? 'free'}-${first.replaceAll(' ', '-')}`

describeOn('an edge decided on a view one version behind', function (on) {
  this.timeout(180_000)
  /** A replica that only answers requests. */
  const here = served(on, { controller: { enabled: false } })
  const clock = new ProgramClock()
  let proxy: FaultProxy
  let leader: Dormouse

  before('a proxy stands before the leader', async () => {
    proxy = await FaultProxy.before(on().dormouseKubeconfig)
  })

  after(async () => {
    await leader?.stop()
    await proxy.stop()
    clock.remove()
  })

  it(`${CASES.length} cases end as if the leader had seen what came before`, async () => {
    const edge = comingMinute(PREPARATION)
    for (const kind of [FRESH, STALE]) await prepare(kind, edge)
    const older = await here.cluster.admin.expect('GET', `/apis/apps/v1/${STALE}`)
    for (const kind of [FRESH, STALE])
      await inParallel(CASES, (each) => perform(here.api, here, kind, nameOf(each), each.first))

    proxy.onCall(
      { verb: 'list', resource: STALE },
      { type: 'answer', stage: 'before', status: 200, body: older },
    )
    const thaw = proxy.freeze(STALE)
    clock.moveTo(edge - Date.now())
    leader = await Dormouse.start(behind(proxy, on()), { newWorkloadGrace: '0s' }, clock.preload)
    await eventually('it to lead', () => leader.log.some(({ msg }) => msg === 'this replica leads'))
    // Dormouse asks every 2 s for deleted objects, until the watch reports them.
    await patchesEnd(proxy, ({ name }) => !name.endsWith('-delete'))
    const before = await outcomes(STALE)
    const [frozen] = proxy.watches(STALE)
    expect(frozen?.held, 'events that the leader has not got').to.be.greaterThan(CASES.length)
    thaw()
    await patchesEnd(proxy)

    const expected = await outcomes(FRESH)
    const late = CASES.map(nameOf).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(expected[name]),
    )
    print([
      `${CASES.length} cases on ${here.cluster.name}, ${late.length} of which ended only once the watch went on:`,
      late.join(', '),
    ])
    expect(await outcomes(STALE)).to.deep.equal(expected)
  })

  async function prepare(kind: Kind, edge: number): Promise<void> {
    await here.cluster.create(
      here.namespace,
      CASES.map((each) => manifest(kind, nameOf(each))),
    )
    await inParallel(CASES, async (each) => {
      const workload = here.workload(kind, nameOf(each))
      await workload.enable({ schedule: each.edge === 'sleeps' ? sleepsAt(edge) : wakesAt(edge) })
      if (each.held === 'pin') await workload.pin()
      if (each.held === 'override') await workload.override()
    })
  }

  async function outcomes(kind: Kind): Promise<Record<string, unknown>> {
    const objects = new Map((await here.list(kind)).map((object) => [object.metadata.name, object]))
    return Object.fromEntries(
      CASES.map((each) => {
        const object = objects.get(nameOf(each))
        if (!object) return [nameOf(each), 'there is none']
        const { replicas, label, enabled, state } = marksOf(object)
        const held = [state?.pin?.state, state?.override !== undefined]
        return [nameOf(each), { replicas, label, enabled, asleep: state?.asleep, held }]
      }),
    )
  }
})
