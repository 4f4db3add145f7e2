import { carryOut, type Outcome } from '../../src/import/carrying-out.ts'
import type { ClusterObjects } from '../../src/client/ports.ts'
import { processTerminal } from '../../src/client/process-terminal.ts'
import { runClient } from '../../src/cli/people/program.ts'
import type { Terminal } from '../../src/client/terminal.ts'
import { InForce } from '../../src/import/plan/in-force.ts'
import { planOfDownscaler } from '../../src/import/plan/downscaler-plan.ts'
import { nameOf, type ImportedObject, type Step } from '../../src/import/plan/imported-object.ts'
import { programOf } from '../../src/import/plan/program.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { aDeployment } from '../support/workloads.ts'

export const NIGHT = Date.parse('2026-11-24T01:00:00Z')
/** Tuesday: at night, by day, and a second after the hours began while the other tool was stopped already. */
export const MOMENTS = {
  night: NIGHT,
  day: NIGHT + 10 * 3_600_000,
  edge: Date.parse('2026-11-24T07:00:01Z'),
} as const
export type Moment = keyof typeof MOMENTS
export const HOURS = 'Mon-Fri 08:00-18:00 Europe/Berlin'
export const KEPT = 'downscaler/original-replicas'
export const UPTIME = 'downscaler/uptime'

type Json = { [field: string]: unknown }
const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The state that Dormouse's webhook writes. */
function adoptedWith(count: number): string {
  const adopted = aDeployment('shop/web').withReplicas(count).enabled().snoozed({ at: NIGHT })
  const request = { text: `adopt ${count}`, at: NIGHT, by: 'k8s:ana' }
  return adopted.remembering({ request }).annotations.state ?? ''
}

/** RFC 7396. */
function merged(target: unknown, patch: Json): Json {
  const result: Json = { ...(isMap(target) ? target : {}) }
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete result[name]
    else result[name] = isMap(value) ? merged(result[name], value) : value
  return result
}

/** A cluster in memory whose webhook takes requests away, unless a test says otherwise. */
export class Objects implements ClusterObjects {
  readonly place = 'cluster dev'
  readonly objects = new Map<string, ImportedObject>()
  /** Called before each write, with a path where something is deleted; may throw. */
  onPatch: (name: string, dryRun: boolean) => void = () => undefined
  answers = true
  now = NIGHT
  /** Kinds that it does not answer for. */
  unknown: readonly string[] = []
  /** Paths that the person may not read. */
  unread = /^$/
  /** The writes, in order. */
  readonly writes: string[] = []
  #version = 1

  constructor(objects: readonly ImportedObject[]) {
    for (const each of objects) this.put(each)
  }

