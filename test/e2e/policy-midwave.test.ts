import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { createNamespace, served } from '../support/served.ts'

const KIND = 'deployments'
const MANY = 30
/** A wave takes some seconds, so that its middle can be met. */
const PACE = 5

describeOn('in the middle of a wave by policy', function (on) {
  this.timeout(180_000)
  const prefix = `mid-${randomBytes(3).toString('hex')}`
  const settings = (schedule: string) => ({
    newWorkloadGrace: '0s',
    backoff: { maxOperations: 19 },
    controller: { writesPerSecond: PACE },
    policies: [
      { name: 'dev', namespaces: { names: [`${prefix}-*`], selector: 'env=dev' }, enabled: true, schedule },
    ],
  })
  const here = served(on, settings(asleepNow()))
  const made: string[] = []

  after(async () => {
    for (const name of made) await on().admin.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  const label = (name: string, env: string) =>
    on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, { metadata: { labels: { env } } })
  const countOf = (name: string) => 1 + (Number(name.split('-')[1]) % 2)
  const deployments = async (namespace: string) => {
    const { items = [] } = await on().admin.expect('GET', `/apis/apps/v1/namespaces/${namespace}/${KIND}`)
    return items as unknown as KubectlObject[]
  }
  const records = async (namespace: string) =>
    (await here.api.call<StatusRecord[]>('GET', `/namespaces/${namespace}/${KIND}?limit=500`)).body.data

  /** A Namespace that no policy reaches yet. */
  async function space(suffix: string, workloads = MANY): Promise<string> {
    const name = `${prefix}-${suffix}`
    await createNamespace(on(), name)
    if (!made.includes(name)) made.push(name)
    await on().create(
      name,
      Array.from({ length: workloads }, (_, index) =>
        manifest(KIND, `web-${index}`, { replicas: countOf(`web-${index}`), paused: true }),
      ),
    )
    await eventually('all to be known', async () => (await records(name)).length === workloads)
    return name
  }

  /** Resolves in the middle of the wave that puts them to sleep, with how many sleep. */
  async function midway(namespace: string): Promise<number> {
    await label(namespace, 'dev')
    return eventually('the wave to roll', async () => {
      const asleep = (await deployments(namespace)).filter(({ spec }) => spec.replicas === 0).length
      expect(asleep, 'the wave is over').to.be.below(MANY)
      return asleep > PACE && asleep
    })
  }

  const becomes = (namespace: string, state: 'awake' | 'asleep', workloads = MANY) =>
    eventually(
      `all of ${namespace} to be ${state}`,
      async () => {
        const all = await deployments(namespace)
        expect(all).to.have.length(workloads)
        for (const { metadata, spec } of all)
          expect(spec.replicas, metadata.name).to.equal(state === 'asleep' ? 0 : countOf(metadata.name))
        for (const { is_snoozed, last_replicas, name } of await records(namespace)) {
          expect(is_snoozed, name).to.equal(state === 'asleep')
          expect(last_replicas, name).to.equal(countOf(name))
        }
        return true
      },
      { timeout: 90_000, pause: 500 },
    )

  it('the Namespace is relabelled: those that sleep wake, the others stay, and no count is lost', async () => {
    const namespace = await space('relabelled')
    const asleep = await midway(namespace)
    await label(namespace, 'prod')
    await becomes(namespace, 'awake')
    const found = await records(namespace)
    expect(found.filter(({ enabled }) => enabled)).to.deep.equal([])
    const moved = found.filter(({ operation_history: history }) => history.length > 0)
    expect(moved.length).to.be.within(asleep, MANY)
    for (const { operation_history: history } of moved)
      expect(history.map(({ type }) => type)).to.deep.equal(['wake', 'snooze'])
  })

  it('the Namespace is deleted: the others go on, and one of the same name begins anew', async () => {
    const [namespace, other] = [await space('deleted'), await space('other', 5)]
    await midway(namespace)
    await label(other, 'dev')
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
    await becomes(other, 'asleep', 5)
    await eventually(
      'it to be gone',
      async () => (await on().admin.send('GET', `/api/v1/namespaces/${namespace}`)).status === 404,
      { timeout: 90_000, pause: 250 },
    )
    await space('deleted')
    await becomes(namespace, 'awake')
    expect(
      (await records(namespace)).every((each) => !each.enabled && each.operation_history.length === 0),
    ).to.equal(true)
    await label(namespace, 'dev')
    await becomes(namespace, 'asleep')
  })

  it('the leader is killed and comes back with another configuration, which holds for all', async () => {
    const namespace = await space('configured')
    await midway(namespace)
    await here.dormouse.kill()
    await here.dormouse.start(settings(awakeNow()))
    await becomes(namespace, 'awake')
    for (const { operation_history: history, reason, name } of await records(namespace)) {
      expect(history.length, name).to.be.oneOf([0, 2])
      expect(reason).to.match(/^awake by schedule .* of policy dev until /)
    }
  })
})
