import { expect } from 'chai'
import type { WorkloadClient } from '../support/api-client.ts'
import { describeOn } from '../support/clusters.ts'
import { createNamespace, served } from '../support/served.ts'

/** Mode `kubernetes`: the cluster authenticates and authorises callers. */
describeOn('service accounts', function (on) {
  this.timeout(90_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const name = 'guarded'
  let developer: string
  let reader: string
  let elsewhere: string

  before(async () => {
    await here.create('deployments', name, { replicas: 2 })
    await here.create('daemonsets', name)
    await here.workload('deployments', name).enable()
    developer = await here.cluster.accountToken(here.namespace, 'developer', {
      verbs: ['get', 'list', 'update'],
      resources: ['deployments', 'deployments/scale', 'daemonsets'],
    })
    reader = await here.cluster.accountToken(here.namespace, 'reader', {
      verbs: ['get'],
      resources: ['deployments'],
    })
    const other = `${here.namespace}-other`
    await createNamespace(here.cluster, other)
    elsewhere = await here.cluster.accountToken(other, 'developer', {
      verbs: ['get', 'list', 'update', 'patch'],
      resources: ['deployments', 'deployments/scale'],
    })
  })

  after(async () => {
    await on().admin.expect('DELETE', `/api/v1/namespaces/${here.namespace}-other`)
  })

  const answerTo = async (
    token: string,
    method: 'GET' | 'POST' | 'DELETE' | 'PUT',
    action: string,
    kind: 'deployments' | 'daemonsets' = 'deployments',
  ) => {
    const workload: WorkloadClient = here.workload(kind, name)
    const { status, body } = await workload.attempt(method, action, { token })
    return status === 200 ? '200' : `${status} ${body.error.code}`
  }

  it('update of the scale allows snooze, wake, pin and override; the history names the account', async () => {
    expect(await answerTo(developer, 'GET', '')).to.equal('200')
    for (const action of ['pin', 'override']) {
      expect(await answerTo(developer, 'POST', action), action).to.equal('200')
      expect(await answerTo(developer, 'DELETE', action), action).to.equal('200')
    }
    expect(await answerTo(developer, 'POST', 'snooze')).to.equal('200')
    const {
      operation_history: [newest],
    } = await here.workload('deployments', name).status()
    expect(newest?.by).to.equal(`k8s:system:serviceaccount:${here.namespace}:developer`)
  })

  it('it does not allow enable, disable or schedule, which need patch', async () => {
    for (const action of ['enable', 'disable'])
      expect(await answerTo(developer, 'POST', action), action).to.equal('403 FORBIDDEN')
    expect(await answerTo(developer, 'PUT', 'schedule')).to.equal('403 FORBIDDEN')
  })

  it('patch without scale allows disable, but not of a pinned workload: that would clear the pin', async () => {
    const patcher = await here.cluster.accountToken(here.namespace, 'patcher', {
      verbs: ['get', 'patch'],
      resources: ['deployments'],
    })
    expect(await answerTo(developer, 'POST', 'pin')).to.equal('200')
    expect(await answerTo(patcher, 'POST', 'disable')).to.equal('403 FORBIDDEN')
    expect(await answerTo(patcher, 'POST', 'disable?dryRun=true')).to.equal('403 FORBIDDEN')
    expect((await here.workload('deployments', name).status()).pin_state).not.to.equal('none')
    expect(await answerTo(developer, 'DELETE', 'pin')).to.equal('200')
    expect(await answerTo(patcher, 'POST', 'disable')).to.equal('200')
    await here.workload('deployments', name).enable()
  })

  it('get allows only reads, and permissions in another namespace allow nothing', async () => {
    expect(await answerTo(reader, 'GET', 'plan')).to.equal('200')
    expect(await answerTo(reader, 'POST', 'wake')).to.equal('403 FORBIDDEN')
    for (const [method, action] of [
      ['GET', ''],
      ['POST', 'wake'],
      ['POST', 'enable'],
    ] as const)
      expect(await answerTo(elsewhere, method, action), action).to.equal('403 FORBIDDEN')
  })

  it('a token for the API server itself is refused', async () => {
    const token = (await here.kubectl('create', 'token', 'developer')).trim()
    expect(await answerTo(token, 'GET', '')).to.equal('401 UNAUTHENTICATED')
  })
})
