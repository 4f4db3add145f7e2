import { expect } from 'chai'
import { APPS, changing } from '../../support/reviews.ts'
import { objectOf as wholeOf } from '../../support/workload-object.ts'
import { aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'
import type { Kind } from '../../../src/domain/workload/workload.ts'
import { Reviewing } from './reviewing.ts'

type Json = Record<string, unknown>

/** The workload as the API server sends it, with this image. */
function objectOf(
  workload: AWorkload,
  { image = 'web:1', metadata = {} }: { image?: string; metadata?: Json } = {},
): Json {
  const whole = wholeOf(workload)
  const spec = { ...whole.spec, template: { spec: { containers: [{ name: 'web', image }] } } }
  return { ...whole, metadata: { ...whole.metadata, ...metadata }, spec }
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

  const update = (oldObject: Json, object: Json, changes: Json = {}) => {
    const { resource = 'deployments' } = (changes['resource'] ?? {}) as { resource?: Kind }
    if (oldObject['metadata']) here.knows(resource, oldObject)
    return here.review('/webhook/workloads', changing(web, oldObject, object, changes))
  }

  it('changes only the count, although tools update their own fields with it', async () => {
    const bookkeeping = {
      generation: 4,
      resourceVersion: '99',
      managedFields: [{ manager: 'kubectl' }],
      annotations: {
        ...(objectOf(pinned).metadata as { annotations: Json }).annotations,
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    }
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5), { metadata: bookkeeping }))
    expect(answer.allowed).to.equal(false)
    expect(answer.status?.message).to.contain(
      'kubectl annotate -n shop deployments/web dormouse.dev/request=unpin',
    )
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

  it('with another image is allowed with a patch that keeps the count, and warns', async () => {
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5), { image: 'web:2' }))
    expect(answer).to.deep.include({
      allowed: true,
      patchType: 'JSONPatch',
      operations: [{ op: 'replace', path: '/spec/replicas', value: 3 }],
    })
    expect(answer.warnings?.[0]).to.match(
      /^Dormouse: deployment shop\/web stays at 3 replicas: it is pinned active/,
    )
    expect(answer.warnings?.[1]).to.contain(
      'kubectl annotate -n shop deployments/web dormouse.dev/request=unpin',
    )
    expect(here.told).to.deep.equal(['workloads patched held'])
  })

  it('that drops all annotations gets ours restored', async () => {
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

  describe('of a DaemonSet that removes our key', () => {
    const agent = aDaemonSet('shop/web').withReplicas(2).enabled()
    const asleep = agent.snoozed({ at: Date.parse('2026-03-02T07:00:00Z') })
    const resource = { ...APPS, resource: 'daemonsets' }
    const entry = (operation: string, time: string, ownsSelector: boolean) => ({
      manager: 'flux',
      operation,
      time,
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': ownsSelector ? { 'f:nodeSelector': {} } : {} } } },
    })
    const daemonSet = (nodeSelector: Json, managedFields: Json[] = [], annotations: Json = {}): Json => {
      const object = objectOf(asleep)
      const metadata = object.metadata as { annotations: Json }
      const template = { spec: { containers: [], nodeSelector } }
      return {
        ...object,
        metadata: { ...metadata, managedFields, annotations: { ...metadata.annotations, ...annotations } },
        spec: { template },
        status: { desiredNumberScheduled: 0 },
      }
    }
    const key = { 'dormouse.dev/snoozed': 'true' }
    const old = daemonSet({ ...key, os: 'linux' }, [entry('Apply', 't1', false), entry('Update', 't2', true)])
    const review = (object: Json, oldObject = old, fieldManager: string | undefined = 'flux') =>
      update(oldObject, object, { resource, options: fieldManager === undefined ? {} : { fieldManager } })
    const restored = [
      { op: 'add', path: '/spec/template/spec/nodeSelector/dormouse.dev~1snoozed', value: 'true' },
    ]

    it('gets it restored after server-side apply: the Apply entry of its manager has a new time, or the nodeSelector', async () => {
      for (const applied of [
        entry('Apply', 't3', true),
        entry('Apply', 't1', true),
        entry('Apply', 't3', false),
      ]) {
        const answer = await review(daemonSet({ os: 'linux' }, [applied]))
        expect(answer.operations).to.deep.equal(restored)
        expect(answer).to.not.have.property('warnings')
      }
    })

    it('gets it restored after client-side apply: its last-applied-configuration changed', async () => {
      const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
      const answer = await review(
        daemonSet({ os: 'linux' }, [], lastApplied),
        old,
        'kubectl-client-side-apply',
      )
      expect(answer.operations).to.deep.equal(restored)
    })

    it('is a manual wake by the user after any other update, even if that user has applied it before', async () => {
      const updates = [entry('Apply', 't1', false), entry('Update', 't3', true)]
      for (const manager of ['flux', 'kubectl-patch', undefined]) {
        const { operations } = await review(daemonSet({ os: 'linux' }, updates), old, manager)
        const written = operations?.find(({ path }) => path.endsWith('state'))
        expect(written)
          .to.have.property('value')
          .that.contains('"by":"k8s:alice"')
          .and.not.contains('"asleep":')
      }
    })
  })

  it('is decided without an old object when it is a creation', async () => {
    const answer = await update({}, objectOf(web.scheduled('soon')), { operation: 'CREATE', oldObject: null })
    expect(answer).to.include({ allowed: false })
    expect(answer.status?.message).to.contain('dormouse.dev/schedule: ')
  })
})
