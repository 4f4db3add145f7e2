import { expect } from 'chai'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import type { Cluster } from '../../support/cluster.ts'
import { eventually, inParallel } from '../../support/eventually.ts'
import { print } from '../../support/figures.ts'
import { sumOf } from '../../support/metrics-text.ts'
import { annotated, manifest } from '../../support/manifests.ts'
import { asleepNow, awakeNow } from '../../support/schedules.ts'
import { served } from '../../support/served.ts'
import { marksOf } from '../agreement.ts'
import { recipes, type Owning } from './recipes.ts'
import { allAsleep, anOwner, arrive, overwrite, release, writesUntilRest } from './stage.ts'

/** Whatever marks a workload starts with, after this many writes there is nothing to do. */
const MOST_WRITES = 3
const REPLICAS = 2

/**
 * Tests that objects with marks and specs that nobody should write harm nobody: they come to rest, Dormouse goes on, and
 * workloads beside them sleep and wake by their schedule. `everyKind`: each recipe for all kinds, else for one in turn.
 */
export function hostileObjects(on: () => Cluster, everyKind: boolean): void {
  const here = served(on, { newWorkloadGrace: '0s' })
  let owner: Owning
  let started: number
  /** The neighbours' counts; a DaemonSet has as many pods as there are nodes. */
  const counts = new Map<Kind, number | undefined>()
  const all = () => recipes(owner, everyKind)
  const sleepers = () => all().map((recipe) => ({ ...recipe, name: `was-${recipe.name}` }))
  const startOf = async () => sumOf(await here.dormouse.metrics(), 'process_start_time_seconds')

  before('there are neighbours, an owner, and sleepers', async function () {
    this.timeout(120_000)
    owner = await anOwner(here)
    started = await startOf()
    for (const kind of KINDS) {
      await here.enabled(kind, 'neighbour', { replicas: REPLICAS, schedule: awakeNow() })
      counts.set(kind, marksOf(await here.get(kind, 'neighbour')).replicas)
    }
  })

  after('finalizers are removed', () => release(here, [...all(), ...sleepers()]))

  /** No object was written too often. */
  async function expectRest(what: string, since: number): Promise<void> {
    const writes = await writesUntilRest(here, since)
    const counts = [...writes.values()]
    print([`${what}: ${writes.size} objects written, at most ${Math.max(0, ...counts)} times each`])
    expect([...writes].filter(([, count]) => count > MOST_WRITES)).to.deep.equal([])
  }

  async function neighbours(asleep: boolean): Promise<void> {
    await inParallel(KINDS, (kind) =>
      eventually(
        `the neighbour among ${kind} to be ${asleep ? 'asleep' : 'awake'}`,
        async () => {
          const { label, replicas } = marksOf(await here.get(kind, 'neighbour'))
          const count = counts.get(kind)
          expect({ label, replicas }).to.deep.equal(
            asleep ? { label: String(count), replicas: 0 } : { label: undefined, replicas: count },
          )
          return true
        },
        { pause: 500 },
      ),
    )
  }

  async function neighboursTo(asleep: boolean): Promise<void> {
    const schedule = asleep ? asleepNow() : awakeNow()
    await inParallel(KINDS, (kind) => here.workload(kind, 'neighbour').schedule({ schedule }))
    await neighbours(asleep)
  }

  it('that arrive come to rest, each after at most three writes', async () => {
    const since = Date.now()
    await arrive(here, all())
    await expectRest(`${all().length} objects arrived`, since)
  })

  it('beside them, workloads go to sleep by their schedule, and keep their counts', () => neighboursTo(true))

  it('that somebody makes of sleepers come to rest, each after at most three writes', async () => {
    await inParallel(sleepers(), ({ kind, name }) => {
      const object = manifest(kind, name, { annotations: annotated(asleepNow()) })
      return here.cluster.admin.expect('POST', here.path(kind), object)
    })
    await inParallel(KINDS, (kind) => {
      const names = sleepers().filter((sleeper) => sleeper.kind === kind)
      return allAsleep(
        here,
        kind,
        names.map(({ name }) => name),
      )
    })
    await writesUntilRest(here, Date.now())
    const since = Date.now()
    const refused = await overwrite(here, sleepers())
    print([`the API server refused ${refused.length}`, ...refused.map((each) => each.slice(0, 150))])
    expect(refused.length, 'refused by the API server').to.be.below(sleepers().length / 4)
    for (const { kind, name } of sleepers().filter(({ name }) => name.startsWith('was-deleting')))
      await here.cluster.admin.expect('DELETE', here.path(kind, name))
    await expectRest(`${sleepers().length} sleepers were overwritten`, since)
  })

  it('that are there when Dormouse starts come to rest, too', async () => {
    expect(await startOf(), 'Dormouse has not been started again').to.equal(started)
    await here.dormouse.terminate()
    const since = Date.now()
    await here.dormouse.start()
    await expectRest('Dormouse was started again', since)
    started = await startOf()
  })

  it('are shown by the API, each for itself and in lists', async () => {
    const asked = [...all(), ...sleepers()].flatMap(({ kind, name }) => [
      `${kind}/${name}`,
      `${kind}/${name}/plan`,
    ])
    const answers = await inParallel(asked, (path) =>
      here.api.call('GET', `/namespaces/${here.namespace}/${path}`),
    )
    const statuses = new Map(asked.map((path, index) => [path, answers[index]?.status]))
    expect([...statuses].filter(([, status]) => ![200, 404, 409, 422].includes(status ?? 0))).to.deep.equal(
      [],
    )
    const shown = [...statuses.values()].filter((status) => status === 200)
    expect(shown.length).to.be.above(asked.length / 2)
    const list = await here.api.call<object[]>('GET', `/workloads?namespace=${here.namespace}&limit=500`)
    expect(list.body.data.length).to.be.above(all().length)
  })

  it('beside them, workloads wake by their schedule, with the counts that they had', async () => {
    await neighboursTo(false)
    expect(await startOf(), 'Dormouse has not been started again').to.equal(started)
  })
}
