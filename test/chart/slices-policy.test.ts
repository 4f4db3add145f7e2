import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { KubernetesObject } from '../control-plane/client.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { isRefused, isTaken } from './answers.ts'
import { helmIn } from './helm.ts'

const GROUP = '/apis/discovery.k8s.io/v1'
const SERVICE = 'kubernetes.io/service-name'
const MANAGER = 'endpointslice.kubernetes.io/managed-by'
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'

interface Endpoint {
  readonly addresses: readonly string[]
  readonly [field: string]: unknown
}

interface Slice {
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  }
  readonly addressType: string
  readonly ports: readonly object[]
  readonly endpoints: readonly Endpoint[]
}

interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
}

/** The account's rights are an administrator's here: what is refused, the policies refuse. */
describeOnWith(helm, "the policies on Dormouse's EndpointSlices", function (on, program) {
  this.timeout(180_000)
  const own = `slices-${randomBytes(4).toString('hex')}`
  const shop = `${own}-shop`
  const quiet = `${own}-quiet`
  const fullname = `${own}-dormouse`
  const wakers = `${fullname}-waker`
  const user = `system:serviceaccount:${own}:${fullname}`
  const { template } = helmIn(program)
  let addresses: string[] = []

  const as = (who: string) => ({ 'impersonate-user': who, 'impersonate-group': 'system:masters' })
  const path = (where = shop, name = '') => `${GROUP}/namespaces/${where}/endpointslices${name}?dryRun=All`
  const create = (slice: object, { who = user, where = shop } = {}) =>
    on().admin.send('POST', path(where), slice, as(who))
  const change = (name: string, patch: object, who = user) =>
    on().admin.send('PATCH', path(shop, `/${name}`), patch, as(who))
  const remove = (name: string, who = user) =>
    on().admin.send('DELETE', path(shop, `/${name}`), undefined, as(who))
  /** A slice that stays, by an administrator; without an owner, or the garbage collector finds that it is not there. */
  const given = (slice: object, where = shop) =>
    on().admin.expect('POST', `${GROUP}/namespaces/${where}/endpointslices`, slice)

  const endpoint = (address: string): Endpoint => ({
    addresses: [address],
    conditions: { ready: true, serving: true, terminating: false },
    nodeName: 'node-1',
    zone: 'a',
  })
  const port = (number: number, name = `p${number}`) => ({ name, port: number, protocol: 'TCP' })
  const slice = (name = 'web-zzzzz-dormouse-12345678'): Slice => ({
    metadata: {
      name,
      labels: { [SERVICE]: 'web', [MANAGER]: 'dormouse.dev' },
      annotations: { 'dormouse.dev/wake-on-traffic': 'page', 'dormouse.dev/wakes': 'deployments/web' },
      ownerReferences: [
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: wakers, uid: 'any' },
      ],
    },
    addressType: 'IPv4',
    ports: [{ ...port(20_417, 'http'), appProtocol: 'http' }, port(20_000), port(20_999)],
    endpoints: addresses.map(endpoint),
  })
  const marked = (metadata: object): Slice => {
    const { metadata: before, ...rest } = slice()
    return { ...rest, metadata: { ...before, ...metadata } }
  }
  const of = (fields: Partial<Slice>): Slice => ({ ...slice(), ...fields })

  async function wakersReady(count: number): Promise<void> {
    addresses = await eventually('the wakers to have a slice', async () => {
      const query = `?labelSelector=${encodeURIComponent(`${SERVICE}=${wakers}`)}`
      const { items = [] } = await on().admin.expect(
        'GET',
        `${GROUP}/namespaces/${own}/endpointslices${query}`,
      )
      const found = (items as (KubernetesObject & { endpoints?: Endpoint[] })[]).flatMap(
        ({ endpoints }) => endpoints ?? [],
      )
      return found.length === count && found.flatMap((each) => each.addresses)
    })
    await eventually('the API server to know them', async () => (await create(slice())).status === 201)
  }

  /** Policies of the tests' account judge all slices of ours: without its wakers they refuse every one. */
  async function othersHaveWakers(): Promise<void> {
    const metadata = { name: 'dormouse-waker', labels: { [SERVICE]: 'dormouse-waker' } }
    const none = { metadata, addressType: 'IPv4', ports: [], endpoints: [] }
    const home = '/api/v1/namespaces/dormouse/services'
    await on().admin.send('POST', home, { metadata, spec: { clusterIP: 'None' } })
    await on().admin.send('POST', `${GROUP}/namespaces/dormouse/endpointslices`, none)
  }

  before('wakers run, and the policies hold', async () => {
    await othersHaveWakers()
    for (const name of [own, shop, quiet])
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
    const config = { waker: { enabled: true }, excludeNamespaces: [quiet] }
    const objects = await template({ config }, { name: own, namespace: own })
    const kept = objects.filter(({ metadata: { name } }) => /-waker$|-slices/.test(name))
    expect((await on().kubectl.withFile('create', kept)).stderr).to.equal('')
    for (const [part, forged] of [
      ['', marked({ finalizers: ['example.com/stay'] })],
      ['-addresses', of({ endpoints: [endpoint('192.0.2.7')] })],
      ['-families', of({ addressType: 'IPv6' })],
    ] as const)
      await eventually(`the policy ${part} to hold`, async () => {
        const { body } = await create(forged)
        return body.message?.includes(`${fullname}-slices${part}'`)
      })
    await wakersReady(2)
  })

  after(async () => {
    const kinds = 'clusterrole,clusterrolebinding,validatingadmissionpolicy,validatingadmissionpolicybinding'
    await on().kubectl('delete', kinds, '-l', `app.kubernetes.io/instance=${own}`)
    for (const name of [own, shop, quiet]) await on().admin.expect('DELETE', `/api/v1/namespaces/${name}`)
    await on().admin.send('DELETE', '/api/v1/namespaces/dormouse/services/dormouse-waker')
    await on().admin.send('DELETE', `${GROUP}/namespaces/dormouse/endpointslices/dormouse-waker`)
  })

  it('let it lead traffic to wakers, by either style of endpoints', async () => {
    await isTaken(create(slice()))
    const conditions = { ready: false, serving: true, terminating: true }
    await isTaken(create(of({ endpoints: addresses.map((each) => ({ ...endpoint(each), conditions })) })))
    await isTaken(create(of({ endpoints: [endpoint(addresses[1] ?? '')] })), 'to one of them')
    await isTaken(create(of({ endpoints: [] })), 'to nobody')
    await isTaken(create(marked({ ownerReferences: undefined })), 'without an owner')
  })

  it('let it lead traffic nowhere else', async () => {
    const says = 'may name addresses of wakers only'
    for (const [what, endpoints] of Object.entries({
      'another pod': [endpoint('10.64.200.200')],
      'a machine outside': [endpoint('192.0.2.7')],
      'a waker and another': [...addresses, '192.0.2.7'].map(endpoint),
      'another as the second address': [{ ...endpoint(''), addresses: [addresses[0] ?? '', '192.0.2.7'] }],
    })) {
      await isRefused(create(of({ endpoints })), says, what)
      await isTaken(create(of({ endpoints }), { who: 'somebody' }), what)
    }
    const family = 'may have an address family of wakers only'
    await isRefused(create(of({ addressType: 'IPv6', endpoints: [endpoint('2001:db8::7')] })), family)
    const name = { ...endpoint(''), addresses: ['example.com'] }
    await isRefused(create(of({ addressType: 'FQDN', endpoints: [name] })), family)
  })

  it('let it write no slice of others, nor make one its own', async () => {
    const says = 'named …zzzzz-dormouse-… that dormouse.dev manages only'
    const theirs = { [SERVICE]: 'web', [MANAGER]: 'endpointslice-controller.k8s.io' }
    for (const [what, metadata] of Object.entries({
      'another name': { name: 'web-12345678' },
      'a name that only begins alike': { name: 'dormous-web' },
      'a name that the API server makes': { name: undefined, generateName: 'web-' },
      'another manager': { labels: theirs },
      'no manager': { labels: { [SERVICE]: 'web' } },
    }))
      await isRefused(create(marked(metadata)), says, what)
    await given({ ...slice('web-abcde'), metadata: { name: 'web-abcde', labels: theirs } })
    await given({
      ...slice('web-zzzzz-dormouse-abcde'),
      metadata: { name: 'web-zzzzz-dormouse-abcde', labels: theirs },
    })
    for (const name of ['web-abcde', 'web-zzzzz-dormouse-abcde']) {
      await isRefused(change(name, { endpoints: [] }), says, name)
      await isRefused(change(name, { metadata: { labels: slice().metadata.labels } }), says, name)
      await isRefused(remove(name), says, name)
      await isTaken(remove(name, 'somebody'), name)
    }
    const all = on().admin.send('DELETE', path(), undefined, as(user))
    await isRefused(all, says, 'all at once')
  })

  it('let no tenant forge, edit or relabel one of its slices, though it may write those of others', async () => {
    const tenant = { 'impersonate-user': 'tina' }
    const send = (method: 'POST' | 'PATCH', body: object, name = '') =>
      on().admin.send(method, path(shop, name && `/${name}`), body, tenant)
    const says = 'managed by dormouse.dev are written by Dormouse only'
    const labels = { [SERVICE]: 'web', [MANAGER]: 'me' }
    await on().kubectl('create', 'role', 'slices', '-n', shop, '--verb=*', '--resource=endpointslices')
    await on().kubectl('create', 'rolebinding', 'tina', '-n', shop, '--role=slices', '--user=tina')
    await eventually('its right', async () => (await send('POST', marked({ labels }))).status === 201)
    await isRefused(send('POST', slice()), says, 'a forged one')
    await isRefused(send('POST', marked({ name: 'any-name' })), says, 'by another name')
    for (const [name, by] of [
      ['real-zzzzz-dormouse-12345678', 'dormouse.dev'],
      ['web-of-tina', 'me'],
    ] as const)
      await given(marked({ name, labels: { ...labels, [MANAGER]: by }, ownerReferences: undefined }))
    await isRefused(send('PATCH', { ports: [port(20_500)] }, 'real-zzzzz-dormouse-12345678'), says, 'an edit')
    const relabelled = { metadata: { labels: { [MANAGER]: 'dormouse.dev' } } }
    await isRefused(send('PATCH', relabelled, 'web-of-tina'), says, 'one of its own')
    await isTaken(send('PATCH', { ports: [port(20_500)] }, 'web-of-tina'))
  })

  it('let it change and delete its own, within the same bounds', async () => {
    const { name } = slice('own-zzzzz-dormouse-12345678').metadata
    await given(marked({ name, ownerReferences: undefined }))
    await isTaken(change(name, { endpoints: addresses.slice(0, 1).map(endpoint) }))
    await isTaken(change(name, { ports: [port(20_500)] }))
    await isRefused(change(name, { endpoints: [endpoint('192.0.2.7')] }), 'addresses of wakers only')
    await isRefused(change(name, { ports: [port(443)] }), 'ports of waker.ports only')
    await isRefused(
      change(name, { metadata: { labels: { [MANAGER]: 'me' } } }),
      'that dormouse.dev manages only',
    )
    await isTaken(remove(name))
  })

  it('let it name no port but those of the range, and mark nothing beyond what it needs', async () => {
    const ports = 'may name ports of waker.ports only: TCP, 20000 to 20999'
    const marks = 'labels of their Service and of dormouse.dev only'
    const owner = `may have no owner but ClusterRole ${wakers}`
    const parts = 'addresses, conditions, node and zone only'
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: wakers, uid: 'any' }
    const [address = ''] = addresses
    for (const [what, body, says] of [
      ['a port below', of({ ports: [port(19_999)] }), ports],
      ['a port above', of({ ports: [port(20_417), port(21_000)] }), ports],
      ['UDP', of({ ports: [{ ...port(20_417), protocol: 'UDP' }] }), ports],
      ['any port', of({ ports: [{ name: 'http' }] }), ports],
      ['no port', of({ ports: [] }), ports],
      ['one more label', marked({ labels: { ...slice().metadata.labels, team: 'x' } }), marks],
      ['no Service', marked({ labels: { [MANAGER]: 'dormouse.dev' } }), marks],
      ['an annotation', marked({ annotations: { 'example.com/x': '' } }), marks],
      ['a finalizer', marked({ finalizers: ['example.com/stay'] }), marks],
      ['another owner', marked({ ownerReferences: [{ ...role, name: 'other' }] }), owner],
      ['one owner more', marked({ ownerReferences: [role, { ...role, uid: 'x', kind: 'Role' }] }), owner],
      ['a host name', of({ endpoints: [{ ...endpoint(address), hostname: 'db' }] }), parts],
      ['a pod', of({ endpoints: [{ ...endpoint(address), targetRef: { kind: 'Pod', name: 'x' } }] }), parts],
      ['hints', of({ endpoints: [{ ...endpoint(address), hints: { forZones: [{ name: 'a' }] } }] }), parts],
    ] as const) {
      await isRefused(create(body), says, what)
      await isTaken(create(body, { who: 'somebody' }), what)
    }
  })

  it('keep it out of excluded namespaces, its own with the slices that say who is a waker, and off the API server', async () => {
    for (const where of ['kube-system', quiet, own])
      await isRefused(create(slice(), { where }), 'no EndpointSlices in excluded namespaces', where)
    const forged = marked({ labels: { [SERVICE]: wakers, [MANAGER]: 'dormouse.dev' } })
    await isRefused(create(forged, { where: own }), 'no EndpointSlices in excluded namespaces')
    const api = marked({ labels: { [SERVICE]: 'kubernetes', [MANAGER]: 'dormouse.dev' } })
    await isRefused(create(api, { where: 'default' }), 'no EndpointSlices of the API server')
    await isTaken(create(slice(), { where: 'default' }), 'another Service there')
  })

  it('give the wakers no right but to read EndpointSlices, beside what every account has', async () => {
    const rulesOf = async (name: string, namespace: string) => {
      const who = `system:serviceaccount:${own}:${name}`
      const { status } = await on().admin.expect(
        'POST',
        REVIEWS,
        { spec: { namespace } },
        {
          'impersonate-user': who,
          'impersonate-group': 'system:serviceaccounts',
        },
      )
      const rules = status?.['resourceRules'] as ResourceRule[]
      return rules.map((rule) => JSON.stringify(rule))
    }
    for (const where of [own, shop, 'kube-system']) {
      const anybody = await rulesOf('default', where)
      const more = (await rulesOf(wakers, where)).filter((rule) => !anybody.includes(rule))
      const [rule, ...others] = more.map((each) => JSON.parse(each) as ResourceRule)
      expect(others).to.deep.equal([])
      expect(rule).to.deep.include({ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] })
      expect(rule?.verbs).to.have.members(['list', 'watch'])
    }
  })

  it('agree with slices of wakers in a second family, and still with none of a family that the Service has not', async () => {
    const labels = { [SERVICE]: wakers, [MANAGER]: 'somebody' }
    const six = {
      metadata: { name: 'six', labels },
      addressType: 'IPv6',
      ports: [],
      endpoints: [endpoint('2001:db8::7')],
    }
    await given(six, own)
    await isRefused(
      create(of({ addressType: 'IPv6', endpoints: [endpoint('2001:db8::7')] })),
      'may have an address family of wakers only',
    )
    await isTaken(create(slice()))
    await on().admin.expect('DELETE', `${GROUP}/namespaces/${own}/endpointslices/six`)
  })

  it('refuse everything while somebody else says who is a waker, too', async () => {
    const labels = { [SERVICE]: wakers, [MANAGER]: 'somebody' }
    const other = {
      metadata: { name: 'other', labels },
      addressType: 'IPv4',
      ports: [],
      endpoints: [endpoint('192.0.2.7')],
    }
    await given(other, own)
    await eventually('it to be refused', async () => (await create(slice())).status === 422)
    await isRefused(create(of({ endpoints: [endpoint('192.0.2.7')] })), 'addresses of wakers only')
    await on().admin.expect('DELETE', `${GROUP}/namespaces/${own}/endpointslices/other`)
    await eventually('it to be taken', async () => (await create(slice())).status === 201)
  })

  it('judge 100 ports and 100 wakers within the budget that the API server gives them', async () => {
    await on().kubectl('scale', `deployment/${wakers}`, '-n', own, '--replicas=100')
    await wakersReady(100)
    const ports = Array.from({ length: 100 }, (_, at) => port(20_000 + at))
    await isTaken(create(of({ ports })))
    const forged = [...addresses.slice(1), '192.0.2.7'].map(endpoint)
    await isRefused(create(of({ ports, endpoints: forged })), 'addresses of wakers only')
  })

  it('have expressions that the API server accepts', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
    for (const part of ['', '-addresses', '-families', '-forged']) {
      const checked = await eventually('the types to be checked', async () => {
        const { status } = await on().admin.expect('GET', `${policies}/${fullname}-slices${part}`)
        return status?.['typeChecking'] as { expressionWarnings?: unknown } | undefined
      })
      expect(checked.expressionWarnings).to.equal(undefined)
    }
  })

  it('refuse every slice once nobody says who is a waker, but let it delete its own', async () => {
    const { name } = slice('left-zzzzz-dormouse-12345678').metadata
    await given(marked({ name, ownerReferences: undefined }))
    await on().kubectl('delete', 'service', wakers, '-n', own)
    await eventually('it to be refused', async () => {
      const { status, body } = await create(of({ endpoints: [] }))
      return status === 422 && body.message?.includes('no params found')
    })
    await isTaken(remove(name))
  })

  // A first waker could not come, nor any pod behind any Service.
  it('leave the slices of others alone then', async () => {
    const controller = 'system:serviceaccount:kube-system:endpointslice-controller'
    const others = marked({
      name: 'web-other',
      labels: { [SERVICE]: 'web', [MANAGER]: 'endpointslice-controller.k8s.io' },
    })
    await isTaken(create(of({ ...others, endpoints: [endpoint('10.64.0.9')] }), { who: controller }))
  })
})
