import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { freePorts } from '../control-plane/ports.ts'
import { cnpgOperator } from '../go-programs/operators.ts'
import { describeOnWith } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { PostgresInstances } from '../support/postgres-instances.ts'
import { account, grant, takeBack } from '../support/rights.ts'
import { define, RunningController, undefine } from '../support/running-controller.ts'
import { selfSigned } from '../support/certificate.ts'

const GROUP = 'postgresql.cnpg.io'
const CLUSTERS = `clusters.${GROUP}`
const INSTANCES = 2
const VOLUMES = '/api/v1/persistentvolumes'
const PATIENCE = { timeout: 180_000 }

interface PostgresCluster {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
  readonly status?: {
    readonly phase?: string
    readonly readyInstances?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
    }[]
  }
}

describeOnWith(cnpgOperator, "CloudNativePG's own operator", function (on, built) {
  this.timeout(900_000)
  const controller = new RunningController("CloudNativePG's operator")
  let home = ''

  before('it runs, with volumes, and Dormouse may switch its clusters', async () => {
    home = await mkdtemp(join(tmpdir(), 'dormouse-cnpg-'))
    await define(on(), built.definitions)
    // Nobody provides volumes here: those that a claim may have are there beforehand.
    for (let each = 0; each < INSTANCES; each++)
      await on().admin.expect('POST', VOLUMES, {
        metadata: { name: `cnpg-${each}` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path: join(home, String(each)) },
        },
      })
    const rights = [
      { apiGroups: [GROUP], resources: ['*'], verbs: ['list', 'watch', 'patch'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['list', 'watch'],
      },
    ]
    await grant(on().admin, account(dormouse.namespace, dormouse.name), { name: GROUP, rights })
    // It serves a webhook, which no configuration of this cluster asks: its reconciler sets the defaults as well.
    const { cert, key } = await selfSigned()
    await writeFile(join(home, 'apiserver.crt'), cert)
    await writeFile(join(home, 'apiserver.key'), key)
    // The programs that it would bring into pods: it takes none of another architecture than these.
    await mkdir(join(home, 'operator'))
    await symlink(built.operator, join(home, 'operator', 'manager_amd64'))
    const [metrics, webhook] = await freePorts(2)
    await controller.start({
      program: built.operator,
      args: ['controller', `--metrics-bind-address=127.0.0.1:${metrics}`, `--webhook-port=${webhook}`],
      env: {
        HOME: home,
        KUBECONFIG: on().adminKubeconfig,
        OPERATOR_NAMESPACE: 'default',
        WEBHOOK_CERT_DIR: home,
        PLUGIN_SOCKET_DIR: home,
      },
      cwd: home,
      works: (log) => log.some((line) => line.includes('Starting workers')),
    })
  })

  afterEach('shows what it said of a failure', function () {
    if (this.currentTest?.state === 'failed')
      process.stderr.write(`${controller.log.slice(-25).join('\n')}\n`)
  })

  after('it is gone', async () => {
    await controller.kill()
    await undefine(on(), built.definitions)
    await takeBack(on().admin, GROUP)
    for (let each = 0; each < INSTANCES; each++) await on().admin.send('DELETE', `${VOLUMES}/cnpg-${each}`)
    await rm(home, { recursive: true, force: true })
  })

  const here = enforced(on, { settings: { kinds: [{ preset: 'cloudnative-pg' }] } })
  const instances = new PostgresInstances(on, () => here.namespace)
  before('its pods answer', () => instances.start())
  after('they end', () => instances.stop())

  const path = (name = '') => `/apis/${GROUP}/v1/namespaces/${here.namespace}/clusters${name && `/${name}`}`
  const read = async () => (await on().admin.expect('GET', path('orders'))) as PostgresCluster
  const hibernation = async () => {
    const { status: { conditions = [] } = {} } = await read()
    const found = conditions.find(({ type }) => type === 'cnpg.io/hibernation')
    return found && [found.status, found.reason]
  }
  const pods = async () => {
    const selector = encodeURIComponent('cnpg.io/cluster=orders,cnpg.io/podRole=instance')
    const { items = [] } = await on().admin.expect(
      'GET',
      `/api/v1/namespaces/${here.namespace}/pods?labelSelector=${selector}`,
    )
    return items.length
  }

  it('hibernates what Dormouse puts to sleep, as the preset reads it, and comes back with all instances', async () => {
    await on().admin.expect('POST', path(), {
      apiVersion: `${GROUP}/v1`,
      kind: 'Cluster',
      metadata: { name: 'orders' },
      spec: { instances: INSTANCES, storage: { size: '1Gi' } },
    })
    await eventually(
      'its instances to be ready',
      async () => {
        const { status } = await read()
        return status?.readyInstances === INSTANCES && status.phase === 'Cluster in healthy state'
      },
      PATIENCE,
    )
    const workload = here.workload(CLUSTERS, 'orders')
    await workload.enable()
    const asleepFrom = performance.now()
    const { operation_in_progress: stops } = (await workload.attempt('POST', 'snooze?wait=120s')).body.data
    const hibernated = performance.now() - asleepFrom
    expect(await hibernation()).to.deep.equal(['True', 'Hibernated'])
    expect([await pods(), stops]).to.deep.equal([0, false])
    expect((await read()).metadata?.annotations).to.include({ 'cnpg.io/hibernation': 'on' })

    const awakeFrom = performance.now()
    await workload.attempt('POST', 'wake?wait=120s')
    const woken = performance.now() - awakeFrom
    expect((await read()).status?.readyInstances).to.equal(INSTANCES)
    expect([await pods(), await hibernation()]).to.deep.equal([INSTANCES, undefined])
    expect((await workload.status()).is_snoozed).to.equal(false)
    const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
    print([`CloudNativePG: hibernated after ${seconds(hibernated)}, all ready after ${seconds(woken)}`])
  })
})
