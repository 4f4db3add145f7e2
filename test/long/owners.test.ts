import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePorts } from '../control-plane/ports.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { rabbitmqOperator } from '../go-programs/rabbitmq-operator.ts'
import type { Cluster } from '../support/cluster.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { account, grant, takeBack } from '../support/rights.ts'
import { define, RunningController, undefine } from '../support/running-controller.ts'
import { served, type Served } from '../support/served.ts'

const GROUP = 'rabbitmq.com'
const PAUSE = 'rabbitmq.com/pauseReconciliation'
/** Milliseconds in which an operator undoes what it can; an hour by hand. */
const STAYS = Number(process.env['DORMOUSE_FLAT_MINUTES'] ?? 0.5) * 60_000
const KILLS = 20
const COUNT = 3
const PATIENCE = { timeout: 120_000 }

describeOnWith(rabbitmqOperator, "RabbitMQ's own operator", function (on, built) {
  this.timeout(600_000 + 2 * STAYS)
  const controller = new RunningController("RabbitMQ's operator")
  let home = ''

  before('it runs, and Dormouse may pause it', async () => {
    home = await mkdtemp(join(tmpdir(), 'dormouse-rabbitmq-'))
    await define(on(), built.definitions)
    await eventually('its clusters to be served', async () => {
      const { status } = await on().admin.send('GET', `/apis/${GROUP}/v1beta1/rabbitmqclusters`)
      return status === 200
    })
    const rights = [
      { apiGroups: [GROUP], resources: ['rabbitmqclusters'], verbs: ['list', 'watch', 'patch'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['list', 'watch'],
      },
    ]
    await grant(on().admin, account(dormouse.namespace, dormouse.name), { name: GROUP, rights })
    const [metrics] = await freePorts(1)
    await controller.start({
      program: built.operator,
      args: [`--metrics-bind-address=127.0.0.1:${metrics}`],
      env: { HOME: home, KUBECONFIG: on().adminKubeconfig, OPERATOR_NAMESPACE: 'default' },
      works: (log) => log.some((line) => line.includes('Starting workers')),
    })
  })

  afterEach('shows what it said of a failure', function () {
    if (this.currentTest?.state === 'failed')
      process.stderr.write(`${controller.log.slice(-15).join('\n')}\n`)
  })

  after('it is gone', async () => {
    await controller.kill()
    await undefine(on(), built.definitions)
    await takeBack(on().admin, GROUP)
    await rm(home, { recursive: true, force: true })
  })

  describe('that nobody pauses', () => {
    const here = served(on, { newWorkloadGrace: '0s' })
    const rabbit = useRabbit(on, here)

    it('scales its sleeper back within seconds', async () => {
      const { workload, count } = await rabbit.create('wakes')
      await workload.snooze()
      const begun = performance.now()
      await eventually('it to be scaled back', async () => (await count()) === COUNT, PATIENCE)
      print([`unpaused, the operator scaled back after ${Math.round(performance.now() - begun)} ms`])
    })
  })

  describe('that the preset pauses', () => {
    const here = served(on, { newWorkloadGrace: '0s', kinds: [{ preset: 'rabbitmq' }] })
    const rabbit = useRabbit(on, here)

    it('leaves its sleeper alone, also where its own object changes, until it wakes', async () => {
      const { workload, count, label, touch } = await rabbit.create('sleeps')
      await workload.snooze()
      await eventually(
        'it to be asleep and paused',
        async () => (await count()) === 0 && (await label()) === 'true',
      )
      const until = performance.now() + STAYS
      while (performance.now() < until) {
        await touch()
        await sleep(2000)
        expect([await count(), await label()]).to.deep.equal([0, 'true'])
      }
      await workload.wake()
      await eventually(
        'it to be awake and unpaused',
        async () => (await count()) === COUNT && !(await label()),
      )
      await sleep(5000)
      expect([await count(), (await workload.status()).is_snoozed]).to.deep.equal([COUNT, false])
    })

    it(`is asleep and paused, or awake and unpaused, after each of ${KILLS} kills in between`, async () => {
      const { count, label } = await rabbit.create('killed')
      // Each process has a client of its own.
      const workload = () => here.workload('statefulsets', 'killed-server')
      for (let kill = 0; kill < KILLS; kill++) {
        const sleeps = kill % 2 === 0
        const asked = workload()
          .attempt('POST', sleeps ? 'snooze' : 'wake')
          .catch(() => undefined)
        await sleep(Math.random() * 40)
        await here.dormouse.kill()
        await asked
        await here.dormouse.start()
        await eventually('it to be asked again', async () => {
          const { status } = await workload().attempt('POST', sleeps ? 'snooze' : 'wake')
          return status === 200
        })
        await eventually(
          `it to be ${sleeps ? 'asleep and paused' : 'awake and unpaused'} after kill ${kill}`,
          async () => (await count()) === (sleeps ? 0 : COUNT) && ((await label()) === 'true') === sleeps,
          PATIENCE,
        )
      }
    })
  })
})

/** Clusters of RabbitMQ in the namespace of a suite. */
function useRabbit(on: () => Cluster, here: Served) {
  const path = (name = '') =>
    `/apis/${GROUP}/v1beta1/namespaces/${here.namespace}/rabbitmqclusters${name && `/${name}`}`

  after('its clusters are gone', async () => {
    await on().admin.send('DELETE', path())
    await eventually(
      'them to be gone',
      async () => {
        const { items } = await on().admin.expect('GET', path())
        return items?.length === 0
      },
      PATIENCE,
    )
  })

  return {
    async create(name: string) {
      // Nobody provides volumes here.
      const spec = { replicas: COUNT, image: 'rabbitmq:4.1', persistence: { storage: '0' } }
      const head = { apiVersion: `${GROUP}/v1beta1`, kind: 'RabbitmqCluster', metadata: { name } }
      await on().admin.expect('POST', path(), { ...head, spec })
      const sts = `${name}-server`
      await eventually(
        'its StatefulSet to run',
        async () => {
          const { status, body } = await on().admin.send('GET', here.path('statefulsets', sts))
          return (
            status === 200 &&
            (body['status'] as { readyReplicas?: number } | undefined)?.readyReplicas === COUNT
          )
        },
        PATIENCE,
      )
      const workload = here.workload('statefulsets', sts)
      await workload.enable()
      return {
        workload,
        count: async () => (await here.get('statefulsets', sts)).spec.replicas,
        label: async () => {
          const { metadata } = await on().admin.expect('GET', path(name))
          return (metadata?.['labels'] as Record<string, string> | undefined)?.[PAUSE]
        },
        /** A change by somebody, at which it looks again. */
        touch: () =>
          on().admin.expect('PATCH', path(name), {
            metadata: { annotations: { touched: String(Date.now()) } },
          }),
      }
    },
  }
}
