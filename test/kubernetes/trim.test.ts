import { expect } from 'chai'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { createIntern, trim } from '../../src/kubernetes/trim.ts'
import { deployment, ownsReplicas } from './objects.ts'

const DAEMON_SET: WorkloadObject = {
  metadata: { name: 'agent', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 2 },
  spec: { template: { spec: { nodeSelector: { 'kubernetes.io/os': 'linux' }, containers: [] } } },
  status: {
    observedGeneration: 2,
    desiredNumberScheduled: 5,
    currentNumberScheduled: 4,
    numberMisscheduled: 1,
    numberReady: 3,
  },
}

describe('trimming an object', () => {
  it('keeps of a workload with a count its identity, count, pods and times', () => {
    const trimmed = trim('deployments', deployment('web', { replicas: 4, ready: 2, labels: { app: 'web' } }))
    expect(trimmed).to.deep.include({
      kind: 'deployments',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-web',
      resourceVersion: '10',
      createdAt: Date.UTC(2026, 0, 5, 8),
      deleting: false,
      labels: { app: 'web' },
      replicas: 4,
      pods: { existing: 2, ready: 2, observedGeneration: 1 },
    })
    for (const kind of ['statefulsets', 'replicasets'] as const)
      expect(trim(kind, deployment('db', { replicas: 2 }))).to.include({
        kind,
        replicas: 2,
        snoozeKey: undefined,
      })
    const going = deployment('web', { deletionTimestamp: '2026-01-05T08:00:00Z' })
    expect(trim('deployments', going).deleting).to.equal(true)
  })

  it('keeps what conditions say about pods that do not come, and nothing else of them', () => {
    const healthy = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'fine' }
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'over quota' }
    const podsWith = (conditions: unknown) => {
      const { status, ...object } = deployment('web', { replicas: 4, ready: 2 })
      return trim('deployments', { ...object, status: { ...status, conditions } }).pods
    }
    expect(podsWith([healthy, failure])).to.deep.equal({
      ...podsWith(undefined),
      trouble: { code: 'FailedCreate', message: 'over quota' },
    })
    for (const none of [[], [healthy], [{ ...failure, status: 'False' }], 'x', { 0: failure }, [null, 7]])
      expect(podsWith(none)).not.to.have.property('trouble')
  })

  it('counts pods that are told to end as long as they have not', () => {
    const { status, ...object } = deployment('web', { replicas: 0, ready: 0 })
    const { pods } = trim('deployments', {
      ...object,
      status: { ...status, replicas: 0, terminatingReplicas: 2 },
    })
    expect(pods).to.include({ existing: 2, ready: 0 })
  })

  it('counts a DaemonSet by its status', () => {
    const trimmed = trim('daemonsets', DAEMON_SET)
    expect(trimmed.replicas).to.equal(5)
    expect(trimmed.pods).to.deep.equal({ existing: 5, ready: 3, observedGeneration: 2 })
    expect(trimmed).to.include({ hasNodeSelector: true, snoozeKey: undefined })
  })

  it('sees the snooze key of a DaemonSet', () => {
    const spec = { template: { spec: { nodeSelector: { 'dormouse.dev/snoozed': 'true' } } } }
    const snoozed = { hasNodeSelector: true, snoozeKey: 'true' }
    expect(trim('daemonsets', { ...DAEMON_SET, spec })).to.include(snoozed)
    const bare = { hasNodeSelector: false, snoozeKey: undefined }
    expect(trim('daemonsets', { ...DAEMON_SET, spec: { template: { spec: {} } } })).to.include(bare)
  })

  it('takes an absent count as 1 and an absent status as no pods', () => {
    const { metadata } = deployment('new')
    const trimmed = trim('deployments', { metadata, spec: {} })
    expect(trimmed.replicas).to.equal(1)
    expect(trimmed.pods).to.deep.equal({ existing: 0, ready: 0, observedGeneration: 0 })
  })

  it('keeps our annotations only, and whether there are any at all', () => {
    const annotations = {
      'dormouse.dev/enabled': 'true',
      'dormouse.dev/state': '{}',
      'dormouse.dev/history': '',
      other: 'x'.repeat(1000),
    }
    expect(trim('deployments', deployment('web', { annotations }))).to.deep.include({
      annotations: { enabled: 'true', state: '{}', history: '' },
      hasAnnotations: true,
    })
    const foreign = trim('deployments', deployment('web', { annotations: { other: 'x' } }))
    expect(foreign).to.deep.include({ annotations: {}, hasAnnotations: true })
    expect(trim('deployments', deployment('web'))).to.deep.include({ annotations: {}, hasAnnotations: false })
  })

  it('knows the count that a downscaler keeps on it', () => {
    const trimmed = (annotations: Record<string, string>) =>
      trim('deployments', deployment('web', { annotations })).keptByOther
    expect(trimmed({ 'downscaler/original-replicas': '3' })).to.equal('3')
    const long = { 'downscaler/original-replicas': 'x'.repeat(250_000) }
    expect(trimmed(long), 'anybody may write as much into every copy').to.equal('')
    expect(trimmed({ 'downscaler/uptime': 'never' })).to.equal(undefined)
  })

  it('names the controller owner and no other', () => {
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true },
    ]
    const { owner } = trim('replicasets', deployment('web-1', { ownerReferences }))
    expect(owner).to.deep.equal({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' })
    expect(trim('replicasets', deployment('web-1')).owner).to.equal(undefined)
  })

  it('names who last set the count: the newest entry that holds it', () => {
    const managedFields = [
      ownsReplicas('kubectl', { subresource: 'scale', time: '2026-01-05T12:00:00Z' }),
      ownsReplicas('helm', { time: '2026-01-05T09:00:00Z' }),
      { manager: 'kubelet', time: '2026-01-06T00:00:00Z', fieldsV1: { 'f:status': {} } },
    ]
    const { replicasManager } = trim('deployments', deployment('web', { managedFields }))
    expect(replicasManager).to.deep.equal({ manager: 'kubectl', subresource: 'scale' })
    expect(trim('deployments', deployment('web')).replicasManager).to.equal(undefined)
  })

  it('finds our own entry for the count, but not one of a subresource', () => {
    const managedFields = [
      ownsReplicas('helm'),
      ownsReplicas('dormouse', { subresource: 'scale' }),
      { manager: 'dormouse', fieldsV1: { 'f:metadata': {} } },
      ownsReplicas('dormouse'),
    ]
    expect(trim('deployments', deployment('web', { managedFields })).ownReplicasEntry).to.equal(3)
    const others = managedFields.slice(0, 3)
    expect(trim('deployments', deployment('web', { managedFields: others })).ownReplicasEntry).to.equal(
      undefined,
    )
  })

  it('sees whether a StatefulSet loses its volumes when it is scaled down', () => {
    const trimmed = (whenScaled: string) =>
      trim('statefulsets', {
        ...deployment('db'),
        spec: { persistentVolumeClaimRetentionPolicy: { whenScaled } },
      })
    expect(trimmed('Delete')).to.include({ deletesVolumes: true }).and.not.have.property('keepsVolumesBy')
    expect(trimmed('Retain')).to.include({ deletesVolumes: false, keepsVolumesBy: 'Retain' })
  })

  it("finds our own entry for a DaemonSet's nodeSelector", () => {
    const template = { 'f:spec': { 'f:nodeSelector': {} } }
    const managedFields = [
      { manager: 'dormouse', fieldsV1: { 'f:metadata': {} } },
      { manager: 'dormouse', fieldsV1: { 'f:spec': { 'f:template': template } } },
    ]
    const metadata = { ...DAEMON_SET.metadata, managedFields }
    expect(trim('daemonsets', { ...DAEMON_SET, metadata }).ownReplicasEntry).to.equal(1)
  })
})

describe('interning', () => {
  it('keeps few texts, and none that is long: an annotation may have 256 KiB, and change each second', () => {
    const known = new Map<string, string>()
    const intern = createIntern(10, known)
    for (let version = 0; version < 100; version++) {
      const long = `${version} ${'x'.repeat(1000)}`
      expect(intern(long)).to.equal(long)
    }
    expect(known.size).to.equal(0)
    for (let version = 0; version < 100; version++)
      expect(intern(String(version)), 'passed through beyond the limit').to.equal(String(version))
    expect(known.size).to.equal(10)
  })
})
