import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { loadConfig } from '../../src/service/config/config.ts'
import { NO_CALENDARS } from '../../src/domain/schedule/calendar.ts'
import { ClusterCheck } from '../../src/wiring/check.ts'
import { answer, failure, FakeApiServer, silentLogger } from '../kubernetes/fake-api-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITION = {
  metadata: { name: 'scaledobjects.keda.sh', resourceVersion: '5' },
  spec: { group: 'keda.sh', names: { kind: 'ScaledObject' }, versions: [{ name: 'v1alpha1', served: true }] },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
}
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
type Access = Readonly<Record<'verb' | 'group' | 'resource', string>>
type Review = { readonly spec: { readonly resourceAttributes: Access } }
const list = (...items: object[]) => ({ metadata: { resourceVersion: '10' }, items })

describe('dormouse check of a cluster', function () {
  this.timeout(180_000)
  let server: FakeApiServer
  const at = temporaryFolder()

  beforeEach(async () => (server = await new FakeApiServer().start()))
  afterEach(() => server.stop())

  /** The forecast for a cluster that has KEDA, refuses these paths and says who may do what. */
  async function foretold(
    refused: readonly string[] = [],
    may: (access: Access) => boolean = () => true,
    text = '',
  ) {
    server.handler = ({ path, query, body }, response) => {
      if (path === REVIEWS)
        answer(response, 201, {
          status: { allowed: may((JSON.parse(body) as Review).spec.resourceAttributes) },
        })
      else if (refused.includes(path)) answer(response, 403, failure(403, 'not allowed', 'Forbidden'))
      else if (query.has('watch')) response.writeHead(200).flushHeaders()
      else answer(response, 200, path === DEFINITIONS ? list(DEFINITION) : list())
    }
    const file = at('kubeconfig')
    const cluster = { name: 'dev', cluster: { server: server.url.origin } }
    const contexts = [{ name: 'dev', context: { cluster: 'dev', user: '' } }]
    const kubeconfig = { clusters: [cluster], contexts, 'current-context': 'dev' }
    await writeFile(file, JSON.stringify(kubeconfig))
    const check = new ClusterCheck({
      config: loadConfig({ text, environment: {} }),
      calendars: NO_CALENDARS,
      kubeconfig: { file, environment: {} },
      ownNamespace: undefined,
      clock: Date.now,
      logger: silentLogger,
      stop: new AbortController().signal,
    })
    try {
      return await check.forecast()
    } finally {
      await check.cluster.close()
    }
  }

  async function unseen(...refused: readonly string[]): Promise<readonly string[]> {
    return (await foretold(refused)).unseen
  }

  it('names the kinds that the account may patch, but not update: a write of theirs costs the API server more', async () => {
    const older = await foretold([], ({ verb, group }) => verb === 'patch' || group === 'batch')
    expect(older.onlyPatched).to.have.members(['deployments', 'statefulsets', 'daemonsets', 'replicasets'])
    const reader = await foretold([], () => false)
    expect([reader.onlyPatched, reader.unwritable], 'who may only read').to.deep.equal([[], []])
    const lacking = await foretold([], ({ resource }) => resource !== 'cronjobs')
    expect([lacking.onlyPatched, lacking.unwritable]).to.deep.equal([[], ['cronjobs']])
    const unpaused = await foretold([], ({ group }) => group !== 'keda.sh')
    expect(unpaused.unwritable, 'nor pause').to.deep.equal(['scaledobjects.keda.sh'])
    expect((await foretold()).onlyPatched).to.deep.equal([])
  })

  it('names the rights that wake on traffic needs and the account lacks', async () => {
    const may = ({ verb, resource }: Access) => resource !== 'services' && verb !== 'create'
    const { lackedByTraffic } = await foretold([], may, 'waker: { enabled: true }')
    expect(lackedByTraffic).to.deep.equal([
      'list services',
      'watch services',
      'create endpointslices.discovery.k8s.io',
    ])
    expect((await foretold([], may)).lackedByTraffic, 'where none wakes').to.deep.equal([])
  })

  it('says that what KEDA holds is not known where its ScaledObjects may not be listed, and else nothing', async () => {
    const [found, ...others] = await unseen('/apis/keda.sh/v1alpha1/scaledobjects')
    expect(found).to.include("KEDA's ScaledObjects").and.to.include('list and watch')
    expect(others).to.deep.equal([])
    expect(await unseen(DEFINITIONS), 'nor whether there is KEDA').to.have.length(1)
    const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    expect((await unseen(WEBHOOKS))[0], 'nor who answers webhooks').to.match(/^list .*mutatingwebhook/)
    expect(await unseen()).to.deep.equal([])
  })
})