  put(object: ImportedObject): void {
    const metadata = { ...object.metadata, resourceVersion: String((this.#version += 1)) }
    this.objects.set(placeOf(object), { ...object, metadata })
  }

  at(object: ImportedObject): ImportedObject {
    const found = this.objects.get(placeOf(object))
    if (!found) throw new TypeError(`no ${nameOf(object)}`)
    return found
  }

  async get<Object>(path: string): Promise<Object | undefined> {
    if (this.unread.test(path)) throw new Refusal('FORBIDDEN', 'secrets is forbidden')
    return this.objects.get(path) as Object | undefined
  }

  async patch(path: string, body: object, dryRun: boolean) {
    const planned = this.objects.get(path)
    if (planned) this.onPatch(nameOf(planned), dryRun)
    const before = this.objects.get(path)
    if (!before) throw new Refusal('NOT_FOUND', 'gone')
    const { resourceVersion } = (body as { metadata: { resourceVersion?: string } }).metadata
    const has = (before.metadata as { resourceVersion?: string }).resourceVersion
    if (resourceVersion !== undefined && resourceVersion !== has)
      throw new Refusal('CLUSTER_REJECTED', 'the object has been modified', { details: { status: 409 } })
    const after = merged(before, body as Json) as unknown as ImportedObject
    const annotations: Record<string, string> = { ...after.metadata.annotations }
    const [, count] = /^adopt (\d+)/.exec(annotations[REQUEST_ANNOTATION] ?? '') ?? []
    const answers = this.answers && !this.unknown.includes(before.kind)
    if (answers) delete annotations[REQUEST_ANNOTATION]
    if (answers && count) annotations[ANNOTATION.state] = adoptedWith(Number(count))
    const labels = { ...after.metadata.labels, ...(answers && count && { [ASLEEP_LABEL]: count }) }
    if (!dryRun) this.writes.push(nameOf(before))
    if (!dryRun) this.put({ ...after, metadata: { ...after.metadata, annotations, labels } })
    return { annotations, warnings: [] }
  }

  async list<Listed>(path: string): Promise<Listed[]> {
    const plural = path.split('/').at(-1)
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(path) ?? []
    const all = [...this.objects.values()].filter(
      ({ kind, metadata }) =>
        PLACES[kind]?.[1] === plural && (namespace === undefined || metadata.namespace === namespace),
    )
    return structuredClone(all) as Listed[]
  }

  async remove(path: string): Promise<void> {
    this.onPatch(path, false)
    this.writes.push(`${path} removed`)
    this.objects.delete(path)
  }

  async close(): Promise<void> {}
}

function placeOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  const [base, plural] = PLACES[kind] ?? ['', '']
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`
}

const PLACES: Readonly<Record<string, [base: string, plural: string]>> = {
  Namespace: ['/api/v1', 'namespaces'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  DaemonSet: ['/apis/apps/v1', 'daemonsets'],
  CronJob: ['/apis/batch/v1', 'cronjobs'],
  ConfigMap: ['/api/v1', 'configmaps'],
  ScaledObject: ['/apis/keda.sh/v1alpha1', 'scaledobjects'],
  Rollout: ['/apis/argoproj.io/v1alpha1', 'rollouts'],
  Cluster: ['/apis/postgresql.cnpg.io/v1', 'clusters'],
  postgresql: ['/apis/acid.zalan.do/v1', 'postgresqls'],
  SleepInfo: ['/apis/kube-green.com/v1alpha1', 'sleepinfos'],
  Secret: ['/api/v1', 'secrets'],
}

export const shop: ImportedObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', annotations: { [UPTIME]: HOURS } },
}

export function sleeper(
  name: string,
  kept: string,
  more: Partial<ImportedObject['metadata']> = {},
): ImportedObject {
  const metadata = { namespace: 'shop', name, annotations: { [KEPT]: kept }, ...more }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 0 } }
}

/** The stopped Deployment of a downscaler. */
export function downscaler(image: string, container: object): ImportedObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'tool', name: 'downscaler' },
    spec: { replicas: 0, template: { spec: { containers: [{ image, ...container }] } } },
  }
}

/** Namespaces, by their names, with their annotations. */
export function namespaces(
  all: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ImportedObject[] {
  return Object.entries(all).map(([name, annotations]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations },
  }))
}

/** All objects without their versions. */
export function stored({ objects }: Objects): object[] {
  return [...objects.values()].map(({ kind, metadata: { name, annotations = {}, labels = {} }, spec }) => ({
    ...{ kind, name, annotations, labels, spec },
  }))
}

/** A namespace as kube-green leaves it by night. */
export function ofKubeGreen(namespace: string): ImportedObject[] {
  const kept = { 'Deployment.apps': { web: '{"spec":{"replicas":3}}' } }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'kube-green.com/v1alpha1',
      kind: 'SleepInfo',
      metadata: { namespace, name: 'hours' },
      spec: { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'sleepinfo-hours' },
      data: { 'original-resource-info': Buffer.from(JSON.stringify(kept)).toString('base64') },
    },
    { ...sleeper('web', ''), metadata: { namespace, name: 'web' } },
  ]
}

/** The plan of an import of GoKubeDownscaler, which has no defaults but its arguments, for the present objects. */
export function planOf(all: Iterable<ImportedObject>, args: readonly string[] = []): Step[] {
  const objects = [...all]
  return planOfDownscaler(
    {
      dialect: 'go',
      program: programOf(args, {}, 'go'),
      namespaces: objects.filter(({ kind }) => kind === 'Namespace'),
      objects: objects.filter(({ kind }) => kind !== 'Namespace'),
    },
    NIGHT,
    new InForce(
      undefined,
      objects.filter(({ kind }) => kind === 'Namespace'),
    ),
  )
}

export async function carriedOut(
  cluster: Objects,
  steps: readonly Step[],
  signal = new AbortController().signal,
) {
  const outcomes: Outcome[] = []
  for await (const outcome of carryOut(cluster, steps, false, signal)) outcomes.push(outcome)
  return outcomes
}

export async function imported(
  cluster: Objects,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    ...processTerminal(process, 'kubectl dormouse', new AbortController().signal),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    clock: () => cluster.now,
    openCluster: async () => cluster,
  }
  const from = args.includes('--from') ? [] : ['--from', 'gokubedownscaler']
  const code = await runClient(['import', ...from, ...args], '1.0.0', terminal)
  return { code, out: out.join(''), err: err.join('') }
}

export const verdicts = (steps: readonly Step[]) =>
  steps.map(({ object, verdict }) => `${verdict} ${nameOf(object)}`)
export const annotationsAt = (cluster: Objects, object: ImportedObject) =>
  cluster.at(object).metadata.annotations ?? {}
