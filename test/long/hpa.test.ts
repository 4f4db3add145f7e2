import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { realControlPlane } from '../control-plane/build.ts'
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts'
import { versions } from '../control-plane/programs.ts'
import { killedAt } from '../faults/killed-at.ts'
import { throughFaults } from '../faults/through-faults.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { realCluster } from '../support/real-cluster.ts'
import { printFigures } from '../support/figures.ts'
import { describeWith } from '../suite/need.ts'

const GROUP = 'external.metrics.k8s.io'
const DEFINITION = {
  metadata: {
    name: `queue.${GROUP}`,
    annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in of a test' },
  },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      plural: 'queue',
      singular: 'queue',
      kind: 'ExternalMetricValue',
      listKind: 'ExternalMetricValueList',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
/** By the metric the HPA wants so many. */
const WANTED = 3
const KILLS = 20
/** Milliseconds: longer than an HPA takes from one look to the next. */
const STAYS = 20_000

describeWith(realControlPlane, 'a HorizontalPodAutoscaler that may go to 0', function (programs) {
  this.timeout(240_000)
  let plane: ControlPlane | undefined
  let cluster: Cluster | undefined
  const on = () => {
    if (!cluster) throw new TypeError('the cluster is there only within hooks and tests')
    return cluster
  }

  before('a control plane with the gate, and its metric', async () => {
    plane = await startControlPlane({ programs, featureGates: 'HPAScaleToZero=true' })
    cluster = await realCluster(plane)
    // A custom resource answers as an adapter of metrics would: its list has their shape.
    await on().admin.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)
  })

  // After Dormouse, which is stopped by a hook of its own.
  const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
  after('the control plane is stopped', () => plane?.stop())

  const metric = () => `/apis/${GROUP}/v1beta1/namespaces/${here.namespace}/queue`
  const staysAsleep = async (name: string) => {
    const until = performance.now() + STAYS
    while (performance.now() < until) {
      expect(await replicas(name), `${name} while it sleeps`).to.equal(0)
      await sleep(500)
    }
  }
  const hpa = async (name: string, minReplicas: number) => {
    await eventually('the metric to be served', async () => {
      const value = {
        apiVersion: `${GROUP}/v1beta1`,
        kind: 'ExternalMetricValue',
        metadata: { name: 'one' },
        metricName: 'queue',
        metricLabels: {},
        timestamp: new Date().toISOString().replace(/\.\d+/, ''),
        value: String(2 * WANTED),
      }
      const { status } = await on().admin.send('POST', metric(), value)
      return status === 201 || status === 409
    })
    await on().admin.expect(
      'POST',
      `/apis/autoscaling/v2/namespaces/${here.namespace}/horizontalpodautoscalers`,
      {
        metadata: { name },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          minReplicas,
          maxReplicas: 10,
          // Else it waits five minutes before it scales down.
          behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
          metrics: [
            {
              type: 'External',
              external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '2' } },
            },
          ],
        },
      },
    )
  }
  const asleepAfter: number[] = []
  after('figures', () =>
    printFigures('beside a HorizontalPodAutoscaler', [
      { name: 'asked for sleep until at 0', values: asleepAfter },
    ]),
  )
  const scaler = (name: string) =>
    `/apis/autoscaling/v2/namespaces/${here.namespace}/horizontalpodautoscalers/${name}`
  const specOf = async (name: string) => (await on().admin.expect('GET', scaler(name))).spec
  const replicas = async (name: string) => (await here.get('deployments', name)).spec?.replicas

  it('leaves a sleeper alone from a minimum of 1, and corrects the count that it wakes with', async () => {
    const workload = await here.enabled('deployments', 'web', { replicas: 5 })
    await hpa('web', 2)
    await eventually('the HPA to scale', async () => (await replicas('web')) === WANTED, { timeout: 120_000 })
    const spec = await specOf('web')
    const asked = performance.now()
    const request = workload.snooze('?wait=60s')
    await eventually('it to be at 0', async () => (await replicas('web')) === 0)
    asleepAfter.push(performance.now() - asked)
    await request
    await eventually('the HPA to rest', async () => {
      const { status } = await here.get('hpa' as 'deployments', 'web')
      const { conditions = [] } = status as { conditions?: { type: string; reason: string }[] }
      return conditions.some(({ reason }) => reason === 'ScalingDisabled')
    })
    await staysAsleep('web')
    await workload.wake('?wait=60s')
    await eventually('the HPA to scale again', async () => (await replicas('web')) === WANTED)
    expect(await specOf('web')).to.deep.equal(spec)
  })

  it(`loses nothing in ${KILLS} times that Dormouse is killed as it puts to sleep and as it wakes`, async function () {
    this.timeout(KILLS * 240_000)
    const again = () => here.workload('deployments', 'killed')
    await here.enabled('deployments', 'killed', { replicas: WANTED })
    await hpa('killed', 1)
    const spec = await specOf('killed')
    for (let time = 0; time < KILLS; time++) {
      const stage = time % 2 === 0 ? 'after' : 'before'
      const where = { resource: 'deployments', name: 'killed', stage } as const
      await eventually('it to rest', async () => !(await again().status()).operation_in_progress, {
        timeout: 120_000,
      })
      await killedAt(here, where, () => again().attempt('POST', 'snooze'))
      await here.dormouse.start()
      // Its answer never came.
      await again().snooze()
      await eventually('it to be asleep', async () => (await replicas('killed')) === 0)
      expect(await again().status()).to.include({ is_snoozed: true, last_replicas: WANTED })
      await eventually('it to rest', async () => !(await again().status()).operation_in_progress, {
        timeout: 120_000,
      })
      await killedAt(here, where, () => again().attempt('POST', 'wake'))
      await here.dormouse.start()
      await again().wake()
      expect(await again().status()).to.include({ is_snoozed: false, current_replicas: WANTED })
    }
    expect(await specOf('killed')).to.deep.equal(spec)
  })

  it('wakes a sleeper with a minimum of 0 on 1.35: it is put back once, and then rests with a reason and an Event', async function () {
    if (!versions.kubernetes.startsWith('1.35.')) this.skip()
    const workload = await here.enabled('deployments', 'zero', { replicas: 4 })
    await hpa('zero', 0)
    await eventually('the HPA to scale', async () => (await replicas('zero')) === WANTED, {
      timeout: 120_000,
    })
    await workload.snooze()
    const record = async () => (await workload.attempt('GET', '')).body.data
    await eventually('it to rest in backoff', async () => (await record()).in_backoff_period, {
      timeout: 120_000,
    })
    const { reason, operation_history: history, is_snoozed } = await record()
    expect(reason).to.include('a HorizontalPodAutoscaler scaled it to')
    expect(is_snoozed).to.equal(true)
    expect(history.filter(({ trigger }) => trigger === 'recovery')).to.have.length(1)
    expect(history.filter(({ trigger }) => trigger === 'manual')).to.deep.equal([])
    await eventually('the Event', async () => {
      const events = await here.events('zero')
      return events.some(
        (each) =>
          each.reason === 'BackoffStarted' && each.message.includes('A HorizontalPodAutoscaler scaled it'),
      )
    })
    expect(await replicas('zero')).to.be.greaterThan(0)
  })
})
