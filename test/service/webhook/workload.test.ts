import { expect } from 'chai'
import { APPS, changing } from '../../support/reviews.ts'
import { at } from '../../support/rules.ts'
import { objectOf as wholeOf } from '../../support/workload-object.ts'
import { aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'
import type { Kind } from '../../../src/domain/workload/workload.ts'
import { Reviewing } from './reviewing.ts'

type Json = Record<string, unknown>

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The workload as the API server sends it, with this image. */
function objectOf(workload: AWorkload, { image = 'web:1', metadata = {}, annotations = {} } = {}) {
  const whole = wholeOf(workload)
  const all = { ...whole.metadata.annotations, ...annotations }
  const spec = { ...whole.spec, template: { spec: { containers: [{ name: 'web', image }] } } }
  return { ...whole, metadata: { ...whole.metadata, annotations: all, ...metadata }, spec }
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

  const update = (oldObject: object, object: object, kind: Kind = 'deployments', changes: Json = {}) => {
    here.knows(kind, oldObject)
    const resource = { ...APPS, resource: kind }
    return here.review('/webhook/workloads', changing(web, oldObject, object, { resource, ...changes }))
  }

  for (const [what, before, metadata, annotations] of [
    [
      'tools update their own fields with it',
      {},
      { generation: 4, resourceVersion: '99', managedFields: [{ manager: 'kubectl' }] },
      { [APPLIED]: '{}' },
    ],
    [
      'kubectl replace leaves out what the API server fills in',
      { creationTimestamp: '2026-03-02T00:00:00Z' },
      { uid: undefined, creationTimestamp: undefined, resourceVersion: undefined },
      {},
    ],
  ] as const)
    it(`changes only the count although ${what}`, async () => {
      const after = objectOf(pinned.withReplicas(5), { metadata, annotations })
      expect(await update(objectOf(pinned, { metadata: before }), after)).to.include({ allowed: false })
    })

  it('with one of our names as a label is told that it is an annotation, once', async () => {
    const plain = aDeployment('shop/web').withReplicas(3)
    const label = { 'dormouse.dev/enabled': 'true' }
    const labelled = plain.labelled(label)
    const says =
      'Dormouse: deployment shop/web: dormouse.dev/enabled has no effect as a label: it is an annotation ' +
      '(kubectl annotate … dormouse.dev/enabled=…)'
    const answer = await update(objectOf(plain), objectOf(labelled))
    expect(answer).to.deep.include({ allowed: true, warnings: [says] })
    const later = await update(objectOf(labelled), objectOf(labelled, { image: 'web:2' }))
    expect(later.warnings ?? []).to.deep.equal([])
    const mine = await update(objectOf(plain), objectOf(plain.labelled({ 'dormouse.dev/team': 'a' })))
    expect(mine.warnings ?? [], 'a name that is none of ours').to.deep.equal([])
  })

  it('with another image is allowed with a patch that keeps the count, and warns', async () => {
    const answer = await update(objectOf(pinned), objectOf(pinned.withReplicas(5), { image: 'web:2' }))
    expect(answer).to.deep.include({
      allowed: true,
      patchType: 'JSONPatch',
      operations: [{ op: 'replace', path: '/spec/replicas', value: 3 }],
    })
    expect(answer.warnings).to.have.length(2)
    expect(here.told).to.deep.equal(['workloads patched held'])
  })

  describe('of what is being deleted', () => {
    const going = {
      metadata: { deletionTimestamp: '2026-03-02T00:00:00Z', finalizers: ['example.com/keeps'] },
    }
    const asks = { ...going, annotations: { 'dormouse.dev/request': 'wake' } }
    const asleep = web.snoozed({ at: at('Mon 7:00') })

    it('is denied where it is nothing but a request, which nobody would carry out', async () => {
      const answer = await update(objectOf(asleep, going), objectOf(asleep, asks))
      expect(answer).to.include({ allowed: false })
      expect(JSON.stringify(answer)).to.include('it is being deleted, so nothing is done about it')
    })

    it('is stored without its request where there is more to it, with a warning', async () => {
      const answer = await update(objectOf(asleep, going), objectOf(asleep, { ...asks, image: 'web:2' }))
      expect(answer).to.deep.include({
        allowed: true,
        operations: [{ op: 'remove', path: '/metadata/annotations/dormouse.dev~1request' }],
      })
      expect(answer.warnings?.join()).to.include('it is being deleted')
    })

    it('is allowed as it is where it brings no request, as a controller that takes its finalizer away', async () => {
      const { deletionTimestamp } = going.metadata
      for (const before of [going, asks]) {
        const after = { ...before, metadata: { deletionTimestamp } }
        const answer = await update(objectOf(asleep, before), objectOf(asleep, after))
        expect(answer).to.include({ allowed: true }).and.not.have.property('patch')
      }
    })
  })

  it('that drops all annotations gets ours restored', async () => {
    const whole = objectOf(web.remembering({}))
    const { annotations, ...metadata } = whole.metadata
    const { operations } = await update(whole, { ...whole, metadata })
    expect(operations).to.deep.equal([{ op: 'add', path: '/metadata/annotations', value: annotations }])
  })

  it('of exempt accounts is allowed unchanged', async () => {
    const userInfo = { username: 'system:serviceaccount:kube-system:deployment-controller' }
    const after = objectOf(pinned.withReplicas(5))
    const answer = await update(objectOf(pinned), after, 'deployments', { userInfo })
    expect(answer).to.include({ allowed: true }).and.not.have.property('patch')
  })

  it('is decided without an old object when it is a creation', async () => {
    const changes = { operation: 'CREATE', oldObject: null }
    const answer = await here.review(
      '/webhook/workloads',
      changing(web, null, objectOf(web.scheduled('soon')), changes),
    )
    expect(answer).to.include({ allowed: false })
    expect(answer.status?.message).to.contain('dormouse.dev/schedule: ')
  })

  describe('of a sleeper by a manifest', () => {
    const asleep = web.snoozed({ at: at('Mon 7:00') })
    const manifest = (spec: Json, metadata: Json = {}) => ({
      annotations: { [APPLIED]: JSON.stringify({ metadata, spec }) },
    })
    const names = (time: string, count: boolean, metadata: Json = {}) => ({
      metadata: {
        managedFields: [
          {
            manager: 'flux',
            operation: 'Apply',
            time,
            fieldsV1: { 'f:metadata': metadata, 'f:spec': count ? { 'f:replicas': {} } : {} },
          },
        ],
      },
    })
    const state = { 'dormouse.dev/state': '{}' }
    const label = { 'dormouse.dev/asleep': '3' }

    for (const [what, manager, before, after, count, kept] of [
      ["kubectl's, which stops naming a count", 'kubectl', manifest({ replicas: 3 }), manifest({}), 1, '3'],
      ["the server's, which stops naming a count", 'flux', names('t1', true), names('t2', false), 1, '3'],
      ["kubectl's, which never named a count", 'kubectl', manifest({}), manifest({ paused: true }), 1, '1'],
      ["kubectl's with 0", 'kubectl', manifest({ replicas: 3 }), manifest({ replicas: 0 }), 0, '0'],
      ["the server's with 0", 'flux', names('t1', true), names('t2', true), 0, '0'],
      [
        "the server's with 0, which it did not name before",
        'flux',
        names('t1', false),
        names('t1', true),
        0,
        '0',
      ],
      ['an update of who has applied it before', 'flux', names('t1', true), names('t1', true), 0, '3'],
      ['an update by somebody else', 'kubectl', names('t1', true), names('t2', true), 0, '3'],
      [
        "kubectl's, a copy of the sleeper",
        'kubectl',
        manifest({ replicas: 3 }),
        manifest({ replicas: 0 }, { annotations: state }),
        0,
        '3',
      ],
      [
        "kubectl's, a copy with the label alone",
        'kubectl',
        manifest({ replicas: 3 }),
        manifest({ replicas: 0 }, { labels: label }),
        0,
        '3',
      ],
      [
        "the server's, a copy of the sleeper",
        'flux',
        names('t1', true),
        names('t2', true, { 'f:annotations': { 'f:dormouse.dev/state': {} } }),
        0,
        '3',
      ],
      ["kubectl's that cannot be read", 'kubectl', {}, { annotations: { [APPLIED]: '{' } }, 0, '3'],
    ] as const)
      it(`keeps ${kept}: ${what}`, async () => {
        const object = objectOf(asleep.withReplicas(count), after)
        const answer = await update(objectOf(asleep, before), object, 'deployments', {
          options: { fieldManager: manager },
        })
        expect(answer).to.include({ allowed: true })
        const ops = answer.operations ?? []
        const label = ops.find(({ path }) => path === '/metadata/labels/dormouse.dev~1asleep')
        expect(label && 'value' in label ? label.value : '3').to.equal(kept)
      })
  })

  describe('of a DaemonSet that removes our key', () => {
    const asleep = aDaemonSet('shop/web')
      .withReplicas(2)
      .enabled()
      .snoozed({ at: Date.parse('2026-03-02T07:00:00Z') })
    const entry = (operation: string, time: string, ownsSelector: boolean) => ({
      manager: 'flux',
      operation,
      time,
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': ownsSelector ? { 'f:nodeSelector': {} } : {} } } },
    })
    const daemonSet = (nodeSelector: Json, managedFields: Json[] = [], annotations: Json = {}) => ({
      ...objectOf(asleep, { metadata: { managedFields }, annotations }),
      spec: { template: { spec: { containers: [], nodeSelector } } },
      status: { desiredNumberScheduled: 0 },
    })
    const old = daemonSet({ 'dormouse.dev/snoozed': 'true', os: 'linux' }, [
      entry('Apply', 't1', false),
      entry('Update', 't2', true),
    ])
    const removed = (by: string | undefined, managedFields: Json[], annotations: Json = {}) =>
      update(old, daemonSet({ os: 'linux' }, managedFields, annotations), 'daemonsets', {
        options: by === undefined ? {} : { fieldManager: by },
      })

    for (const [what, manager, entries, annotations] of [
      [
        'server-side apply: its entry has a new time, and the nodeSelector',
        'flux',
        [entry('Apply', 't3', true)],
        {},
      ],
      ['server-side apply: its entry has the nodeSelector', 'flux', [entry('Apply', 't1', true)], {}],
      ['server-side apply: its entry has a new time', 'flux', [entry('Apply', 't3', false)], {}],
      ['client-side apply: its manifest has changed', 'kubectl-client-side-apply', [], { [APPLIED]: '{}' }],
    ] as const)
      it(`gets it restored after ${what}`, async () => {
        const answer = await removed(manager, [...entries], annotations)
        expect(answer).to.not.have.property('warnings')
        expect(answer.operations).to.deep.equal([
          { op: 'add', path: '/spec/template/spec/nodeSelector/dormouse.dev~1snoozed', value: 'true' },
        ])
      })

    it('is a manual wake by the user after any other update, even if that user has applied it before', async () => {
      for (const manager of ['flux', 'kubectl-patch', undefined]) {
        const { operations } = await removed(manager, [
          entry('Apply', 't1', false),
          entry('Update', 't3', true),
        ])
        expect(operations?.find(({ path }) => path.endsWith('state')))
          .to.have.property('value')
          .that.contains('"by":"k8s:alice"')
          .and.not.contains('"asleep":')
      }
    })
  })
})
