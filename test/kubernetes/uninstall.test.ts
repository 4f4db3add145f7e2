import { expect } from 'chai'
import { refusalOf } from '../../src/kubernetes/failures.ts'
import { decideStarter, starterOf, type Written } from '../../src/kubernetes/uninstall.ts'

const RELEASE = 'meta.helm.sh/release-name'
const LAST_APPLIED = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }

type By = readonly [manager: string, operation?: 'Apply' | 'Update']

/** A Job whose containers these programs wrote. */
function job(writers: readonly By[], annotations = {}): Written {
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': {} } } } }
  const managedFields = [...writers.map(entry(fieldsV1)), STATUS]
  return { metadata: { creationTimestamp: '2026-03-02T12:00:00Z', annotations, managedFields } }
}

/** The Lease of a release that these programs installed; without any, it was applied. */
function lease(...installers: readonly By[]): Written {
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { [`f:${RELEASE}`]: {} } } }
  const annotations = installers.length > 0 ? { [RELEASE]: 'dormouse' } : {}
  const managedFields = [...installers.map(entry(fieldsV1)), LEADER]
  return { metadata: { creationTimestamp: '2026-03-01T12:00:00Z', annotations, managedFields } }
}

function createdAt(creationTimestamp: string, { metadata }: Written): Written {
  return { metadata: { ...metadata, creationTimestamp } }
}

function entry(fieldsV1: object) {
  return ([manager, operation = 'Update']: By) => ({ manager, operation, fieldsV1 })
}

const LEADER = {
  manager: 'dormouse',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:holderIdentity': {} } },
}
const STATUS = {
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
  fieldsV1: { 'f:status': { 'f:active': {} } },
}

describe('who started the Job that releases everything', () => {
  const started = (by: Written | undefined, beside: Written | undefined) => decideStarter(by, beside).kind

  for (const [program, installed, creates] of [
    ['Helm 3', ['helm'], ['helm']],
    ['Helm 4, which applies hooks on the server', ['helm', 'Apply'], ['helm', 'Apply']],
    ['Flux', ['helm-controller', 'Apply'], ['helm-controller', 'Apply']],
    ['Flux, of a release that was installed by hand', ['helm'], ['helm-controller']],
    ['Helm by hand, of a release of Terraform', ['terraform-provider-helm_v3.0.2_x5'], ['helm']],
    ['a program with Helm inside that is not called so', ['fleetagent'], ['fleetagent']],
  ] as const)
    it(`is an uninstall by ${program}`, () => {
      expect(started(job([creates]), lease(installed))).to.equal('uninstall')
    })

  it('is an uninstall by Helm, however soon after it was installed', () => {
    const installed = createdAt('2026-03-02T11:59:58Z', lease(['helm']))
    expect(started(job([['helm']]), installed)).to.equal('uninstall')
  })

  for (const [program, creates, annotations] of [
    ['kubectl', ['kubectl-client-side-apply'], LAST_APPLIED],
    ['kubectl on the server', ['kubectl', 'Apply'], {}],
    ['Argo CD', ['argocd-controller'], LAST_APPLIED],
    ["Flux's kustomize-controller", ['kustomize-controller', 'Apply'], {}],
    ['a backup that brings back what was applied', ['velero-server'], LAST_APPLIED],
  ] as const)
    for (const [where, beside] of [
      ['alone', lease()],
      ['over a release of Helm', lease(['helm'])],
      ['over a release whose Lease it wrote, too', lease(['helm'], creates)],
    ] as const)
      it(`is no uninstall where ${program} applied it ${where}`, () => {
        expect(started(job([creates], annotations), beside)).to.equal('applied')
      })

  it('is no uninstall where a Job of Helm was applied again', () => {
    expect(started(job([['helm'], ['kubectl', 'Apply']]), lease(['helm']))).to.equal('applied')
  })

  for (const [doubt, by, beside] of [
    [
      'Argo CD creates it before it deletes an Application',
      job([['argocd-application-controller']]),
      lease(),
    ],
    ['a person creates it', job([['kubectl-create']]), lease(['helm'])],
    ['a person creates it beside a copied Lease', job([['kubectl-create']]), lease(['kubectl-create'])],
    ['a backup brings it back', job([['velero-server']]), lease(['velero-server'])],
    [
      'a backup of any name brings it back, and the Lease',
      job([['executor-server']]),
      createdAt('2026-03-02T11:59:58Z', lease(['executor-server'])),
    ],
    [
      'a backup of any name brings it back, and the Lease after it',
      job([['executor-server']]),
      createdAt('2026-03-02T12:00:02Z', lease(['executor-server'])),
    ],
    ['Helm created it, but did not install the Lease', job([['helm']]), lease()],
    ['the Lease is away', job([['helm']]), undefined],
    ['the Job is away', undefined, lease(['helm'])],
    ['the Job does not say who created it', { metadata: {} }, lease(['helm'])],
  ] as const)
    it(`is unclear where ${doubt}`, () => {
      expect(started(by, beside)).to.equal('unclear')
    })

  it('is unclear where it may not be read, and says which right is missing', async () => {
    const message = 'cannot get resource "jobs" in API group "batch"'
    const client = { call: () => Promise.reject(refusalOf('get', 403, { message })) }
    const name = { namespace: 'dormouse', name: 'dormouse' }
    const starter = await starterOf(client, { job: name, lease: name })
    expect(starter).to.deep.include({ kind: 'unclear' })
    expect(starter).to.have.property('why').that.includes(message)
  })
})
