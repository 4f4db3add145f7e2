import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { Service } from '../../../src/service/wiring/service.ts'
import { loadConfig } from '../../../src/service/config/config.ts'
import { apiVersionOf } from '../../../src/domain/kinds.ts'
import { ANNOTATION, KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { createLogger } from '../../../src/service/process/logger.ts'
import { readAuditLog, type AuditEvent } from '../../control-plane/audit.ts'
import { dormouse } from '../../control-plane/dormouse-account.ts'
import { sharedControlPlane } from '../../control-plane/shared.ts'
import { undefine } from '../../keda/operator.ts'
import { ApiClient } from '../../support/api-client.ts'
import { describeOn } from '../../support/clusters.ts'
import { startProgram } from '../../support/dormouse.ts'
import { CONFIGURATION, LEASES, SECRET } from '../../support/enforced.ts'
import { eventually, inParallel } from '../../support/eventually.ts'
import { manifest } from '../../support/manifests.ts'
import { createNamespace } from '../../support/served.ts'
import { helm, only, type Manifest } from '../helm.ts'
import { marked } from './told.ts'
import { grantsOf, rulesOf, type Grant } from './grants.ts'

/** Allowed to every account: who it is, and the cluster's version. */
const EVERYBODYS = ['create selfsubjectreviews', 'get /version']
/** Nobody listens behind the chart's Service here: manual scalings in this suite would wait for it. */
const SETTINGS = {
  api: { host: '127.0.0.1', port: 0, insecurePort: 0 },
  metrics: { port: 0 },
  newWorkloadGrace: '0s',
  webhook: { certificates: { leafLifetime: '4s', caLifetime: '8s', renewAt: 0.5 } },
  controller: { lease: { namespace: dormouse.namespace, duration: '4s', renew: '3s', retry: '1s' } },
}

/** Between two rounds of requests, so that their rate stays within its limit. */
const CALM = { timeout: 90_000, pause: 2000 }

describeOn(
  "the chart's account at work, as inside a cluster",
  function (on) {
    this.timeout(240_000)
    const namespace = `e2e-${randomBytes(4).toString('hex')}`
    let began: number
    const { template } = helm()
    let directory: string
    let objects: Manifest[]
    let service: Service
    let api: ApiClient

    before('what the chart brings is there, and Dormouse runs', async function () {
      this.timeout(180_000)
      began = Date.now()
      directory = await mkdtemp(join(tmpdir(), 'dormouse-permissions-'))
      objects = await template()
      const { admin } = on()
      await createNamespace(on(), namespace)
      for (const path of [CONFIGURATION, SECRET, `${LEASES}/dormouse`]) await admin.send('DELETE', path)
      await admin.expect('POST', LEASES, only(objects, 'Lease'))
      const webhooks = only(objects, 'MutatingWebhookConfiguration')
      await admin.expect('POST', CONFIGURATION.replace(/\/dormouse$/, ''), webhooks)
      service = await Service.create({
        config: loadConfig({ text: JSON.stringify(SETTINGS), environment: {} }),
        kubeconfig: { file: on().dormouseKubeconfig },
        ownNamespace: dormouse.namespace,
        https: true,
        metricsHost: '127.0.0.1',
        clock: () => Date.now(),
        logger: createLogger('silent'),
      })
      await service.start()
      const token = await on().accountToken(namespace, 'developer', {
        verbs: ['get', 'list', 'update', 'patch'],
        resources: [...KINDS, ...KINDS.map((kind) => `${kind}/scale`)],
      })
      api = new ApiClient(service.addresses.api, token)
      for (const kind of KINDS) await on().create(namespace, [manifest(kind, 'toured')])
    })

    after(async () => {
      await undefine(on())
      await api?.close()
      await service?.stop()
      await rm(directory, { recursive: true })
      await on().admin.send('DELETE', CONFIGURATION)
      await on().admin.send('DELETE', `${LEASES}/dormouse`)
      await on().admin.send('DELETE', SECRET)
      await on().admin.send('DELETE', `/api/v1/namespaces/${namespace}`)
    })

    it('uses each verb of its roles, and asks for nothing that they do not give', async () => {
      await marked({ on })
      await inParallel(KINDS, tour)
      const roles = ['dormouse', 'dormouse-publisher'].map((name) => only(objects, 'Role', name))
      const expected = grantsOf(rulesOf(only(objects, 'ClusterRole', 'dormouse'), ...roles))
      const left = async () => {
        const used = new Set((await asked()).map(({ what }) => what))
        return expected.filter((each) => !used.has(each))
      }
      await eventually(
        'all but the release to be used',
        async () => {
          for (const kind of KINDS) await surprise(kind)
          expect(await left()).to.deep.equal(['delete mutatingwebhookconfigurations'])
          return true
        },
        CALM,
      )
      await release()
      expect(await left(), 'given, but not used').to.deep.equal([])
      const requests = await asked()
      const beyond = requests.filter(
        ({ what }) => !EVERYBODYS.includes(what) && !expected.includes(what as Grant),
      )
      expect(beyond, 'used, but not given by the chart').to.deep.equal([])
      expect(requests.filter(({ code }) => code === 403)).to.deep.equal([])
    })

    /** Twice, so that an Event is repeated. */
    async function tour(kind: Kind): Promise<void> {
      const workload = api.workload(kind, namespace, 'toured')
      await workload.enable()
      // In the second of its creation a CronJob has missed no run, and its status is not written.
      await sleep(1000)
      for (const _ of [1, 2]) {
        await workload.snooze('?wait=20s')
        await workload.wake('?wait=20s')
      }
    }

    /** Changes the object that the next request is based on, so that it has to be read again. */
    async function surprise(kind: Kind): Promise<void> {
      const path = `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}/toured`
      const annotations = () => ({ [ANNOTATION.schedule]: `0:00-23:${10 + Math.floor(Math.random() * 50)}` })
      const change = () => on().admin.expect('PATCH', path, { metadata: { annotations: annotations() } })
      const workload = api.workload(kind, namespace, 'toured')
      // Before the informer sees it, or between the decision and its write: both make it read again.
      await change()
      await workload.pin()
      await Promise.all([workload.unpin(), change()])
    }

    async function release(): Promise<void> {
      const config = join(directory, 'config.yaml')
      await writeFile(config, JSON.stringify({ controller: SETTINGS.controller }))
      const where = ['--kubeconfig', on().dormouseKubeconfig, '--config', config]
      // It acts on the whole cluster, where other tests' namespaces may be being deleted: retry on failure.
      await eventually(
        'dormouse release to end with 0',
        async () => {
          const child = startProgram(['release', '--all', ...where])
          const [said, [code]] = await Promise.all([
            text(child.stderr as Readable),
            once(child, 'exit') as Promise<[number]>,
          ])
          expect(code, said).to.equal(0)
          return true
        },
        CALM,
      )
      expect((await on().admin.send('GET', CONFIGURATION)).status).to.equal(404)
    }

    async function asked() {
      const plane = await sharedControlPlane()
      if ('unavailable' in plane) throw new TypeError('it is there only on the real control plane')
      const events = await readAuditLog(plane.auditLog)
      return events
        .filter(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) >= began)
        .map(({ verb, objectRef, requestURI, responseStatus }) => ({
          what: `${verb} ${resourceIn(objectRef) ?? requestURI}`,
          code: responseStatus?.code ?? 0,
        }))
    }
  },
  'real',
)

/** `cronjobs/status`, as roles have it. */
function resourceIn(reference: AuditEvent['objectRef']): string | undefined {
  const { resource, subresource } = reference ?? {}
  return subresource === undefined ? resource : `${resource}/${subresource}`
}
