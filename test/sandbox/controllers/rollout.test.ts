import { expect } from 'chai'
import { count } from '../../../src/sandbox/store/object.ts'
import { aWorkload, DEPLOYMENTS, eventually, freshSandbox, JSON_PATCH } from '../cluster.ts'
import type { Body } from '../cluster.ts'

const APPS = '/apis/apps/v1/namespaces/default'
const REPLICA_SETS = `${APPS}/replicasets`
const PODS = '/api/v1/namespaces/default/pods'
const REVISION = 'deployment.kubernetes.io/revision'

const settled = (replicas: number) => (object: Body) =>
  count(object.status, 'observedGeneration') === object.metadata.generation &&
  count(object.status, 'replicas') === replicas &&
  count(object.status, 'readyReplicas') === replicas

describe('sandbox rollout', () => {
  const { client } = freshSandbox()

  const names = async (path: string) =>
    (await client.get(path)).body.items.map(({ metadata }) => metadata.name)

  it('brings up what a Deployment asks for, through a ReplicaSet that it controls', async () => {
    await client.post(DEPLOYMENTS, aWorkload('web', { replicas: 2 }))
    const web = await eventually(client, DEPLOYMENTS, 'web', settled(2))
    expect(web.metadata.generation).to.equal(1)
    expect(web.metadata.annotations).to.deep.equal({ [REVISION]: '1' })
    const [replicaSet] = (await client.get(REPLICA_SETS)).body.items
    expect(replicaSet?.metadata.ownerReferences?.[0]).to.include({
      kind: 'Deployment',
      name: 'web',
      uid: web.metadata.uid,
      controller: true,
    })
    expect(await names(PODS)).to.have.length(2)
  })

  it('takes pods away when scaled down, and counts fields that are 0 as absent', async () => {
    await client.post(DEPLOYMENTS, aWorkload('web', { replicas: 2 }))
    await eventually(client, DEPLOYMENTS, 'web', settled(2))
    await client.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: 0 } })
    const web = await eventually(client, DEPLOYMENTS, 'web', settled(0))
    expect(web.status).not.to.have.any.keys('replicas', 'readyReplicas', 'unavailableReplicas')
    expect(await names(PODS)).to.deep.equal([])
  })

  it('copies a Deployment’s annotations to its ReplicaSet, except last-applied', async () => {
    const annotations = {
      'dormouse.dev/state': 'x',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    }
    await client.post(DEPLOYMENTS, aWorkload('web', {}, { annotations }))
    await eventually(client, DEPLOYMENTS, 'web', settled(1))
    const [replicaSet] = (await client.get(REPLICA_SETS)).body.items
    expect(replicaSet?.metadata.annotations).to.include({ 'dormouse.dev/state': 'x', [REVISION]: '1' })
    expect(replicaSet?.metadata.annotations).not.to.have.property(
      'kubectl.kubernetes.io/last-applied-configuration',
    )
  })

  it('gives a new template a new ReplicaSet and revision, and an old one its old ReplicaSet again', async () => {
    const image = async (value: string) => {
      const path = '/spec/template/spec/containers/0/image'
      await client.patch(`${DEPLOYMENTS}/web`, [{ op: 'replace', path, value }], JSON_PATCH)
      await eventually(client, DEPLOYMENTS, 'web', settled(1))
      return (await client.get(`${DEPLOYMENTS}/web`)).body.metadata.annotations?.[REVISION]
    }
    await client.post(DEPLOYMENTS, aWorkload('web'))
    await eventually(client, DEPLOYMENTS, 'web', settled(1))
    const [first] = await names(REPLICA_SETS)
    expect(await image('app:2')).to.equal('2')
    expect(await image('app:1')).to.equal('3')
    expect(await names(REPLICA_SETS)).to.have.length(2)
    const again = (await client.get(`${REPLICA_SETS}/${first ?? ''}`)).body
    expect([again.metadata.annotations?.[REVISION], again.spec?.replicas]).to.deep.equal(['3', 1])
  })

  it('names the pods of a StatefulSet by ordinal', async () => {
    await client.post(`${APPS}/statefulsets`, aWorkload('db', { replicas: 2 }))
    await eventually(client, `${APPS}/statefulsets`, 'db', settled(2))
    expect(await names(PODS)).to.deep.equal(['db-0', 'db-1'])
  })

  it('runs a DaemonSet on the nodes that its nodeSelector admits', async () => {
    const scheduled = (wanted: number) => (object: Body) =>
      count(object.status, 'observedGeneration') === object.metadata.generation &&
      object.status?.['desiredNumberScheduled'] === wanted &&
      object.status['numberReady'] === wanted
    const path = `${APPS}/daemonsets`
    const nodeSelector = '/spec/template/spec/nodeSelector'
    await client.post(path, aWorkload('agent'))
    await eventually(client, path, 'agent', scheduled(3))
    await client.patch(
      `${path}/agent`,
      [{ op: 'add', path: nodeSelector, value: { asleep: 'true' } }],
      JSON_PATCH,
    )
    const asleep = await eventually(client, path, 'agent', scheduled(0))
    expect(asleep.status).to.include({ currentNumberScheduled: 0, numberMisscheduled: 0 })
  })

  it('replaces a pod that somebody deletes', async () => {
    await client.post(REPLICA_SETS, aWorkload('worker'))
    await eventually(client, REPLICA_SETS, 'worker', settled(1))
    const [pod = ''] = await names(PODS)
    await client.delete(`${PODS}/${pod}`)
    await eventually(client, REPLICA_SETS, 'worker', settled(1))
    const after = await names(PODS)
    expect(after).to.have.length(1)
    expect(after).not.to.include(pod)
  })

  it('collects what a deleted workload owned', async () => {
    await client.post(DEPLOYMENTS, aWorkload('web'))
    await eventually(client, DEPLOYMENTS, 'web', settled(1))
    await client.delete(`${DEPLOYMENTS}/web`)
    expect([await names(REPLICA_SETS), await names(PODS)]).to.deep.equal([[], []])
  })
})
