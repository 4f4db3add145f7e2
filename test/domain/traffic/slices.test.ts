import { expect } from 'chai'
import {
  isWithoutPage,
  noTrafficOf,
  selects,
  type Service,
  type ServicePort,
} from '../../../src/domain/traffic/service.ts'
import { plannedSlices, sliceName, type Selected, type Traffic } from '../../../src/domain/traffic/slices.ts'

const HTTP: ServicePort = { name: 'http', port: 80, protocol: 'TCP' }
const HTTPS: ServicePort = { name: 'https', port: 443, protocol: 'TCP' }
const SERVICE: Service = {
  namespace: 'shop',
  name: 'web',
  uid: 'a',
  type: 'ClusterIP',
  isHeadless: false,
  selector: { app: 'web' },
  families: ['IPv4'],
  ports: [HTTP],
}
const PORTS = new Map([
  ['http', 20_001],
  ['https', 20_002],
])
const TAG = '0a1b2c3d'
const STYLE = { endpoints: 'ready' } as const
const POD = 'web-5d4f8c7b9d-x7k2p'
const asleep: Selected = { kind: 'deployments', name: 'web', isAsleep: true, wantsPods: false, mode: 'page' }
const waking: Selected = { ...asleep, isAsleep: false, wantsPods: true }
const idle: Selected = { ...asleep, name: 'blue', isAsleep: false, mode: 'off' }
const db: Selected = { ...asleep, kind: 'statefulsets', name: 'db' }
const TRAFFIC: Traffic = {
  service: SERVICE,
  selected: [asleep],
  readyPods: [],
  wakers: [{ address: '10.1.2.3', family: 'IPv4', nodeName: 'n', zone: 'z' }],
  stands: false,
}
const planned = (change: Partial<Traffic> = {}, style: Parameters<typeof plannedSlices>[2] = STYLE) => {
  const slices = plannedSlices({ ...TRAFFIC, ...change }, () => ({ ports: PORTS, tag: TAG }), style)
  if (!slices) throw new TypeError('it had numbers for its ports')
  return slices
}
const ofService = (change: Partial<Service>) => ({ ...SERVICE, ...change })

describe('the slices of a Service that sleeps', () => {
  it('ask for numbers only where there are some, and are unknown without', () => {
    const none = () => undefined
    expect(plannedSlices(TRAFFIC, none, STYLE)).to.equal(undefined)
    expect(plannedSlices({ ...TRAFFIC, wakers: [] }, none, STYLE)).to.deep.equal([])
  })

  it('lead its traffic to the wakers, and tell them what it wakes', () => {
    const owner = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name: 'dormouse',
      uid: 'r',
    }
    expect(planned({}, { ...STYLE, owner })).to.deep.equal([
      {
        metadata: {
          name: 'web-zzzzz-dormouse-0a1b2c3d-4',
          namespace: 'shop',
          labels: {
            'kubernetes.io/service-name': 'web',
            'endpointslice.kubernetes.io/managed-by': 'dormouse.dev',
          },
          annotations: { 'dormouse.dev/wake-on-traffic': 'page', 'dormouse.dev/wakes': 'deployments/web' },
          ownerReferences: [owner],
        },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 20_001, protocol: 'TCP' }],
        endpoints: [
          {
            addresses: ['10.1.2.3'],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: 'n',
            zone: 'z',
          },
        ],
      },
    ])
  })

  it('say fallback by conditions', () => {
    expect(planned({}, { endpoints: 'fallback' })[0]?.endpoints[0]?.conditions).to.deep.equal({
      ready: false,
      serving: true,
      terminating: true,
    })
  })

  const cases: [rule: string, change: Partial<Traffic>, stands: boolean][] = [
    ['stand while each of several workloads sleeps', { selected: [asleep, db] }, true],
    ['do not begin while one is awake', { selected: [asleep, { ...waking, name: 'db' }] }, false],
    ['begin beside one that is awake and wants no pods', { selected: [asleep, idle] }, true],
    ['do not stand where nothing opted in', { selected: [{ ...asleep, mode: 'off' }], stands: true }, false],
    ['stay while it wakes', { selected: [waking], stands: true }, true],
    ['go when its first pod is ready', { selected: [waking], stands: true, readyPods: [POD] }, false],
    ['go when it wants no pods any more', { selected: [{ ...idle, mode: 'any' }], stands: true }, false],
    ["ignore a sleeper's pods that are about to end", { readyPods: [POD] }, true],
    ['leave a Service with another ready endpoint alone', { readyPods: ['webhook'] }, false],
    ['leave one alone with a pod whose name begins alike', { readyPods: ['web-agent-x7k2p'] }, false],
    ['leave one alone with a bare pod whose name begins alike', { readyPods: ['web-debug'] }, false],
    ['know pods of a StatefulSet by their number', { selected: [db], readyPods: ['db-12'] }, true],
    ['know no others by it', { selected: [db], readyPods: ['db-exporter-0'] }, false],
    ['do not stand without a waker', { wakers: [], stands: true }, false],
    ['do not stand for a headless Service', { service: ofService({ isHeadless: true }) }, false],
    ['need a waker of a family of the Service', { service: ofService({ families: ['IPv6'] }) }, false],
  ]
  for (const [rule, change, stands] of cases)
    it(rule, () => {
      expect(planned(change)).to.have.length(stands ? 1 : 0)
    })

  it('have the same ports in both families', () => {
    const wakers = [...TRAFFIC.wakers, { address: 'fd00::3', family: 'IPv6' as const }]
    const slices = planned({ service: ofService({ families: ['IPv6', 'IPv4'] }), wakers })
    expect(slices.map(({ addressType }) => addressType)).to.deep.equal(['IPv4', 'IPv6'])
    expect(slices[0]?.ports).to.deep.equal(slices[1]?.ports)
    expect(slices[0]?.metadata.name).not.to.equal(slices[1]?.metadata.name)
  })

  it('have the strongest mode, and name the ports on which no page can be shown', () => {
    const service = ofService({ ports: [HTTP, HTTPS] })
    const annotations = (...modes: Selected['mode'][]) =>
      planned({ service, selected: modes.map((mode) => ({ ...asleep, mode })) })[0]?.metadata.annotations
    expect(annotations('button', 'page')).to.include({
      'dormouse.dev/wake-on-traffic': 'page',
      'dormouse.dev/raw-ports': 'https',
    })
    expect(annotations('page', 'connect')).to.include({ 'dormouse.dev/wake-on-traffic': 'connect' })
    expect(annotations('any')).not.to.have.property('dormouse.dev/raw-ports')
  })

  it("have names that begin as those of Kubernetes' own, by which ingress-nginx finds them, and come after these", () => {
    for (const name of ['web', 'w'.repeat(57), 'w'.repeat(58), 'w'.repeat(63)]) {
      const own = sliceName({ name }, 'IPv4', TAG)
      const begins = `${name}-`.slice(0, 58)
      expect(own).to.match(/zzzzz-dormouse-0a1b2c3d-4$/)
      expect(own.startsWith(begins) && own > `${begins}zzzzz`, own).to.equal(true)
    }
  })
})

