import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { FaultProxy } from '../faults/fault-proxy.ts'
import type { Dormouse } from '../support/dormouse.ts'
import type { Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { annotated } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

const FLAPPING = 'flapping'
/** More than `backoff.maxOperations` of them. */
const SWITCHES = 8

/** Workloads of `busy`, for those who count. */
export const WORKLOADS = 7

/** Everything that can happen to workloads within seconds; asked of the replica that leads. */
export async function busy(here: Enforced): Promise<void> {
  const { api } = here
  const web = await here.create('deployments', 'web', { replicas: 3 })
  const orders = await here.create('statefulsets', 'orders', { replicas: 2 })
  const agent = await here.create('daemonsets', 'agent')
  const cache = await here.create('replicasets', 'cache', { replicas: 2 })
  const flapping = await here.create('deployments', FLAPPING)
  const broken = await here.create('deployments', 'broken')

  // A wave in the evening, one in the morning, and requests.
  await web.enable({ schedule: awakeNow() })
  await orders.enable({ schedule: asleepNow() }, '?wait=60s')
  await agent.enable({ schedule: asleepNow() }, '?wait=60s')
  await agent.schedule({ schedule: awakeNow() })
  await web.snooze('?wait=60s')
  await web.wake('?wait=60s')

  // Held, and scaled by hand all the same.
  await web.pin()
  await here.cluster.kubectl.attempt(['scale', 'deployment/web', '--replicas=5', '-n', here.namespace])
  await cache.enable()
  await cache.snooze('?wait=60s')
  await here.kubectl('scale', 'replicaset/cache', '--replicas=2')
  await cache.override('5m')

  // Switched too often, and unreadable.
  await flapping.enable()
  for (let n = 0; n < SWITCHES; n++)
    await (n % 2 === 0 ? flapping.snooze('?force=true') : flapping.wake('?force=true'))
  await broken.enable()
  const exempt = ['--as=system:kube-controller-manager', '--overwrite']
  await here.kubectl('annotate', 'deployment/broken', `${ANNOTATION.state}={`, ...exempt)

  // Typical mistakes.
  await here.workload('deployments', 'none').attempt('GET', '')
  await web.attempt('POST', '/snooze', { token: null })
  await web.attempt('POST', '/snooze')
  await web.attempt('PUT', '/schedule', { raw: '{' })
  await api.call('GET', '/workloads')
  await api.call('GET', '/nowhere')
}

/** The API server goes away for a moment, and requests meanwhile are refused. */
export async function outage(here: Enforced, proxy: FaultProxy): Promise<void> {
  const back = proxy.away()
  await eventually('requests to be refused', async () => {
    const { status } = await here.workload('deployments', 'web').attempt('POST', '/unpin')
    return status === 404 || status === 503
  })
  await eventually('the API to miss the cluster', async () => {
    const { status } = await here.workload('deployments', 'web').attempt('GET', '')
    return status === 503
  })
  back()
}

/**
 * A workload that a chart enabled, outside its hours: it runs for its grace, and then the clock puts it to
 * sleep. Resolves when it sleeps.
 */
export async function graceEnds(here: Enforced, leader: Dormouse): Promise<void> {
  await here.create('deployments', 'fresh', {
    annotations: { ...annotated(asleepNow()), [ANNOTATION.calendar]: 'holidays' },
  })
  const fresh = leader.api.workload('deployments', here.namespace, 'fresh')
  await eventually('the clock to put a workload to sleep', async () => (await fresh.status()).is_snoozed)
}
