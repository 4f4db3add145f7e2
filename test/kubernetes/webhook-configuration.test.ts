import { expect } from 'chai'
import { createLogger } from '../../src/logger.ts'
import type { HttpTransport } from '../../src/kubernetes/http.ts'
import type { MutatingWebhook } from '../../src/kubernetes/mutating-webhooks.ts'
import {
  deleteWebhookConfiguration,
  WebhookRegistration,
  type WebhookRegistrationOptions,
} from '../../src/kubernetes/webhook-configuration.ts'
import { clientFor, FakeApiServer, silentLog, transportTo, until } from './fake-api-server.ts'
import { FakeCollection } from './fake-collection.ts'

const PATH = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const SERVICE = { namespace: 'dormouse', name: 'dormouse', port: 443 }
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('the webhook configuration', () => {
  let server: FakeApiServer
  let transport: HttpTransport
  let configurations: FakeCollection
  let namespaces: FakeCollection
  let registration: WebhookRegistration
  let bundle: string
  let published: string[]
  let changed: () => void

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    transport = transportTo(server.url)
    configurations = new FakeCollection(PATH)
    namespaces = new FakeCollection('/api/v1/namespaces')
    namespaces.put({ metadata: { name: 'dormouse', uid: 'of-the-namespace' } })
    server.handler = (received, response) =>
      void (configurations.take(received, response) || namespaces.take(received, response))
    bundle = 'CA 1'
    published = []
  })

  afterEach(async () => {
    await registration.stop()
    await transport.close()
    await server.stop()
  })

  const open = (options: Partial<WebhookRegistrationOptions>) => {
    registration = new WebhookRegistration({
      client: clientFor(transport),
      log: silentLog,
      caBundle: () => bundle,
      onCaBundle: (listener) => {
        changed = listener
        return () => (changed = () => {})
      },
      onPublished: (text) => void published.push(text),
      url: null,
      service: null,
      ownNamespace: undefined,
      excludeNamespaces: ['kube-system', 'dormouse'],
      exemptUsers: ["o'brien"],
      delay: async () => {},
      ...options,
    })
    return registration.start()
  }
  const outside = () => open({ url: 'https://hooks.example:8443/base/' })
  const inside = () => open({ service: SERVICE, ownNamespace: 'dormouse' })
  const asTheChartHasIt = () =>
    configurations.put({
      metadata: { name: 'dormouse', labels: { from: 'chart' } },
      webhooks: [{ name: 'scale.dormouse.dev', clientConfig: { service: SERVICE }, failurePolicy: 'Ignore' }],
    })
  const webhooks = () => (configurations.objects.get('dormouse')?.['webhooks'] ?? []) as MutatingWebhook[]
  const policies = () => webhooks().map(({ failurePolicy }) => failurePolicy)
  const bundles = () => webhooks().map(({ clientConfig }) => clientConfig.caBundle)
  const settled = () => until(() => policies().join() === 'Fail,Ignore')
  const writes = () => server.received.filter(({ method }) => method === 'PATCH' || method === 'POST')

  it('is made outside a cluster: Ignore first, then Fail for scaling alone', async () => {
    await outside()
    await settled()
    const [created, ...patches] = writes().map(({ body }) => JSON.parse(body))
    expect(created.webhooks.map((each: MutatingWebhook) => each.failurePolicy)).to.deep.equal([
      'Ignore',
      'Ignore',
    ])
    expect(patches).to.have.length(1)
    expect(webhooks().map(({ clientConfig }) => clientConfig)).to.deep.equal([
      { caBundle: base64('CA 1'), url: 'https://hooks.example:8443/base/webhook/scale' },
      { caBundle: base64('CA 1'), url: 'https://hooks.example:8443/base/webhook/workloads' },
    ])
    for (const { query } of writes()) expect(query.get('fieldManager')).to.equal('dormouse')
  })

  it('brought by the chart is given its bundle, its rules and its owner before it turns to Fail', async () => {
    asTheChartHasIt()
    await inside()
    await settled()
    const [first] = writes().map(({ body }) => JSON.parse(body))
    const { value } = first.find(({ path }: { path: string }) => path === '/webhooks')
    expect(value.map((each: MutatingWebhook) => each.failurePolicy)).to.deep.equal(['Ignore', 'Ignore'])
    const { metadata } = configurations.objects.get('dormouse')!
    expect(metadata['labels']).to.deep.equal({ from: 'chart' })
    expect(metadata['ownerReferences']).to.deep.equal([
      { apiVersion: 'v1', kind: 'Namespace', name: 'dormouse', uid: 'of-the-namespace' },
    ])
    expect(webhooks()[0]?.clientConfig).to.deep.equal({
      caBundle: base64('CA 1'),
      service: { ...SERVICE, path: '/webhook/scale' },
    })
  })

  it('stays, or is put, at Ignore where that is asked for', async () => {
    await outside()
    await settled()
    await registration.stop()
    await open({ url: 'https://hooks.example:8443/base/', failurePolicy: 'Ignore' })
    await until(() => policies().join() === 'Ignore,Ignore')
  })

  it('names no namespaces where none is excluded: an expression without values is refused', async () => {
    await open({ url: 'https://hooks.example:8443/', excludeNamespaces: [] })
    await settled()
    expect(webhooks().map((each) => each['namespaceSelector'])).to.deep.equal([{}, {}])
  })

  it('is not written again when it is right', async () => {
    await outside()
    await settled()
    await registration.stop()
    const before = writes().length
    await registration.start()
    await until(() => published.length > 1)
    configurations.put(configurations.objects.get('dormouse')!)
    await until(() => published.length > 2)
    expect(writes()).to.have.length(before)
  })

  it('is put right at once after an edit by hand', async () => {
    await outside()
    await settled()
    const right = structuredClone(webhooks())
    const object = configurations.objects.get('dormouse')!
    const [scale] = right
    configurations.put({
      ...object,
      webhooks: [{ ...scale, rules: [], failurePolicy: 'Ignore', clientConfig: { url: 'https://else' } }],
    })
    await until(() => JSON.stringify(webhooks()) === JSON.stringify(right))
  })

  it('follows the bundle, stays at Fail meanwhile, and says when the new one is published', async () => {
    await outside()
    await settled()
    bundle = 'CA 1 CA 2'
    changed()
    await until(() => published.includes(bundle))
    expect(bundles()).to.deep.equal([base64(bundle), base64(bundle)])
    expect(policies()).to.deep.equal(['Fail', 'Ignore'])
  })

  it('is made anew outside a cluster when it was deleted', async () => {
    await outside()
    await settled()
    configurations.delete('dormouse')
    await settled()
  })

  it('is not made inside a cluster, where the chart brings it', async () => {
    await inside()
    await until(() => configurations.watches.size === 1)
    configurations.put({ metadata: { name: 'another' } })
    asTheChartHasIt()
    await settled()
    expect(server.received.some(({ method }) => method === 'POST')).to.equal(false)
  })

  it('is left alone once its Namespace is going', async () => {
    asTheChartHasIt()
    namespaces.put({
      metadata: { name: 'dormouse', uid: 'of-the-namespace', deletionTimestamp: '2026-01-01T00:00:00Z' },
    })
    await inside()
    await until(() => server.received.some(({ path }) => path === '/api/v1/namespaces/dormouse'))
    await until(() => configurations.watches.size === 1)
    await registration.stop()
    expect(writes()).to.deep.equal([])
  })

  it('is not made anew once its Namespace is going', async () => {
    await open({ url: 'https://hooks.example', ownNamespace: 'dormouse' })
    await settled()
    namespaces.delete('dormouse')
    configurations.delete('dormouse')
    const asked = () => server.received.filter(({ path }) => path === '/api/v1/namespaces/dormouse').length
    const before = asked()
    await until(() => asked() > before)
    await registration.stop()
    expect(configurations.objects.size).to.equal(0)
  })

  it('is tried again after a refusal, and another hand in between is no failure', async () => {
    let refusals = 2
    configurations.refuse = ({ method }, response) => {
      if (method !== 'POST' || refusals-- <= 0) return false
      response.writeHead(refusals === 1 ? 403 : 500).end('{}')
      return true
    }
    await outside()
    await settled()
  })

  it('says that it was written only when it was', async () => {
    const logged: string[] = []
    const refused: string[] = []
    configurations.refuse = ({ method }, response) => {
      // Once each: somebody else was first, and somebody deleted it.
      if (!['POST', 'PATCH'].includes(method) || refused.includes(method)) return false
      refused.push(method)
      if (method === 'POST') asTheChartHasIt()
      else configurations.delete('dormouse')
      response.writeHead(method === 'POST' ? 409 : 404).end('{}')
      return true
    }
    const write = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg)
    await open({ url: 'https://hooks.example', log: createLogger('info', { write }) })
    await settled()
    await registration.stop()
    expect(refused).to.deep.equal(['POST', 'PATCH'])
    expect(logged).to.deep.equal([
      'the webhook configuration was created',
      'the webhook configuration was put right',
    ])
  })

  it('keeps a bundle that somebody else puts in where there is none of ours', async () => {
    configurations.put({
      metadata: { name: 'dormouse' },
      webhooks: ['scale', 'workloads'].map((name) => ({
        name: `${name}.dormouse.dev`,
        clientConfig: { caBundle: 'injected' },
      })),
    })
    await open({ url: 'https://hooks.example', caBundle: () => undefined })
    await settled()
    expect(bundles()).to.deep.equal(['injected', 'injected'])
  })

  it('asks about nothing in excluded namespaces, nor about exempt accounts', async () => {
    await open({ url: 'https://hooks.example', ownUser: 'me' })
    await settled()
    for (const webhook of webhooks()) {
      expect(webhook['namespaceSelector']).to.deep.equal({
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'dormouse'] },
        ],
      })
      const conditions = webhook['matchConditions'] as { expression: string }[]
      expect(conditions[0]?.expression).to.equal(String.raw`!(request.userInfo.username in ['o\'brien'])`)
      expect(conditions[1]?.expression).to.include("request.userInfo.username == 'me'")
      expect(webhook['timeoutSeconds']).to.equal(3)
    }
  })

  it('is deleted on request, also when it is gone already', async () => {
    await inside()
    asTheChartHasIt()
    await settled()
    await registration.stop()
    await deleteWebhookConfiguration(clientFor(transport))
    expect(configurations.objects.size).to.equal(0)
    await deleteWebhookConfiguration(clientFor(transport))
  })
})