describe('a Service', () => {
  it('selects pods that have all its labels', () => {
    expect(selects(SERVICE, { app: 'web', tier: 'front' })).to.equal(true)
    expect(selects(SERVICE, { app: 'db' })).to.equal(false)
    expect(selects({ selector: {} }, { app: 'web' })).to.equal(false)
  })

  it('selects a template without the labels that controllers add to its pods, as Argo Rollouts has it', () => {
    const rollout = { app: 'web', 'rollouts-pod-template-hash': '5948f9ff6d' }
    const pod = { app: 'db', 'statefulset.kubernetes.io/pod-name': 'db-0' }
    expect(selects({ selector: rollout }, { app: 'web' })).to.equal(true)
    expect(selects({ selector: rollout }, { app: 'db' })).to.equal(false)
    expect(selects({ selector: pod }, { app: 'db' })).to.equal(true)
    // Nothing says whose pod it is.
    expect(selects({ selector: { 'rollouts-pod-template-hash': '5948f9ff6d' } }, { app: 'web' })).to.equal(
      false,
    )
  })

  it('tells why traffic to it wakes nothing', () => {
    const udp = { ...HTTP, protocol: 'UDP' }
    const many = Array.from({ length: 101 }, (_, index) => ({ ...HTTP, name: `p${index}` }))
    expect(noTrafficOf(SERVICE)).to.equal(undefined)
    expect(noTrafficOf(ofService({ type: 'ExternalName' }))).to.include('a name for another host')
    expect(noTrafficOf(ofService({ isHeadless: true }))).to.include('headless')
    expect(noTrafficOf(ofService({ selector: undefined }))).to.include('no selector')
    expect(noTrafficOf(ofService({ ports: [udp] }))).to.include('no TCP port')
    expect(noTrafficOf(ofService({ ports: many }))).to.include('more than 100 TCP ports')
  })

  it('shows no page where TLS or HTTP/2 is spoken, by number or name unless a protocol is named', () => {
    const without = (change: Partial<ServicePort>) => isWithoutPage({ ...HTTP, ...change })
    expect([{ appProtocol: 'HTTPS' }, { port: 8443 }, { name: 'https-api' }].map(without)).to.not.include(
      false,
    )
    expect([{ appProtocol: 'kubernetes.io/h2c' }, { appProtocol: 'h2c' }].map(without)).to.not.include(false)
    const http = [
      {},
      { port: 443, appProtocol: 'http' },
      { appProtocol: 'kubernetes.io/ws' },
      { name: 'grpc-web' },
    ]
    expect(http.map(without)).to.not.include(true)
  })
})
