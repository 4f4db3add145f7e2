import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/record.ts'
import { ANNOTATION } from '../../src/domain/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { awakeNow, comingMinute, sleepsAt } from '../support/schedules.ts'
import { createNamespace, served } from '../support/served.ts'

const MINUTE = 60_000

/** Half of the namespaces are managed by their annotations, half by a policy. */
export function waveByPolicy(on: () => Cluster, namespaces: number, workloadsEach: number): void {
  const all = namespaces * workloadsEach
  const run = randomBytes(3).toString('hex')
  const spaces = Array.from(
    { length: namespaces },
    (_, index) => `${index % 2 ? 'annotated' : 'policed'}-${run}-${index}`,
  )
  const annotated = spaces.filter((_, index) => index % 2)
  const settings = (schedule: string) => ({
    newWorkloadGrace: '0s',
    policies: [{ name: 'wave', namespaces: { names: [`policed-${run}-*`] }, enabled: true, schedule }],
  })
  const here = served(on, settings(awakeNow()))

  after('the namespaces go', async function () {
    this.timeout(5 * MINUTE)
    await inParallel(spaces, (name) => on().admin.send('DELETE', `/api/v1/namespaces/${name}`))
  })

  const annotate = (schedule: string) =>
    inParallel(annotated, (name) =>
      on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, {
        metadata: { annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: schedule } },
      }),
    )
  const managed = (state?: string) => async () => {
    const known = state === undefined ? {} : { state }
    return sumOf(await here.dormouse.metrics(), 'dormouse_workloads_by_source', known) === all
  }
  const patchesSince = async (since: number, namespace?: string) =>
    (await here.cluster.requestsSince(since)).filter(
      ({ verb, url }) =>
        verb === 'patch' &&
        url.includes('/deployments/') &&
        (namespace === undefined ? url.includes(run) : url.includes(`/${namespace}/`)),
    ).length

  it(`${all} workloads in ${namespaces} namespaces are enrolled without a write`, async function () {
    this.timeout(15 * MINUTE)
    await inParallel(spaces, async (name) => {
      await createNamespace(on(), name)
      const objects = Array.from({ length: workloadsEach }, (_, index) =>
        manifest('deployments', `web-${index}`),
      )
      await on().create(name, objects)
    })
    const since = Date.now()
    await annotate(awakeNow())
    await eventually('all to be managed', managed('awake'), { timeout: 5 * MINUTE, pause: 1000 })
    expect(await patchesSince(since)).to.equal(0)
  })

  it('go to sleep at the edge', async function () {
    this.timeout(15 * MINUTE)
    const edge = comingMinute(30_000)
    await here.dormouse.terminate()
    await here.dormouse.start(settings(sleepsAt(edge)))
    await annotate(sleepsAt(edge))
    const since = Date.now()
    await eventually('all to be known again', managed(), { timeout: MINUTE, pause: 500 })
    if (Date.now() < edge) expect(await patchesSince(since)).to.equal(0)
    await eventually('all to sleep', managed('snoozed'), { timeout: 10 * MINUTE, pause: 1000 })
    const late = (await Promise.all(spaces.map(recordsOf)))
      .flat()
      .map(({ snoozed_at }) => Date.parse(snoozed_at ?? '') - edge)
      .toSorted((a, b) => a - b)
    print([
      `${all} workloads by Namespace and policy put to sleep on ${here.cluster.name}: half after ${late[all / 2]} ms, all after ${late.at(-1)} ms`,
    ])
    expect(late[0]).to.be.at.least(0)
  })

  it("one namespace's other schedule writes to its workloads alone", async function () {
    this.timeout(5 * MINUTE)
    const [name = ''] = annotated
    const since = Date.now()
    await on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, {
      metadata: { annotations: { [ANNOTATION.schedule]: awakeNow() } },
    })
    await eventually(
      'its workloads to wake',
      async () => (await recordsOf(name)).every((each) => !each.is_snoozed && !each.operation_in_progress),
      { timeout: 3 * MINUTE },
    )
    const writes = await patchesSince(since, name)
    // The wake, and what gives the count up once its pods are there.
    expect(writes).to.be.within(workloadsEach, 2 * workloadsEach)
    expect(await patchesSince(since)).to.equal(writes)
  })

  async function recordsOf(namespace: string): Promise<StatusRecord[]> {
    const { body } = await here.api.call<StatusRecord[]>(
      'GET',
      `/namespaces/${namespace}/deployments?limit=500`,
    )
    return body.data
  }
}
