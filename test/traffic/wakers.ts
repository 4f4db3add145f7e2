import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { writeKubeconfig } from '../control-plane/kubeconfig.ts'
import type { Cluster } from '../support/cluster.ts'
import { startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { Kubelet, OWN_KUBELET, type Container, type PodOf } from '../support/kubelet.ts'
import { parseMetrics, type Sample } from '../support/metrics-text.ts'
import { account, grant, takeBack } from '../support/rights.ts'
import { RunningProgram } from '../support/running-program.ts'

const NAME = 'dormouse-waker'
const DEPLOYMENT = `/apis/apps/v1/namespaces/${dormouse.namespace}/deployments/${NAME}`
const SERVICE = `/api/v1/namespaces/${dormouse.namespace}/services/${NAME}`
const ACCOUNT = `/api/v1/namespaces/${dormouse.namespace}/serviceaccounts/${NAME}`
const ROLES = `/apis/rbac.authorization.k8s.io/v1/namespaces/${dormouse.namespace}`
const RIGHTS = [
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
]

/** A waker's process in its pod. */
class WakerContainer implements Container {
  readonly ended: Promise<unknown>
  readonly program: RunningProgram
  readonly #health: Promise<string>

  constructor(program: RunningProgram) {
    this.program = program
    this.#health = program.ready<{ metrics: string }>().then(({ metrics }) => metrics)
    this.#health.catch(() => {})
    this.ended = program.ended()
  }

  async isReady(): Promise<boolean> {
    const { statusCode, body } = await request(`${await this.#health}/readyz`)
    await body.dump()
    return statusCode === 200
  }

  async metrics(): Promise<Sample[]> {
    return parseMetrics(await (await request(`${await this.#health}/metrics`)).body.text())
  }

  terminate(): void {
    this.program.signal('SIGTERM')
  }
}

interface Options {
  /** The configuration's section `waker`. */
  readonly waker: Readonly<Record<string, unknown>>
  readonly replicas?: number
  /** The URL of Dormouse's API. */
  readonly api: string
}

/** The wakers as the chart runs them: a Deployment behind a headless Service, each pod a process of its own. */
export class Wakers {
  readonly #on: Cluster
  readonly #directory: string
  readonly #options: Options
  readonly #kubelet: Kubelet
  /** By address. */
  readonly #processes = new Map<string, WakerContainer>()
  #kubeconfig = ''
  #tokenFile = ''

  private constructor(on: Cluster, directory: string, options: Options) {
    this.#on = on
    this.#directory = directory
    this.#options = options
    this.#kubelet = new Kubelet(on.admin, dormouse.namespace, (pod) => this.#start(pod))
  }

  /** Resolves once all are ready. Dormouse's namespace must be there. */
  static async start(on: Cluster, options: Options): Promise<Wakers> {
    const wakers = new Wakers(on, await mkdtemp(join(tmpdir(), 'dormouse-wakers-')), options)
    await wakers.#giveAccount()
    wakers.#kubelet.start()
    const labels = { app: NAME }
    await on.admin.expect('POST', SERVICE.slice(0, SERVICE.lastIndexOf('/')), {
      metadata: { name: NAME },
      spec: { clusterIP: 'None', selector: labels, ports: [{ name: 'health', port: 8080 }] },
    })
    await on.admin.expect('POST', DEPLOYMENT.slice(0, DEPLOYMENT.lastIndexOf('/')), {
      metadata: { name: NAME },
      spec: {
        replicas: options.replicas ?? 2,
        selector: { matchLabels: labels },
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: {
          metadata: { labels: { ...labels, ...OWN_KUBELET } },
          spec: { containers: [{ name: 'waker', image: 'waker' }], terminationGracePeriodSeconds: 45 },
        },
      },
    })
    await wakers.settled()
    return wakers
  }

  /** Addresses of the wakers whose pods are ready and stay. */
  get ready(): readonly string[] {
    return this.#kubelet.pods.flatMap(({ ready, deleting, address }) => (ready && !deleting ? address : []))
  }

  /** The wakers that run, those that leave too. */
  get count(): number {
    return this.#processes.size
  }

  /** Resolves once the Deployment has the pods that it wants, all of its last revision. */
  async settled(): Promise<void> {
    await eventually(
      'the wakers',
      async () => {
        const { status = {}, spec = {}, metadata } = await this.#on.admin.expect('GET', DEPLOYMENT)
        const wanted = spec['replicas']
        return (
          status['observedGeneration'] === metadata?.['generation'] &&
          ['replicas', 'readyReplicas', 'updatedReplicas'].every((each) => status[each] === wanted)
        )
      },
      { timeout: 180_000 },
    )
  }

  /** As a new image does. */
  async roll(revision: string): Promise<void> {
    await this.#on.admin.expect('PATCH', DEPLOYMENT, {
      spec: { template: { metadata: { annotations: { revision } } } },
    })
    await this.settled()
  }

  /** SIGKILL of the waker with this address; its container starts again. */
  kill(address: string): void {
    this.#processes.get(address)?.program.signal('SIGKILL')
  }

  pidOf(address: string): number | undefined {
    return this.#processes.get(address)?.program.pid
  }

  async metrics(address: string): Promise<Sample[]> {
    return (await this.#processes.get(address)?.metrics()) ?? []
  }

  /** The end of each one's log. */
  lastLines(count = 10): string {
    return [...this.#processes]
      .map(([address, { program }]) => `${address}:\n${program.output.slice(-count).join('\n')}`)
      .join('\n')
  }

  async stop(): Promise<void> {
    for (const path of [DEPLOYMENT, SERVICE, ACCOUNT]) await this.#on.admin.send('DELETE', path)
    const isGone = () => {
      for (const { program } of this.#processes.values()) program.signal('SIGKILL')
      return this.#kubelet.pods.length === 0
    }
    await eventually('the wakers to be gone', isGone)
    await takeBack(this.#on.admin, NAME)
    for (const kind of ['rolebindings', 'roles'])
      await this.#on.admin.send('DELETE', `${ROLES}/${kind}/${NAME}`)
    await this.#kubelet.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #giveAccount(): Promise<void> {
    const token = await this.#on.accountToken(dormouse.namespace, NAME)
    this.#tokenFile = join(this.#directory, 'token')
    await writeFile(this.#tokenFile, token)
    await grant(this.#on.admin, account(dormouse.namespace, NAME), { name: NAME, rights: RIGHTS })
    const { clusters } = JSON.parse(await readFile(this.#on.adminKubeconfig, 'utf8')) as Kubeconfig
    const { server, 'certificate-authority-data': ca } = clusters[0].cluster
    const own = (await this.#on.kubectl('create', 'token', NAME, '-n', dormouse.namespace)).trim()
    this.#kubeconfig = await writeKubeconfig(
      join(this.#directory, 'kubeconfig'),
      { url: server, caData: Buffer.from(ca, 'base64').toString() },
      NAME,
      { token: own },
    )
  }

  async #forget(address: string, container: WakerContainer): Promise<void> {
    await container.ended
    if (this.#processes.get(address) === container) this.#processes.delete(address)
  }

  async #start({ name, address }: PodOf): Promise<Container> {
    const config = join(this.#directory, `${name}.yaml`)
    const knock = { url: this.#options.api, tokenFile: this.#tokenFile }
    // JSON is YAML.
    const waker = { ...this.#options.waker, knock }
    // Each on its own address, as in a pod of its own.
    await writeFile(config, JSON.stringify({ api: { host: address }, waker }))
    const files = ['--config', config, '--kubeconfig', this.#kubeconfig]
    const args = ['waker', ...files, '--json', '--metrics-port', '0']
    const container = new WakerContainer(
      new RunningProgram(startProgram(args, undefined, { POD_IP: address })),
    )
    this.#processes.set(address, container)
    void this.#forget(address, container)
    return container
  }
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
}
