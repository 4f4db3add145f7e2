import { expect } from 'chai'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { manifest } from '../support/manifests.ts'
import { AdmissionServer, annotating, CONFIGURATIONS } from '../support/admission-server.ts'
import { marksOf } from './agreement.ts'

const ANNOTATION = 'policy.example/seen'

describeOn('another webhook that changes an object after ours, which is not called again', function (on) {
  this.timeout(60_000)
  const here = enforced(on)
  let engine: AdmissionServer

  before('a policy engine is called after us', async () => {
    engine = await AdmissionServer.start(annotating(ANNOTATION))
    await here.cluster.admin.expect('POST', CONFIGURATIONS, {
      metadata: { name: 'policy-engine' },
      webhooks: [
        engine.webhook({
          name: 'policy.example.com',
          rules: [
            {
              apiGroups: ['apps'],
              apiVersions: ['v1'],
              operations: ['UPDATE'],
              resources: ['deployments'],
            },
          ],
          // Not Dormouse's own writes: the chart's policy denies them if another webhook adds to them.
          matchConditions: [{ name: 'people', expression: "request.userInfo.username == 'test-admin'" }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': here.namespace } },
          failurePolicy: 'Ignore',
        }),
      ],
    })
  })

  after('the policy engine is removed', async () => {
    await on().admin.send('DELETE', `${CONFIGURATIONS}/policy-engine`)
    engine?.close()
  })

  it("a sleeper's new count is kept", async () => {
    const workload = await here.asleep('deployments', 'synced', { replicas: 3 })
    for (const replicas of [7, 8]) {
      const sent = manifest('deployments', 'synced', { replicas })
      const result = await here.withFile('apply', sent)
      expect(result, result.stderr).to.include({ code: 0 })
      const object = await here.get('deployments', 'synced')
      expect(object.metadata.annotations).to.have.property(ANNOTATION)
      expect(marksOf(object)).to.include({ replicas: 0, label: String(replicas) })
    }
    expect(await workload.wake('?wait=30s')).to.include({ current_replicas: 8 })
  })

  it('a request by annotation is carried out once and with its user', async () => {
    const workload = await here.asleep('deployments', 'asked', { replicas: 3 })
    for (const request of ['wake 2h', 'pin', 'unpin', 'snooze']) {
      const annotation = `${REQUEST_ANNOTATION}=${request}`
      const result = await here.attempt('annotate', 'deployment/asked', annotation)
      expect(result, result.stderr).to.include({ code: 0 })
      const object = await here.get('deployments', 'asked')
      expect(object.metadata.annotations).to.have.property(ANNOTATION)
      expect(object.metadata.annotations).to.not.have.property(REQUEST_ANNOTATION)
      expect(marksOf(object).state?.request).to.include({ text: request, by: 'k8s:test-admin' })
    }
    expect(marksOf(await here.get('deployments', 'asked'))).to.include({ replicas: 0, label: '3' })
    const { operation_history: history } = await workload.status()
    const done = history.map(({ type }) => type)
    expect(done).to.deep.equal(['snooze', 'wake', 'snooze'])
  })
})
