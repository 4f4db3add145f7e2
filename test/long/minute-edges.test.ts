import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { realControlPlane } from '../control-plane/build.ts'
import { startMembers, type Members } from '../control-plane/members.ts'
import { marksOf } from '../e2e/agreement.ts'
import { both, describeWith } from '../suite/need.ts'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print, printFigures } from '../support/figures.ts'
import { formerCommit, formerRelease, type FormerRelease } from '../support/former-release.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { MINUTE } from '../support/rules.ts'
import { awakeBetween, comingMinute } from '../support/schedules.ts'

/** How many minutes, each with an edge: `DORMOUSE_EDGE_MINUTES=40 npm run test:long -- --grep minute`. At most 60. */
const MINUTES = Number(process.env['DORMOUSE_EDGE_MINUTES'] ?? 8)
const COUNT = 30
const KINDS = ['deployments', 'statefulsets', 'cronjobs', 'replicasets', 'daemonsets'] as const
const SETTINGS = {
  newWorkloadGrace: '0s',
  timezone: 'UTC',
  // As many operations in an hour as there are edges.
  backoff: { maxOperations: 19, window: '5m' },
}
/** Milliseconds after an edge for which nobody looks: nothing is mended before. */
const TROUBLE = 15_000

/** The events around an edge; `leads` is the replica that led a moment before. Ends with all as before. */
type Trouble = (here: Trial, leads: number) => Promise<void>

interface Trial {
  readonly members: Members
  readonly dormouses: readonly Dormouse[]
}

