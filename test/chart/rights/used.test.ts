import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ANNOTATION, KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { readAuditLog, type AuditEvent } from '../../control-plane/audit.ts'
import { dormouse } from '../../control-plane/dormouse-account.ts'
import { sharedControlPlane } from '../../control-plane/shared.ts'
import { undefine } from '../../keda/operator.ts'
import { describeOnWith } from '../../support/clusters.ts'
import { CONFIGURATION, LEASES, SECRET } from '../../support/enforced.ts'
import { eventually, inParallel } from '../../support/eventually.ts'
import { helmIn, only, type Manifest } from '../helm.ts'
import { lowered, marked } from './told.ts'
import { Stage } from './stage.ts'
import { grantsOf, rulesOf, type Grant } from './grants.ts'
import { helm } from '../../go-programs/go-program.ts'

/** Allowed to every account: who it is, and the cluster's version. */
const EVERYBODYS = ['create selfsubjectreviews', 'get /version']
/** A release looks for slices also where its own configuration has no wakers, and goes on where it may not. */
const TRIED = ['list endpointslices']
const { namespace, name } = dormouse
const SHORT_LIVED = { certificates: { leafLifetime: '4s', caLifetime: '8s', renewAt: 0.5 } }

/** Between two rounds of requests, so that their rate stays within its limit. */
const CALM = { timeout: 90_000, pause: 2000 }

describeOnWith(helm, "the chart's account at work, as inside a cluster", function (on, program) {
  this.timeout(240_000)
  const stage = new Stage(on, namespace, name, { webhook: SHORT_LIVED })
  let began: number
  const { template } = helmIn(program)
  let objects: Manifest[]

  before('what the chart brings is there, and Dormouse runs', async function () {
    this.timeout(180_000)
    began = Date.now()
    objects = await template()
    const { admin } = on()
    for (const path of [CONFIGURATION, SECRET, `${LEASES}/dormouse`]) await admin.send('DELETE', path)
    await admin.expect('POST', LEASES, only(objects, 'Lease'))
    const webhooks = only(objects, 'MutatingWebhookConfiguration')
    await admin.expect('POST', CONFIGURATION.replace(/\/dormouse$/, ''), webhooks)
    await stage.setUp()
    await lowered({ on })
    await stage.start()
  })

  after(async () => {
    await undefine(on())
    await stage.tearDown()
    for (const path of [CONFIGURATION, SECRET, `${LEASES}/dormouse`]) await on().admin.send('DELETE', path)
  })

  it('uses each verb of its roles, and asks for nothing that they do not give', async () => {
    await marked({ on })
    await inParallel(KINDS, tour)
    const names = ['dormouse', 'dormouse-publisher', 'dormouse-release']
    const roles = names.map((name) => only(objects, 'Role', name))
    const expected = grantsOf(rulesOf(only(objects, 'ClusterRole', 'dormouse'), ...roles))
    const left = async () => {
      const used = new Set((await asked()).map(({ what }) => what))
      return expected.filter((each) => !used.has(each))
    }
    await eventually(
      'all but the release to be used',
      async () => {
        for (const kind of KINDS) await surprise(kind)
        expect(await left()).to.have.members(['delete mutatingwebhookconfigurations', 'get jobs'])
        return true
      },
      CALM,
    )
    // The account is that of a release with wakers: its Job has a name by its settings.
    const job = only(await template({ config: { waker: { enabled: true } } }), 'Job').metadata.name
    const unclear = await stage.release('--only-in-uninstall', `${namespace}/${job}`)
    expect(unclear.stderr).to.include('that Job is not there')
    await release()
    expect(await left(), 'given, but not used').to.deep.equal([])
    const requests = await asked()
    const beyond = requests.filter(
      ({ what }) => ![...EVERYBODYS, ...TRIED].includes(what) && !expected.includes(what as Grant),
    )
    expect(beyond, 'used, but not given by the chart').to.deep.equal([])
    expect(requests.filter(({ code }) => code === 403)).to.deep.equal([])
  })

  /** Twice, so that an Event is repeated. */
  async function tour(kind: Kind): Promise<void> {
    const workload = await stage.workload(kind)
    // In the second of its creation a CronJob has missed no run, and its status is not written.
    await sleep(1000)
    for (const _ of [1, 2]) {
      await workload.snooze('?wait=20s')
      await workload.wake('?wait=20s')
    }
  }

  /** Changes the object that the next request is based on, so that it has to be read again. */
  async function surprise(kind: Kind): Promise<void> {
    const annotations = () => ({ [ANNOTATION.schedule]: `0:00-23:${10 + Math.floor(Math.random() * 50)}` })
    const change = () =>
      on().admin.expect('PATCH', stage.path(kind), { metadata: { annotations: annotations() } })
    const workload = await stage.workload(kind)
    // Before the informer sees it, or between the decision and its write: both make it read again.
    await change()
    await workload.pin()
    await Promise.all([workload.unpin(), change()])
  }

  async function release(): Promise<void> {
    // It acts on the whole cluster, where other tests' namespaces may be being deleted: retry on failure.
    await eventually(
      'dormouse release to end with 0',
      async () => {
        const { code, stderr } = await stage.release()
        expect(code, stderr).to.equal(0)
        return true
      },
      CALM,
    )
    expect((await on().admin.send('GET', CONFIGURATION)).status).to.equal(404)
  }

  async function asked() {
    const plane = await sharedControlPlane()
    if ('unavailable' in plane) throw new TypeError('it is there only on the real control plane')
    const events = await readAuditLog(plane.auditLog, began)
    return events.map(({ verb, objectRef, requestURI, responseStatus }) => ({
      what: `${verb} ${resourceIn(objectRef) ?? requestURI}`,
      code: responseStatus?.code ?? 0,
    }))
  }
})

/** `cronjobs/status`, as roles have it. */
function resourceIn(reference: AuditEvent['objectRef']): string | undefined {
  const { resource, subresource } = reference ?? {}
  return subresource === undefined ? resource : `${resource}/${subresource}`
}
