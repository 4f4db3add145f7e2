import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { started, type Program, type Surroundings } from './program.ts'

interface Created {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: object
}

interface Seen extends Created {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number }
}

const PORTS = ['kube', 'api', 'metrics', 'webhook'].flatMap((name) => [`--${name}-port`, '0'])
/** A new workload is acted on at once; nothing rests because it was switched often. */
const SETTINGS = {
  newWorkloadGrace: '0s',
  backoff: { maxOperations: 19 },
  // The result of an import of the recorded downscalers' settings, which is to be in force before it.
  policies: [imported('py-*', '7:30-20:30,Mon-Fri'), imported('go14-*', '0:00-24:00,Mon-Fri')],
  excludeNamespaces: ['kube-system', 'py-kube-downscaler'],
}
const RECORDINGS = fileURLToPath(new URL('../../test/import/plan/recordings/', import.meta.url))
const PATIENCE = 60_000
const PLACES: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ConfigMap: '/api/v1/configmaps',
  Secret: '/api/v1/secrets',
  Deployment: '/apis/apps/v1/deployments',
  StatefulSet: '/apis/apps/v1/statefulsets',
  DaemonSet: '/apis/apps/v1/daemonsets',
  ReplicaSet: '/apis/apps/v1/replicasets',
  CronJob: '/apis/batch/v1/cronjobs',
  HorizontalPodAutoscaler: '/apis/autoscaling/v2/horizontalpodautoscalers',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  SleepInfo: '/apis/kube-green.com/v1alpha1/sleepinfos',
}
const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] as const

/** A sandbox of its own, without the shop in it, for the commands of one program. */
export class TrialCluster {
  readonly kubeconfig: string
  /** The service's API. */
  readonly api: string
  readonly token: string
  readonly #server: string
  readonly #stop: () => Promise<void>

  private constructor(told: Told, server: string, stop: () => Promise<void>) {
    this.kubeconfig = told.kubeconfig
    this.api = told.api
    this.token = told.token
    this.#server = server
    this.#stop = stop
  }