/** Each by turns; that of an API server strikes the one that the leader uses. One replica is left each time: edges are not replayed. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  none: async () => {},
  async 'the leader is killed'({ dormouses }, leads) {
    await dormouses[leads]!.kill()
    await sleep(TROUBLE)
    await dormouses[leads]!.start()
  },
  async 'an API server is killed'({ members }, leads) {
    members.leadTo(1 - leads)
    await members.apiServers[leads]!.kill()
    await sleep(TROUBLE)
    await members.apiServers[leads]!.start()
    members.leadTo(0, 1)
  },
  async 'the leader is stopped, and goes on'({ dormouses }, leads) {
    dormouses[leads]!.suspend()
    await sleep(TROUBLE)
    dormouses[leads]!.resume()
  },
  async 'an etcd is killed'({ members }, leads) {
    await members.etcds[leads]!.kill()
    await sleep(TROUBLE)
    await members.etcds[leads]!.start()
  },
  async 'an API server hangs'({ members }, leads) {
    members.leadTo(1 - leads)
    members.apiServers[leads]!.suspend()
    await sleep(TROUBLE)
    members.apiServers[leads]!.resume()
    members.leadTo(0, 1)
  },
  async 'the leader ends'({ dormouses }, leads) {
    await dormouses[leads]!.terminate()
    await sleep(TROUBLE)
    await dormouses[leads]!.start()
  },
  async 'two etcds hang: nobody may write'({ members: { etcds } }) {
    const [, ...most] = etcds
    for (const etcd of most) etcd.suspend()
    await sleep(TROUBLE)
    for (const etcd of most) etcd.resume()
  },
}

describeWith(
  both(realControlPlane, formerCommit),
  'an edge each minute, with leaders of two releases',
  function ([programs, commit]) {
    this.timeout((MINUTES + 8) * MINUTE)
    const namespace = `edges-${randomBytes(4).toString('hex')}`
    let members: Members
    let former: FormerRelease
    const dormouses: Dormouse[] = []

    before('three etcds, two API servers, and a replica at each', async () => {
      members = await startMembers(programs)
      former = await formerRelease(commit)
      await members.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
      for (const [at, dormouseKubeconfig] of members.dormouseKubeconfigs.entries()) {
        const main = at === 0 ? undefined : former.main
        dormouses.push(await Dormouse.start({ dormouseKubeconfig } as Cluster, SETTINGS, undefined, main))
      }
    })

    after(async () => {
      for (const each of dormouses) await each.stop()
      await members?.stop()
      await former?.remove()
    })

    it(`through kills and stops of all there is: ${MINUTES} edges, all right, each written once`, async () => {
      const first = comingMinute(30_000)
      const edges = Array.from({ length: MINUTES }, (_, at) => first + at * MINUTE)
      // Each falls asleep at first, and half of them a minute later than the others.
      const edgesOf = (index: number) => edges.slice(index % 2)
      const indices = Array.from({ length: COUNT }, (_, index) => index)
      const nameOf = (index: number) => `edge-${String(index).padStart(2, '0')}`
      const kindOf = (index: number) => KINDS[index % KINDS.length]!
      const pathOf = (index: number) =>
        `/apis/${apiVersionOf(kindOf(index))}/namespaces/${namespace}/${kindOf(index)}`
      await inParallel(indices, (index) =>
        members.admin.expect(
          'POST',
          pathOf(index),
          manifest(kindOf(index), nameOf(index), {
            replicas: 1 + (index % 3),
            annotations: annotated(hoursOf(first, edgesOf(index))),
          }),
        ),
      )
      const stored = (index: number) =>
        members.admin.expect('GET', `${pathOf(index)}/${nameOf(index)}`) as unknown as Promise<KubectlObject>
      const lags: number[] = []
      const wrong: string[] = []
      for (const [turn, edge] of edges.entries()) {
        const [what, trouble] = Object.entries(TROUBLES)[turn % Object.keys(TROUBLES).length]!
        await sleep(Math.max(0, edge - 500 - Date.now()))
        const leads = await leader()
        const ends = trouble({ members, dormouses }, leads)
        const missing = new Set(indices.filter((index) => edgesOf(index).includes(edge)))
        const isAsleep = (index: number) => edgesOf(index).indexOf(edge) % 2 === 0
        while (missing.size > 0 && Date.now() < edge + MINUTE - 3000) {
          await inParallel([...missing], async (index) => {
            const object = await stored(index).catch(() => undefined)
            if (object && (marksOf(object).label !== undefined) === isAsleep(index)) {
              missing.delete(index)
              lags.push(Date.now() - edge)
            }
          })
          await sleep(200)
        }
        wrong.push(
          ...[...missing].map((index) => `${nameOf(index)} at ${new Date(edge).toISOString()}, ${what}`),
        )
        const late = Math.max(0, ...lags.slice(-COUNT))
        print([
          `${new Date(edge).toISOString()} ${what} (replica ${leads} led): ${missing.size} wrong, ${late} ms`,
        ])
        await ends
      }
      expect(wrong).to.deep.equal([])
      await sleep(TROUBLE)
      const written = await eventually('all writes of the last edge', async () => {
        const rows = await inParallel(indices, async (index) => {
          const object = await stored(index)
          const { state } = marksOf(object)
          const due = edgesOf(index).length
          // A Deployment's generation rises with an annotation, too.
          const made = kindOf(index) === 'deployments' ? due : object.metadata.generation - 1
          const row = { name: nameOf(index), due, made, states: state?.counter ?? 0 }
          expect(state?.history[0]?.result, row.name).not.to.equal('failed')
          // A wake's completion is a write of its own.
          expect(row.states, row.name).to.be.within(due, due + Math.floor(due / 2))
          return row
        })
        expect(rows.filter(({ due, made }) => due !== made)).to.deep.equal([])
        return rows
      })
      const sum = (key: 'due' | 'made' | 'states') => written.reduce((all, row) => all + row[key], 0)
      print([`changes of a spec: ${sum('due')} due, ${sum('made')} made; writes of states: ${sum('states')}`])
      printFigures('from an edge until it was seen', [{ name: 'all', values: lags }])
      const errors = dormouses.flatMap(({ log }) =>
        log.filter(({ level }) => level === 'error' || level === 'fatal'),
      )
      expect(errors).to.deep.equal([])
    })

    /** The index of the replica that leads; 0 where nobody does. */
    async function leader(): Promise<number> {
      const samples = await Promise.all(dormouses.map((each) => each.metrics().catch(() => [])))
      const leads = samples.findIndex((all) =>
        all.some(({ name, value }) => name === 'dormouse_leader' && value === 1),
      )
      return Math.max(0, leads)
    }
  },
)

/** Awake until the first of the edges, and from each second one to the next. */
function hoursOf(first: number, edges: readonly number[]): string {
  const begins = [first - 5 * MINUTE, ...edges.filter((_, at) => at % 2 === 1)]
  const ends = edges.filter((_, at) => at % 2 === 0)
  return begins
    .slice(0, ends.length + 1)
    .map((begin, at) => awakeBetween(begin, ends[at] ?? begin + 30 * MINUTE))
    .join('; ')
}
