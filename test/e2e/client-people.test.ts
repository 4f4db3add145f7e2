import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { connect } from '../../src/client/connect.ts'
import type { Connection, Dormouse } from '../../src/client/ports.ts'
import { systemClock } from '../../src/process/clock.ts'
import { type WorkloadKey } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { failureOf } from '../support/failure-of.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { grant, user } from '../support/rights.ts'

const REQUEST = 'dormouse.dev/request'

async function withClient<Result>(
  connection: Connection,
  use: (dormouse: Dormouse) => Promise<Result>,
): Promise<Result> {
  const dormouse = await connect(connection, {
    clock: systemClock,
    environment: {},
    stderr: { write() {} },
    stopSignal: new AbortController().signal,
  })
  try {
    return await use(dormouse)
  } finally {
    await dormouse.close()
  }
}

const refused = (act: Promise<unknown>) => failureOf(act, Refusal)

describeOn('the client without Dormouse', function (on) {
  this.timeout(60_000)
  const namespace = `alone-${randomBytes(3).toString('hex')}`

  before(async () => {
    await createNamespace(on(), namespace)
    await on().create(namespace, [manifest('deployments', 'web')])
  })

  after(() => on().admin.send('DELETE', `/api/v1/namespaces/${namespace}`))

  it('says that nobody answers, and takes the request back', async () => {
    const key: WorkloadKey = { kind: 'deployments', namespace, name: 'web' }
    for (const dryRun of [false, true]) {
      const error = await withClient({ kubeconfig: on().adminKubeconfig }, (dormouse) =>
        refused(dormouse.request(key, { action: 'wake' }, dryRun)),
      )
      expect(error.message).to.include('Dormouse does not answer').and.include('was left as it is')
      const { metadata } = await on().kubectl.json('get', 'deployment', 'web', '-n', namespace)
      expect(metadata.annotations ?? {}).not.to.have.property(REQUEST)
    }
  })
})

describeOn('the client of a person', function (on) {
  this.timeout(90_000)
  const here = enforced(on)
  const ann = () => ({ kubeconfig: on().adminKubeconfig, as: 'ann' })
  const key = (): WorkloadKey => ({ kind: 'deployments', namespace: here.namespace, name: 'web' })

  before(async () => {
    await here.enabled('deployments', 'web', { replicas: 2 })
    await grant(on().admin, user('ann'), { name: 'ann', rights: 'edit', namespace: here.namespace })
  })

  it('who may edit a namespace sees it, puts to sleep and wakes, and the history has the name', async () => {
    await withClient(ann(), async (dormouse) => {
      const found = await eventually('the right', () =>
        dormouse.list({ namespace: here.namespace }).catch(() => false as const),
      )
      expect(found.map(({ record }) => record.name)).to.include('web')
      await dormouse.request(key(), { action: 'snooze' }, false)
      const { record } = await dormouse.get(key())
      expect(record).to.include({ is_snoozed: true })
      expect(record.operation_history[0]).to.include({ type: 'snooze', trigger: 'api', by: 'k8s:ann' })
      await dormouse.request(key(), { action: 'wake' }, false)
      // The service's copy follows the write by a watch.
      await eventually('the wake in her name', async () => {
        const [newest] = (await here.workload('deployments', 'web').status()).operation_history
        return newest?.type === 'wake' && newest.by === 'k8s:ann'
      })
    })
  })

  it('elsewhere it is refused, with what to do about it', async () => {
    await withClient(ann(), async (dormouse) => {
      const list = await refused(dormouse.list({ namespace: 'default' }))
      expect(list.code).to.equal('FORBIDDEN')
      const wake = await refused(
        dormouse.request({ kind: 'deployments', namespace: 'default', name: 'x' }, { action: 'wake' }, false),
      )
      expect(wake.message).to.include('ann').and.include('the role edit')
    })
  })

  const wake = (key: WorkloadKey) =>
    withClient({ kubeconfig: on().adminKubeconfig }, (dormouse) =>
      dormouse.request(key, { action: 'wake' }, false),
    )

  it('by itself recognises what a controller owns, and names its owner', async () => {
    await here.create('deployments', 'owner')
    const { metadata } = await eventually('its ReplicaSet', async () =>
      (await here.list('replicasets')).find(({ metadata: { name } }) => name.startsWith('owner-')),
    )
    const { name } = metadata
    const error = await refused(wake({ kind: 'replicasets', namespace: here.namespace, name }))
    expect(error.code).to.equal('OWNED')
    expect(error.message).to.include('belongs to Deployment owner')
    expect((await here.get('replicasets', name)).metadata.annotations).not.to.have.property(REQUEST)
  })
})