  /** Starts the sandbox that `program` has. */
  static async start(program: Program, around: Surroundings): Promise<TrialCluster> {
    const config = join(around.folder, 'sandbox.yaml')
    // JSON is YAML.
    await writeFile(config, JSON.stringify(SETTINGS))
    const words = ['sandbox', '--json', '--config', config, ...PORTS]
    const { line, stop } = await started(program, words, around)
    try {
      const told = JSON.parse(line) as Told
      const { clusters } = parse(await readFile(told.kubeconfig, 'utf8')) as Kubeconfig
      const cluster = new TrialCluster(told, clusters[0].cluster.server, stop)
      await cluster.#empty()
      return cluster
    } catch (error) {
      await stop()
      throw error
    }
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  /** A namespace with a Deployment `web` of two replicas, a StatefulSet `db` and a CronJob `nightly`. */
  async addNamespace(name: string): Promise<void> {
    await this.#create({ kind: 'Namespace', metadata: { name } })
    const labels = (app: string) => ({ name: app, namespace: name, labels: { app } })
    const pods = (app: string) => ({
      metadata: { labels: { app } },
      spec: { containers: [{ name: 'app', image: `example/${app}:1.0.0` }] },
    })
    for (const [kind, app, replicas] of [
      ['Deployment', 'web', 2],
      ['StatefulSet', 'db', 1],
    ] as const) {
      const selector = { matchLabels: { app } }
      const more = kind === 'StatefulSet' ? { serviceName: app } : {}
      const spec = { replicas, selector, template: pods(app), ...more }
      await this.#create({ kind, metadata: labels(app), spec })
    }
    const template = pods('nightly')
    const jobTemplate = {
      spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
    }
    await this.#create({
      kind: 'CronJob',
      metadata: labels('nightly'),
      spec: { schedule: '0 0 1 1 *', jobTemplate },
    })
    await this.settled(name)
  }

  /** All that another tool left asleep; its own program is stopped, as it is to be before an import. */
  async addRecording(name: string): Promise<void> {
    const text = await readFile(join(RECORDINGS, name, 'left.yaml'), 'utf8')
    const objects = parseAllDocuments(text).map((each) => each.toJS() as Created)
    if (objects.some(({ kind }) => kind === 'SleepInfo')) await this.#create(SLEEP_INFOS)
    // The sandbox has no Jobs, and nothing of KEDA's or Argo's.
    for (const object of objects) if (object.kind in PLACES) await this.#create(object)
  }

  /** Scales the tool's own program, which a recording has in a namespace of its name. */
  async stopTool(name: string): Promise<void> {
    for (const { metadata } of await this.#list('Deployment'))
      if (metadata.namespace === metadata.name || metadata.name.includes(name))
        await this.#call('PATCH', pathOf('Deployment', metadata), { spec: { replicas: 0 } })
  }

  /** Resolves once the pods of a namespace have followed. */
  async settled(namespace: string): Promise<void> {
    const end = Date.now() + PATIENCE
    for (;;) {
      const all = (await Promise.all(KINDS.map((kind) => this.#list(kind, namespace)))).flat()
      const isSettled = ({ spec, status }: Seen) =>
        spec?.replicas === undefined ||
        (spec.replicas === (status?.readyReplicas ?? 0) && spec.replicas === (status?.replicas ?? 0))
      if (all.every(isSettled)) return
      if (Date.now() > end) throw new Error(`the pods of namespace ${namespace} have not followed`)
      await pause(25)
    }
  }

  /** The shop falls asleep at a time of its own, which is another for each sandbox. */
  async #empty(): Promise<void> {
    for (const kind of KINDS)
      for (const { metadata } of await this.#list(kind)) await this.#call('DELETE', pathOf(kind, metadata))
    for (const name of ['shop', 'staging']) await this.#call('DELETE', pathOf('Namespace', { name }))
  }

  async #list(kind: string, namespace?: string): Promise<Seen[]> {
    const { items } = (await this.#call('GET', pathOf(kind, { namespace }))) as { items: Seen[] }
    return items
  }

  async #create(object: Created): Promise<void> {
    const { namespace } = object.metadata
    const at = pathOf(object.kind, { namespace })
    await this.#call('POST', at, { apiVersion: versionOf(object.kind), ...object })
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await fetch(`${this.#server}${path}`, {
      method,
      headers: { 'Content-Type': type, 'User-Agent': 'kubectl/trial' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}

interface Told {
  readonly kubeconfig: string
  readonly api: string
  readonly token: string
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }]
}

interface Place {
  readonly namespace?: string | undefined
  readonly name?: string
}

/** The path of an object, or without a name that of all there. */
function pathOf(kind: string, { name, namespace }: Place): string {
  const place = PLACES[kind]
  if (place === undefined) throw new TypeError(`the trial knows no ${kind}`)
  const within = namespace === undefined ? place : place.replace(/\/(\w+)$/, `/namespaces/${namespace}/$1`)
  return name === undefined ? within : `${within}/${name}`
}

function versionOf(kind: string): string {
  return (PLACES[kind] ?? '').replace(/^\/apis?\//, '').replace(/\/\w+$/, '')
}

const SLEEP_INFOS = {
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sleepinfos.kube-green.com' },
  spec: {
    group: 'kube-green.com',
    scope: 'Namespaced',
    names: { plural: 'sleepinfos', singular: 'sleepinfo', kind: 'SleepInfo', listKind: 'SleepInfoList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
}

function imported(names: string, schedule: string): object {
  const workloads = { kinds: ['deployments', 'statefulsets', 'cronjobs', 'daemonsets'] }
  return {
    name: `imported-${names.slice(0, -2)}`,
    namespaces: { names: [names] },
    workloads,
    enabled: true,
    schedule,
    timezone: 'Europe/Berlin',
  }
}
