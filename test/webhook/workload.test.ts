import { expect } from 'chai'
import { decodeState } from '../../src/domain/state-codec.ts'
import { aDeployment, type AWorkload } from '../support/workloads.ts'
import { APPS, Reviewing } from './reviewing.ts'

type Json = Record<string, unknown>

/** A whole Deployment as the API server sends it, with the marks and the count of `workload`. */
function objectOf(
  workload: AWorkload,
  { image = 'web:1', metadata = {} }: { image?: string; metadata?: Json } = {},
): Json {
  const { name, namespace, uid, resourceVersion, labels, replicas } = workload
  const annotations = Object.fromEntries(
    Object.entries(workload.annotations).map(([key, value]) => [`dormouse.dev/${key}`, value]),
  )
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      generation: 3,
      annotations,
      ...(labels ? { labels } : {}),
      ...metadata,
    },
    spec: { replicas, template: { spec: { containers: [{ name: 'web', image }] } } },
    status: { replicas, readyReplicas: replicas },
  }
}

const web = aDeployment('shop/web').withReplicas(3).enabled()
const pinned = web.pinned()

describe('a review of an update', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const update = (oldObject: Json, object: Json, changes: Json = {}) =>
    here.review('/webhook/workloads', {
      uid: 'r-2',
      operation: 'UPDATE',
      namespace: 'shop',
      name: 'web',
      resource: { ...APPS, resource: 'deployments' },
      userInfo: { username: 'alice' },
      options: { fieldManager: 'kubectl-edit' },
      oldObject,
      object,
      ...changes,
    })

  it('changes only the count even where tools keep their books along with it', async () => {
    const books = {
      generation: 4,
      resourceVersion: '99',
      managedFields: [{ manager: 'kubectl' }],
      annotations: {
        ...(objectOf(pinned).metadata as { annotations: Json }).annotations,
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    }
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5), { metadata: books }))
    expect(answer.allowed).to.equal(false)
    expect(answer.status?.message).to.contain('DELETE /api/v1/namespaces/shop/deployments/web/pin')
  })

  it('changes only the count although kubectl replace leaves out what the API server fills in', async () => {
    const sent = { uid: undefined, creationTimestamp: undefined, resourceVersion: undefined }
    const filled = { creationTimestamp: '2026-03-02T00:00:00Z' }
    const answer = await update(
      objectOf(pinned, { metadata: filled }),
      objectOf(pinned.withReplicas(5), { metadata: sent }),
    )
    expect(answer).to.include({ allowed: false })
  })

  it('with another image goes through with the count held by a patch, and warns', async () => {
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5), { image: 'web:2' }))
    expect(answer).to.deep.include({
      allowed: true,
      patchType: 'JSONPatch',
      operations: [{ op: 'replace', path: '/spec/replicas', value: 3 }],
    })
    expect(answer.warnings?.[0]).to.match(
      /^Dormouse: deployment shop\/web stays at 3 replicas: it is pinned active/,
    )
    expect(answer.warnings?.[1]).to.contain('DELETE /api/v1/namespaces/shop/deployments/web/pin')
    expect(here.told).to.deep.equal(['workloads patched held'])
  })

  it('of a sleeper is absorbed: the patch keeps it at 0, and its state, label and warning have the new count', async () => {
    const sleeper = web.snoozed({ at: Date.parse('2026-03-02T07:00:00Z') })
    const { operations = [], warnings } = await update(objectOf(sleeper), objectOf(sleeper.withReplicas(6)))
    const values = Object.fromEntries(
      operations.map(({ path, ...rest }) => [path, 'value' in rest ? rest.value : undefined]),
    )
    expect(values['/spec/replicas']).to.equal(0)
    expect(values['/metadata/labels/dormouse.dev~1asleep']).to.equal('6')
    const state = decodeState(String(values['/metadata/annotations/dormouse.dev~1state']))
    expect(state).to.deep.include({ asleep: true, counter: sleeper.state().counter + 1 })
    expect(state.snoozed?.replicas).to.equal(6)
    expect(warnings?.[0]).to.contain('it will wake to 6')
  })

  it('that drops everything of ours gets it back, although no annotations are left to patch', async () => {
    const { annotations: _, ...metadata } = objectOf(web.remembering({})).metadata as Json
    const bare = { ...objectOf(web.remembering({})), metadata }
    const { operations } = await update(objectOf(web.remembering({})), bare)
    expect(operations).to.deep.equal([
      {
        op: 'add',
        path: '/metadata/annotations',
        value: (objectOf(web.remembering({})).metadata as Json).annotations,
      },
    ])
  })

  it('of exempt accounts is allowed unchanged', async () => {
    const userInfo = { username: 'system:serviceaccount:kube-system:deployment-controller' }
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5)), { userInfo })
    expect(answer).to.deep.include({ allowed: true })
    expect(answer).to.not.have.property('patch')
  })

  it('of a ReplicaSet that a controller owns is none of ours', async () => {
    const owned = {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true }],
    }
    const resource = { ...APPS, resource: 'replicasets' }
    const answer = await update(
      objectOf(pinned, { metadata: owned }),
      objectOf(pinned.withReplicas(0), { metadata: owned }),
      { resource },
    )
    expect(answer.allowed).to.equal(true)
  })

  it('and a creation is judged without an old object', async () => {
    const answer = await update({}, objectOf(web.scheduled('soon')), { operation: 'CREATE', oldObject: null })
    expect(answer).to.include({ allowed: false })
    expect(answer.status?.message).to.contain('dormouse.dev/schedule: ')
  })
})
