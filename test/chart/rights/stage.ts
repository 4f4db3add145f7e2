import { request } from 'undici'
import { apiVersionOf } from '../../../src/domain/kinds.ts'
import { loadConfig } from '../../../src/service/config/config.ts'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { Service } from '../../../src/wiring/service.ts'
import { ApiClient, type WorkloadClient } from '../../support/api-client.ts'
import type { Cluster } from '../../support/cluster.ts'
import { runDormouse } from '../../support/dormouse.ts'
import { eventually } from '../../support/eventually.ts'
import type { KubectlResult } from '../../support/kubectl.ts'
import { manifest } from '../../support/manifests.ts'
import { createNamespace } from '../../support/served.ts'
import { accountKubeconfig } from '../beside.ts'

/** A failed probe counts at once: nobody listens behind the chart's Service here. */
const PROBING = { every: 60_000, tries: [] }

const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

/** Dormouse under the chart's account, as inside a cluster, over a namespace with a workload of each kind. */
export class Stage {
  readonly on: () => Cluster
  /** The namespace of the release. */
  readonly namespace: string
  readonly #account: string
  readonly #shop: string
  readonly #settings: object
  readonly #log: string[] = []
  readonly #unbound: { readonly metadata?: { readonly name?: string }; readonly spec?: object }[] = []
  /** The paths of what stands for wakers. */
  readonly #wakers: string[] = []
  #service: Service | undefined
  #starting: Promise<void> = Promise.resolve()
  #kubeconfig = ''
  #token = ''
  #api: ApiClient | undefined

  /** `webhook`, `waker`: more of these sections of the configuration. */
  constructor(
    on: () => Cluster,
    namespace: string,
    account: string,
    { webhook = {}, waker = {} }: { webhook?: object; waker?: object } = {},
  ) {
    this.on = on
    this.namespace = namespace
    this.#account = account
    this.#shop = `${namespace}-shop`
    this.#settings = {
      api: { host: '127.0.0.1', port: 0, insecurePort: 0 },
      metrics: { port: 0 },
      newWorkloadGrace: '0s',
      excludeNamespaces: [namespace],
      webhook: { port: 0, ...webhook },
      waker,
      controller: { lease: { namespace, duration: '4s', renew: '3s', retry: '1s' } },
    }
  }

  /** Workloads that Dormouse manages, and somebody with all rights on them. */
  async setUp(): Promise<void> {
    this.#kubeconfig = await accountKubeconfig(this.on(), this.namespace, this.#account)
    await createNamespace(this.on(), this.#shop)
    this.#token = await this.on().accountToken(this.#shop, 'developer', {
      verbs: ['get', 'list', 'update', 'patch'],
      resources: [...KINDS, ...KINDS.map((kind) => `${kind}/scale`)],
    })
    await this.on().create(
      this.#shop,
      KINDS.map((kind) => manifest(kind, kind)),
    )
    await this.start()
    for (const kind of KINDS) await (await this.workload(kind)).enable()
    await this.stop()
  }

  async tearDown(): Promise<void> {
    await this.stop()
    for (const { spec, metadata } of this.#unbound.splice(0))
      await this.on().admin.expect('POST', BINDINGS, { metadata: { name: metadata?.name }, spec })
    for (const path of this.#wakers) await this.on().admin.send('DELETE', path)
    await this.on().admin.expect('DELETE', `/api/v1/namespaces/${this.#shop}`)
  }

  /** Resolves at once: without some rights it is never ready. */
  async start(): Promise<void> {
    this.#log.length = 0
    this.#service = await Service.create({
      config: loadConfig({ text: JSON.stringify(this.#settings), environment: {} }),
      kubeconfig: { file: this.#kubeconfig },
      ownNamespace: this.namespace,
      https: true,
      probing: PROBING,
      clock: () => Date.now(),
      logger: createLogger('warn', { write: (line) => void this.#log.push(line) }),
    })
    this.#starting = this.#service.start()
    // Stopped before it was ready.
    this.#starting.catch(() => {})
  }

  async stop(): Promise<void> {
    await this.#api?.close()
    this.#api = undefined
    await this.#service?.stop()
    this.#service = undefined
  }

  /** The workload of this kind, by the API of the service, once that has started. */
  async workload(kind: Kind): Promise<WorkloadClient> {
    await this.#starting
    this.#api ??= new ApiClient(this.#service?.addresses.api ?? '', this.#token)
    return this.#api.workload(kind, this.#shop, kind)
  }

  /** The path of that workload at the API server. */
  path(kind: Kind): string {
    return `/apis/${apiVersionOf(kind)}/namespaces/${this.#shop}/${kind}/${kind}`
  }

  /** The slices of ours that lead to wakers. */
  async slices(): Promise<readonly string[]> {
    const label = 'endpointslice.kubernetes.io/managed-by%3Ddormouse.dev'
    const { items = [] } = await this.on().admin.expect('GET', `${this.slicesPath}?labelSelector=${label}`)
    return items.map(({ metadata }) => metadata?.name ?? '')
  }

  get slicesPath(): string {
    return `/apis/discovery.k8s.io/v1/namespaces/${this.#shop}/endpointslices`
  }

  /** A Service of the Deployment, which wakes on traffic, and the endpoints of a waker. */
  async withTraffic(service: string): Promise<void> {
    const { admin } = this.on()
    await this.#wakerAt(this.namespace, service)
    await this.#unbindOthers()
    await admin.expect('POST', `/api/v1/namespaces/${this.#shop}/services`, {
      metadata: { name: 'web' },
      spec: { selector: { app: 'deployments' }, ports: [{ name: 'http', port: 80 }] },
    })
    await admin.expect('PATCH', this.path('deployments'), {
      metadata: { annotations: { 'dormouse.dev/wake-on-traffic': 'page' } },
    })
  }

  /** The policies of the tests' own account take slices of wakers from that account alone. */
  async #unbindOthers(): Promise<void> {
    for (const part of ['addresses', 'families', 'forged']) {
      const path = `${BINDINGS}/dormouse-slices-${part}`
      const { status, body } = await this.on().admin.send('GET', path)
      if (status !== 200) continue
      this.#unbound.push(body)
      await this.on().admin.expect('DELETE', path)
    }
  }

  async #wakerAt(namespace: string, name: string): Promise<void> {
    const { admin } = this.on()
    const services = `/api/v1/namespaces/${namespace}/services`
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
    const service = { metadata: { name }, spec: { clusterIP: 'None' } }
    const slice = {
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [],
      endpoints: [{ addresses: ['10.99.0.1'], conditions: { ready: true } }],
    }
    await admin.send('POST', services, service)
    await admin.send('POST', slices, slice)
    this.#wakers.push(`${slices}/${name}`, `${services}/${name}`)
  }

  /** The log since its start, from warnings on. */
  get log(): readonly string[] {
    return this.#log
  }

  /** The answer of /readyz, once it is served. */
  async readiness(): Promise<string> {
    return eventually('/readyz', async () => {
      const { body } = await request(`${this.#service?.addresses.metrics}/readyz`)
      return body.text()
    })
  }

  /** `dormouse release --all`, under the account. */
  release(...more: string[]): Promise<KubectlResult> {
    const args = ['release', '--all', '--yes', '--kubeconfig', this.#kubeconfig, ...more]
    return runDormouse(args, { config: this.#settings })
  }
}
