import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn, type On } from '../support/clusters.ts'
import { runDormouse } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { awakeNow } from '../support/schedules.ts'

const HOME = 'dormouse'
const WAKERS = 'dormouse-waker'
const RBAC = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const SERVICES = `/api/v1/namespaces/${HOME}/services`
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const PAGE = { [ANNOTATION.wakeOnTraffic]: 'page' }

interface StoredSlice {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly labels: Record<string, string>
    readonly annotations?: Record<string, string>
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
  readonly ports: readonly { readonly name: string; readonly port: number }[]
  readonly endpoints: readonly { readonly addresses: readonly string[] }[]
}

const slicesIn = (namespace: string, name = '') =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices${name && `/${name}`}`

/** Wakers as the leader sees them: the slice of their Service. */
function wakers(on: On) {
  const path = slicesIn(HOME, 'dormouse-waker-test')
  const slice = (addresses: readonly string[]) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'dormouse-waker-test', labels: { 'kubernetes.io/service-name': WAKERS } },
    addressType: 'IPv4',
    ports: [],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  })
  return {
    async are(...addresses: string[]) {
      const { status } = await on().admin.send('PATCH', path, { endpoints: slice(addresses).endpoints })
      if (status === 404) await on().admin.expect('POST', slicesIn(HOME), slice(addresses))
    },
    remove: () => on().admin.send('DELETE', path),
  }
}

describeOn('slices that lead to wakers', function (on) {
  this.timeout(240_000)
  const those = wakers(on)

  before('a waker is ready, and their role is there', async () => {
    await on().admin.send('POST', RBAC, { metadata: { name: WAKERS }, rules: [] })
    // The policy asks it for the families of addresses.
    await on().admin.send('POST', SERVICES, { metadata: { name: WAKERS }, spec: { clusterIP: 'None' } })
    await those.are('10.99.0.1')
  })
  const here = enforced(on, { settings: { waker: { enabled: true, owner: WAKERS } } })

  after(async () => {
    await those.remove()
    for (const path of [RBAC, SERVICES]) await on().admin.send('DELETE', `${path}/${WAKERS}`)
  })

  async function ours(service: string): Promise<StoredSlice[]> {
    const query = `?labelSelector=${MANAGED_BY}%3Ddormouse.dev,kubernetes.io/service-name%3D${service}`
    const { items = [] } = await on().admin.expect('GET', `${slicesIn(here.namespace)}${query}`)
    return items as unknown as StoredSlice[]
  }
  const stands = (service: string, holds: (slice: StoredSlice) => boolean = () => true) =>
    eventually(`a slice of ${service}`, async () => (await ours(service)).find(holds))
  const gone = (service: string) =>
    eventually(`no slice of ${service}`, async () => (await ours(service)).length === 0)
  const service = (name: string, spec: object = {}) =>
    on().admin.expect('POST', `/api/v1/namespaces/${here.namespace}/services`, {
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }], ...spec },
    })
  const asleep = (name: string, annotations: Record<string, string> = PAGE) =>
    here.asleep('deployments', name, { replicas: 2, schedule: awakeNow(), annotations })
  const release = async (...args: string[]) => {
    const config = { controller: { lease: { namespace: HOME } } }
    const all = ['release', ...args, '--kubeconfig', on().adminKubeconfig]
    const { code, stderr } = await runDormouse(all, { config })
    expect(code, stderr).to.equal(0)
  }
  const event = (name: string, reason: string) =>
    eventually(`${reason} on ${name}`, async () =>
      (await here.events(name)).find((each) => each.reason === reason),
    )

  it('stand while a Service sleeps, go at its first ready pod, and come again with the same ports', async () => {
    await service('web')
    const web = await asleep('web')
    const { metadata, ports, endpoints } = await stands('web')
    expect(metadata.labels).to.include({ [MANAGED_BY]: 'dormouse.dev' })
    expect(metadata.annotations).to.include({ 'dormouse.dev/wakes': 'deployments/web' })
    expect(metadata.ownerReferences?.[0]).to.include({ kind: 'ClusterRole', name: WAKERS })
    expect(endpoints.map(({ addresses }) => addresses)).to.deep.equal([['10.99.0.1']])
    expect(ports[0]).to.include({ name: 'http' })
    expect(ports[0]?.port).to.be.within(20_000, 20_999)

    await web.wake()
    await gone('web')
    await web.snooze('?wait=60s')
    expect((await stands('web')).ports).to.deep.equal(ports)
  })

  it('name every waker that is ready, and all go with the last', async () => {
    await service('rolling')
    await asleep('rolling')
    const addresses = ({ endpoints }: StoredSlice) => endpoints.map((each) => each.addresses[0]).join()
    await those.are('10.99.0.1', '10.99.0.2')
    await stands('rolling', (slice) => addresses(slice) === '10.99.0.1,10.99.0.2')
    await those.are('10.99.0.2')
    await stands('rolling', (slice) => addresses(slice) === '10.99.0.2')
    await those.are()
    await gone('rolling')
    await those.are('10.99.0.1')
    await stands('rolling')
  })

  it('go when a workload opts out, and stand only where it may be woken', async () => {
    await service('opted')
    await asleep('opted')
    await stands('opted')
    await here.annotate('deployments', 'opted', { [ANNOTATION.wakeOnTraffic]: null })
    await gone('opted')
    await here.annotate('deployments', 'opted', { [ANNOTATION.wakeOnTraffic]: 'any' })
    await stands('opted', ({ metadata }) => metadata.annotations?.[ANNOTATION.wakeOnTraffic] === 'any')
    await on().admin.expect('DELETE', here.path('deployments', 'opted'))
    await gone('opted')
  })

  it('stand for a Service that is created while its workload sleeps, and go with it', async () => {
    await asleep('late')
    await service('late')
    await stands('late')
    await on().admin.expect('DELETE', `/api/v1/namespaces/${here.namespace}/services/late`)
    await gone('late')
  })

  it('are restored when somebody edits or deletes one, ever more seldom', async () => {
    await service('edited')
    await asleep('edited')
    const { metadata } = await stands('edited')
    const path = slicesIn(here.namespace, metadata.name)
    await on().admin.expect('PATCH', path, { endpoints: [] })
    await stands('edited', ({ endpoints }) => endpoints.length === 1)
    for (let times = 0; times < 4; times++) {
      await on().admin.expect('DELETE', path)
      await stands('edited')
    }
    await on().admin.expect('DELETE', path)
    expect((await event('edited', 'OtherWriter')).message).to.include('restored 5 times')
    expect(await ours('edited')).to.deep.equal([])
  })

  it('cannot stand for a headless Service: an Event and the reason say so', async () => {
    await service('headless', { clusterIP: 'None' })
    const headless = await asleep('headless')
    expect((await event('headless', 'NoWakeOnTraffic')).message).to.include('headless')
    await eventually('the reason', async () =>
      (await headless.status()).reason.includes('traffic cannot wake it'),
    )
    expect(await ours('headless')).to.deep.equal([])
    // Beside one that it can be woken by, it is no fault.
    await service('headless-too', { selector: { app: 'headless' } })
    await stands('headless-too')
    await eventually('no reason', async () => !(await headless.status()).reason.includes('traffic'))
  })

  it('do not stand beside another ready endpoint', async () => {
    await service('shared')
    await asleep('shared')
    await stands('shared')
    const other = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'shared-by-hand', labels: { 'kubernetes.io/service-name': 'shared' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.99.1.1'] }],
    }
    await on().admin.expect('POST', slicesIn(here.namespace), other)
    await gone('shared')
    await on().admin.expect('DELETE', slicesIn(here.namespace, 'shared-by-hand'))
    await stands('shared')
  })

  it('leave those in excluded namespaces alone', async () => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'web-zzzzz-dormouse-forgotten',
        labels: { 'kubernetes.io/service-name': 'forgotten', [MANAGED_BY]: 'dormouse.dev' },
      },
      addressType: 'IPv4',
      ports: [],
      endpoints: [],
    }
    const excluded = slicesIn('kube-system', slice.metadata.name)
    for (const namespace of ['kube-system', here.namespace])
      await on().admin.expect('POST', slicesIn(namespace), slice)
    await gone('forgotten')
    expect((await on().admin.send('GET', excluded)).status).to.equal(200)
    await on().admin.expect('DELETE', excluded)
  })

  it('are taken over by a new leader without a write', async () => {
    await service('kept')
    await asleep('kept')
    const before = await stands('kept')
    await here.dormouse.kill()
    await here.dormouse.start()
    // It writes this one after it has looked at those that stand.
    await service('later')
    await asleep('later')
    await stands('later')
    expect((await ours('kept'))[0]?.metadata.resourceVersion).to.equal(before.metadata.resourceVersion)
  })

  it('are all deleted by `dormouse release --all`', async () => {
    await service('released')
    await asleep('released')
    await stands('released')
    await release('--all', '--yes')
    await gone('released')
    await release('--undo')
  })
})
