import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { kubeProxyRule } from '../go-programs/kube-proxy-rule.ts'
import { eventually } from '../support/eventually.ts'
import { OWN_KUBELET, Kubelet, type PodOf } from '../support/kubelet.ts'
import { manifest } from '../support/manifests.ts'
import { describeOnNetwork } from '../support/network.ts'
import { createNamespace } from '../support/served.ts'
import { App, APP_PORTS } from '../traffic/app.ts'
import { call, CALLERS, type CallerName } from '../traffic/callers.ts'
import { Rule } from '../traffic/rule.ts'
import { serviceOf } from '../traffic/sleepers.ts'

const SLICES = (namespace: string) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`

/** The judge of test/long/traffic.test.ts, judged itself. */
describeOnNetwork(
  import.meta.filename,
  kubeProxyRule,
  'where kube-proxy sends a connection',
  function (on, path) {
    const namespace = `e2e-${randomBytes(4).toString('hex')}`
    const early: PodOf[] = []
    let kubelet: Kubelet
    let kubeProxy: Rule

    before('a Deployment with a Service has a pod', async () => {
      await createNamespace(on(), namespace)
      const image = async (pod: PodOf) =>
        App.start(pod, { start: 200, warm: 200, grace: 4000, drain: 0 }, (who) => early.push(who))
      kubelet = new Kubelet(on().admin, namespace, image)
      kubelet.start()
      await on().create(namespace, [ownedByKubelet('web')])
      await on().admin.expect('POST', `/api/v1/namespaces/${namespace}/services`, serviceOf('web'))
      kubeProxy = await Rule.kubeProxy(path, on().adminKubeconfig, '200ms')
    })

    after('all of it is gone', async () => {
      await kubeProxy?.stop()
      await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
      await kubelet.stop()
      expect(kubelet.faults).to.deep.equal([])
    })

    const endpoints = () => kubeProxy.endpoints(namespace, 'web', 'http')
    const scale = (replicas: number) =>
      on().admin.expect('PATCH', `/apis/apps/v1/namespaces/${namespace}/deployments/web`, {
        spec: { replicas },
      })

    it('is a ready pod, which answers in each protocol', async () => {
      const [first = ''] = await eventually('an endpoint', async () => {
        const found = await endpoints()
        return found.length === 1 && found
      })
      const [pod] = kubelet.pods
      expect(first).to.equal(`${pod?.address}:${APP_PORTS.http}`)
      for (const name of Object.keys(CALLERS) as CallerName[]) {
        const port = APP_PORTS[CALLERS[name].port]
        expect(await call(name, { address: pod!.address, port }), name).to.include({ end: 'app' })
      }
      expect(early).to.deep.equal([])
    })

    it('is a pod that ends and still serves, where nothing is ready', async () => {
      const [pod] = kubelet.pods
      const before = await endpoints()
      await scale(0)
      await eventually('the pod to end', () => kubelet.pods[0]?.deleting === true)
      expect(await endpoints()).to.deep.equal(before)
      expect(await call('http', { address: pod!.address, port: APP_PORTS.http })).to.include({ end: 'app' })
      await eventually('no endpoint', async () => (await endpoints()).length === 0)
    })

    for (const [style, conditions] of [
      ['ready', { ready: true, serving: true, terminating: false }],
      ['fallback', { ready: false, serving: true, terminating: true }],
    ] as const)
      it(`is a slice of Dormouse in the style ${style}, while no pod is ready`, async () => {
        const ports = Object.keys(APP_PORTS).map((name, index) => ({ name, port: 20_000 + index }))
        const slice = {
          metadata: {
            name: `web-zzzzz-dormouse-${style}`,
            labels: {
              'kubernetes.io/service-name': 'web',
              // Under the manager that Dormouse writes, admission takes addresses of wakers alone; kube-proxy reads none.
              'endpointslice.kubernetes.io/managed-by': 'a-test',
            },
          },
          addressType: 'IPv4',
          ports,
          endpoints: [{ addresses: ['10.99.255.1'], conditions }],
        }
        await on().admin.expect('POST', SLICES(namespace), slice)
        const ours = '10.99.255.1:20000'
        await eventually('our endpoint', async () => (await endpoints())[0] === ours)
        await scale(1)
        const shared = style === 'ready'
        await eventually('the pod, and ours where both are ready', async () => {
          const found = await endpoints()
          return found.includes(ours) === shared && found.length === (shared ? 2 : 1)
        })
        await on().admin.expect('DELETE', `${SLICES(namespace)}/${slice.metadata.name}`)
        await scale(0)
        await eventually('no endpoint', async () => (await endpoints()).length === 0)
      })
  },
)

function ownedByKubelet(name: string) {
  return manifest('deployments', name, { podLabels: OWN_KUBELET })
}
