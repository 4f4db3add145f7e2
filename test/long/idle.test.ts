import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const MANAGED = 2000
/** How many of them have a pod; the others are scaled to 0, to spare the machine. */
const WITH_PODS = 200
const QUIET = 10_000
const MINUTE = 60_000

describeOn('an idle cluster', function (on) {
  this.timeout(15 * MINUTE)
  const here = served(on, { newWorkloadGrace: '0s' })

  it(`of ${MANAGED} managed workloads costs nothing but watches and its Lease for a minute`, async () => {
    const annotations = annotated(awakeNow())
    const objects = Array.from({ length: MANAGED }, (_, index) =>
      manifest('deployments', `idle-${index}`, { replicas: index < WITH_PODS ? 1 : 0, annotations }),
    )
    await here.cluster.create(here.namespace, objects)
    await eventually(
      'all to be known and awake',
      async () => {
        const known = { namespace: here.namespace, kind: 'deployments', state: 'awake' }
        return sumOf(await here.dormouse.metrics(), 'dormouse_workloads', known) === MANAGED
      },
      { timeout: 5 * MINUTE, pause: 1000 },
    )
    await eventually(
      'the workloads to come to rest',
      async () => {
        const before = await versions()
        await sleep(QUIET)
        return (await versions()) === before
      },
      { timeout: 5 * MINUTE },
    )

    const cpu = async () => sumOf(await here.dormouse.metrics(), 'process_cpu_seconds_total')
    const before = await cpu()
    const began = Date.now()
    await sleep(MINUTE)
    const requests = await here.cluster.requestsSince(began)
    const spent = (await cpu()) - before
    const renewals = requests.filter(({ url }) => url.includes('/leases/'))
    const others = requests.filter((each) => !renewals.includes(each))
    print([
      `an idle minute on ${here.cluster.name}: the Lease renewed ${renewals.length} times, ${others.length} other requests (${[...new Set(others.map(({ verb }) => verb))].join(', ') || 'none'}), ${spent.toFixed(2)} s of CPU`,
    ])
    expect(await here.cluster.requestsSince(0), 'requests are seen at all').not.to.deep.equal([])
    expect(others.filter(({ verb }) => verb !== 'watch')).to.deep.equal([])
  })

  /** The resourceVersions of all, in one text. */
  async function versions() {
    const path = `/apis/apps/v1/namespaces/${here.namespace}/deployments`
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
    const { items = [] } = await here.cluster.admin.expect('GET', path, undefined, { accept })
    return items.map(({ metadata }) => String(metadata?.['resourceVersion'])).join()
  }
})
