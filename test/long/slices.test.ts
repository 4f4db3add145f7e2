import { expect } from 'chai'
import { setTimeout as pause } from 'node:timers/promises'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import type { Client } from '../control-plane/client.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { printFigures } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

const HOME = 'dormouse'
const WAKERS = 'dormouse-waker'
const SERVICES = 1000
const OWN = 'labelSelector=endpointslice.kubernetes.io/managed-by%3Ddormouse.dev'

interface Heard {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec?: { readonly replicas?: number }
}

const asleepName = ({ metadata, spec }: Heard) => (spec?.replicas === 0 ? metadata.name : undefined)
const madeFor = ({ metadata: { labels = {} } }: Heard) =>
  labels['endpointslice.kubernetes.io/managed-by'] === 'dormouse.dev'
    ? labels['kubernetes.io/service-name']
    : undefined

/** When a watch first tells of each name, by `performance.now()`. */
function heard(client: Client, path: string, nameOf: (object: Heard) => string | undefined) {
  const at = new Map<string, number>()
  const stopped = new AbortController()
  const watch = async () => {
    for await (const line of client.lines(`${path}?watch=true&timeoutSeconds=3600`, stopped.signal)) {
      const name = nameOf((JSON.parse(line) as { object: Heard }).object)
      if (name !== undefined && !at.has(name)) at.set(name, performance.now())
    }
  }
  watch().catch(() => {})
  return { at, stop: () => stopped.abort() }
}

/** Figures are printed; the bars are those of an idle machine, so only counts are asserted. */
describeOn('1,000 sleeping Services', function (on) {
  this.timeout(1_200_000)
  const slices = (namespace: string, name = '') =>
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices${name && `/${name}`}`
  const endpoints = (...addresses: string[]) =>
    addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }))
  const slice = (name: string, service: string, labels: object = {}) => ({
    metadata: { name, labels: { 'kubernetes.io/service-name': service, ...labels } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 20_000, protocol: 'TCP' }],
    endpoints: endpoints('10.99.0.1'),
  })
  const services = `/api/v1/namespaces/${HOME}/services`

  before('a waker is ready', async () => {
    await on().admin.send('POST', services, { metadata: { name: WAKERS }, spec: { clusterIP: 'None' } })
    await on().admin.expect('POST', slices(HOME), slice('dormouse-waker-test', WAKERS))
  })
  const here = enforced(on, { settings: { waker: { enabled: true } } })
  after(async () => {
    await on().admin.send('DELETE', slices(HOME, 'dormouse-waker-test'))
    await on().admin.send('DELETE', `${services}/${WAKERS}`)
  })

  const names = Array.from({ length: SERVICES }, (_, index) => `web-${index}`)
  const writes = async (since: number) => {
    const requests = await on().requestsSince(since)
    return requests.filter(({ verb, url }) => verb === 'write' && url.includes('zzzzz-dormouse-')).length
  }
  const all = async (holds: (each: { endpoints: readonly object[] }) => boolean) => {
    const { items = [] } = await on().admin.expect(
      'GET',
      `${slices(here.namespace)}?${OWN}&resourceVersion=0`,
    )
    return (items as unknown as { endpoints: readonly object[] }[]).filter(holds).length === SERVICES
  }

  it('have their slices soon, one write each per change of wakers, and none at rest', async () => {
    const annotations = { [ANNOTATION.wakeOnTraffic]: 'page', [ANNOTATION.enabled]: 'true' }
    const namespace = `/api/v1/namespaces/${here.namespace}`
    const hours = (schedule: string) => ({
      metadata: { annotations: { ...annotations, [ANNOTATION.schedule]: schedule } },
    })
    await on().admin.expect('PATCH', namespace, hours(awakeNow()))
    await inParallel(names, async (name) => {
      const spec = { selector: { app: name }, ports: [{ name: 'http', port: 80 }] }
      await on().admin.expect('POST', `${namespace}/services`, { metadata: { name }, spec })
      await on().create(here.namespace, [manifest('deployments', name, { paused: true })])
    })
    await pause(5000)

    const sleeps = heard(on().admin, `/apis/apps/v1/namespaces/${here.namespace}/deployments`, asleepName)
    const made = heard(on().admin, slices(here.namespace), madeFor)
    const edge = performance.now()
    await on().admin.expect('PATCH', namespace, hours(asleepNow()))
    await eventually('all slices', () => made.at.size === SERVICES, { timeout: 300_000 })
    const stood = performance.now() - edge
    for (const each of [sleeps, made]) each.stop()
    const behind = names.map((name) => (made.at.get(name) ?? 0) - (sleeps.at.get(name) ?? 0))
    printFigures('a slice after its own sleep', [{ name: 'milliseconds', values: behind }])

    const bare = performance.now()
    await inParallel(
      names,
      (name) => on().admin.expect('POST', slices(here.namespace), slice(`bare-${name}`, 'nobody')),
      12,
    )
    const created = performance.now() - bare
    process.stdout.write(
      `    edge to ${SERVICES} slices (with their sleeps): ${Math.round(stood)} ms; ${SERVICES} bare creates: ${Math.round(created)} ms\n`,
    )

    for (const addresses of [['10.99.0.1', '10.99.0.2'], ['10.99.0.2']]) {
      await pause(1100)
      const since = Date.now()
      const began = performance.now()
      await on().admin.expect('PATCH', slices(HOME, 'dormouse-waker-test'), {
        endpoints: endpoints(...addresses),
      })
      await eventually('all rewritten', () => all((each) => each.endpoints.length === addresses.length), {
        timeout: 300_000,
        pause: 200,
      })
      process.stdout.write(`    a change of wakers: ${Math.round(performance.now() - began)} ms\n`)
      await pause(3000)
      expect(await writes(since)).to.equal(SERVICES)
    }

    const rest = Date.now()
    await pause(60_000)
    const requests = (await on().requestsSince(rest)).filter(({ url }) =>
      /endpointslices|\/services/.test(url),
    )
    expect(
      requests.filter(({ verb }) => verb !== 'watch').map(({ verb, url }) => `${verb} ${url}`),
    ).to.deep.equal([])
  })
})
