import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePorts } from '../control-plane/ports.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { eckOperator, rabbitmqOperator, type Operator } from '../go-programs/operators.ts'
import type { Need } from '../suite/need.ts'
import type { Cluster } from '../support/cluster.ts'
import { describeOnWith } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { account, grant, takeBack } from '../support/rights.ts'
import { define, RunningController, undefine } from '../support/running-controller.ts'
import { served, type Served } from '../support/served.ts'

/** An operator that scales the StatefulSet of its object back, and how to keep it from that. */
interface Judge {
  readonly title: string
  readonly program: Need<Operator>
  readonly preset: 'rabbitmq' | 'eck'
  /** The resource of its object. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly spec: object
  readonly statefulSet: (name: string) => string
  readonly pause: readonly [where: 'labels' | 'annotations', name: string, value: string]
  /** Somebody's change, at which it writes its StatefulSet anew. */
  readonly touch: (time: string) => object
  readonly args: (port?: number) => readonly string[]
}

/** Milliseconds in which an operator undoes what it can; an hour by hand. */
const STAYS = Number(process.env['DORMOUSE_FLAT_MINUTES'] ?? 0.5) * 60_000
const KILLS = 20
/** The preset names an object of each. */
const ECK_GROUPS = ['elasticsearch', 'kibana', 'apm', 'logstash'].map((each) => `${each}.k8s.elastic.co`)
const COUNT = 3
const PATIENCE = { timeout: 120_000 }

const JUDGES: readonly Judge[] = [
  {
    title: "RabbitMQ's own operator",
    program: rabbitmqOperator,
    preset: 'rabbitmq',
    group: 'rabbitmq.com',
    version: 'v1beta1',
    plural: 'rabbitmqclusters',
    kind: 'RabbitmqCluster',
    // Nobody provides volumes here.
    spec: { replicas: COUNT, image: 'rabbitmq:4.1', persistence: { storage: '0' } },
    statefulSet: (name) => `${name}-server`,
    pause: ['labels', 'rabbitmq.com/pauseReconciliation', 'true'],
    touch: (time) => ({ metadata: { annotations: { touched: time } } }),
    args: (port) => [`--metrics-bind-address=127.0.0.1:${port}`],
  },
  {
    // It compares a hash of what it wrote last: it scales back when its object changes, and not before.
    title: "ECK's own operator",
    program: eckOperator,
    preset: 'eck',
    group: 'elasticsearch.k8s.elastic.co',
    version: 'v1',
    plural: 'elasticsearches',
    kind: 'Elasticsearch',
    spec: elasticsearch('0'),
    statefulSet: (name) => `${name}-es-all`,
    pause: ['annotations', 'eck.k8s.elastic.co/managed', 'false'],
    touch: (time) => ({ spec: elasticsearch(time) }),
    args: () => [
      'manager',
      '--metrics-port=0',
      '--operator-namespace=default',
      '--enable-leader-election=false',
      '--enable-webhook=false',
      '--disable-telemetry',
      '--disable-config-watch',
      '--elasticsearch-observation-interval=0',
      '--validate-storage-class=false',
    ],
  },
]

function elasticsearch(touched: string) {
  const podTemplate = {
    metadata: { labels: { touched } },
    spec: {
      containers: [{ name: 'elasticsearch' }],
      volumes: [{ name: 'elasticsearch-data', emptyDir: {} }],
    },
  }
  return { version: '9.0.0', nodeSets: [{ name: 'all', count: COUNT, podTemplate }] }
}

for (const judge of JUDGES) judgedBy(judge)

function judgedBy(judge: Judge): void {
  describeOnWith(judge.program, judge.title, function (on, built) {
    this.timeout(600_000 + 2 * STAYS)
    const controller = new RunningController(judge.title)
    let home = ''

    before('it runs, and Dormouse may pause it', async () => {
      home = await mkdtemp(join(tmpdir(), `dormouse-${judge.preset}-`))
      await define(on(), built.definitions)
      const groups = judge.preset === 'eck' ? ECK_GROUPS : [judge.group]
      const rights = [
        { apiGroups: groups, resources: ['*'], verbs: ['list', 'watch', 'patch'] },
        {
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          verbs: ['list', 'watch'],
        },
      ]
      await grant(on().admin, account(dormouse.namespace, dormouse.name), { name: judge.group, rights })
      const ports = await freePorts(1)
      await controller.start({
        program: built.operator,
        args: judge.args(...ports),
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
      await takeBack(on().admin, judge.group)
      await rm(home, { recursive: true, force: true })
    })

    describe('that nobody pauses', () => {
      const here = served(on, { newWorkloadGrace: '0s' })
      const owners = useOwners(on, here, judge)

      it('scales its sleeper back', async () => {
        const { workload, count, touch } = await owners.create('wakes')
        await workload.snooze()
        const begun = performance.now()
        if (judge.preset === 'eck') await touch()
        await eventually('it to be scaled back', async () => (await count()) === COUNT, PATIENCE)
        print([`${judge.title}, unpaused, scaled back after ${Math.round(performance.now() - begun)} ms`])
      })
    })

    describe('that the preset pauses', () => {
      // It drops our label when it scales back: the webhook puts that right.
      const here = enforced(on, {
        settings: { kinds: [{ preset: judge.preset }], backoff: { maxOperations: 19, window: '1s' } },
      })
      const owners = useOwners(on, here, judge)

      it('leaves its sleeper alone, also where its own object changes, until it wakes', async () => {
        const { workload, count, isPaused, touch } = await owners.create('sleeps')
        await workload.snooze()
        await eventually(
          'it to be asleep and paused',
          async () => (await count()) === 0 && (await isPaused()),
        )
        const until = performance.now() + STAYS
        while (performance.now() < until) {
          await touch()
          await sleep(2000)
          expect([await count(), await isPaused()]).to.deep.equal([0, true])
        }
        await workload.wake()
        await eventually(
          'it to be awake and unpaused',
          async () => (await count()) === COUNT && !(await isPaused()),
        )
        await sleep(5000)
        expect([await count(), (await workload.status()).is_snoozed]).to.deep.equal([COUNT, false])
      })

      it(`is asleep and paused, or awake and unpaused, after each of ${KILLS} kills in between`, async () => {
        const { count, isPaused } = await owners.create('killed')
        // Each process has a client of its own.
        const workload = () => here.workload('statefulsets', judge.statefulSet('killed'))
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
            async () => (await count()) === (sleeps ? 0 : COUNT) && (await isPaused()) === sleeps,
            PATIENCE,
          )
        }
      })
    })
  })
}

/** Its objects in the namespace of a suite. */
function useOwners(on: () => Cluster, here: Served, judge: Judge) {
  const { group, version, plural, kind, spec } = judge
  const path = (name = '') =>
    `/apis/${group}/${version}/namespaces/${here.namespace}/${plural}${name && `/${name}`}`

  after('they are gone', async () => {
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
      const head = { apiVersion: `${group}/${version}`, kind, metadata: { name } }
      await on().admin.expect('POST', path(), { ...head, spec })
      const sts = judge.statefulSet(name)
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
      const [where, place, value] = judge.pause
      return {
        workload,
        count: async () => (await here.get('statefulsets', sts)).spec.replicas,
        isPaused: async () => {
          const { metadata } = await on().admin.expect('GET', path(name))
          return (metadata?.[where] as Record<string, string> | undefined)?.[place] === value
        },
        touch: () => on().admin.expect('PATCH', path(name), judge.touch(String(Date.now()))),
      }
    },
  }
}
