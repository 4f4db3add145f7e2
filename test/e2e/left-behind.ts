import { runClient } from '../../src/cli/people/program.ts'
import { processTerminal } from '../../src/client/process-terminal.ts'
import type { ClusterObjects } from '../../src/client/ports.ts'
import { canSleep, type ImportedObject } from '../../src/import/plan/imported-object.ts'
import { collectionOf, pathOf } from '../../src/import/resources.ts'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import type { ProgramClock } from '../support/program-clock.ts'
import { createNamespace } from '../support/served.ts'
import { expectedOf, objectsOf, type Expected, type Tool } from '../import/plan/recording.ts'
import { defineKind } from '../support/custom-kinds.ts'

/** Their times end on dates, or they are of kinds that this Dormouse does not manage. */
const LEFT_OUT = /freeze|release|until|past|future|own-old/

export type Place = Pick<Expected, 'kind' | 'namespace' | 'name'>
export interface Imported {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A tool's objects in a cluster while its workloads were asleep, and the import of them. */
export class LeftBehind {
  readonly objects: readonly ImportedObject[]
  /** The sleepers that an import may take over. */
  readonly sleepers: readonly Expected[]
  readonly #on: () => Cluster
  readonly #tool: Tool
  readonly #clock: ProgramClock

  constructor(on: () => Cluster, tool: Tool, clock: ProgramClock) {
    this.#on = on
    this.#tool = tool
    this.#clock = clock
    this.objects = objectsOf(tool).filter(({ kind }) => kind !== 'Rollout')
    this.sleepers = expectedOf(tool).filter(
      (each) => each.asleep && canSleep({ kind: each.kind } as ImportedObject) && !LEFT_OUT.test(each.name),
    )
  }

  /** Creates all of it, replacing existing objects; stops the tool itself if requested. */
  async load({ isStopped = false } = {}): Promise<void> {
    const on = this.#on()
    for (const each of FOREIGN) await defineKind(on, each)
    for (const { metadata, kind } of this.objects) {
      if (kind !== 'Namespace') continue
      const { status } = await on.admin.send('GET', `/api/v1/namespaces/${metadata.name}`)
      if (status === 404) await createNamespace(on, metadata.name)
    }
    const others = this.objects.filter(({ kind }) => kind !== 'Namespace')
    await inParallel(others, (each) => on.admin.send('DELETE', pathTo(each)))
    for (const each of this.objects) if (each.kind === 'Namespace') await this.#annotate(each)
    await inParallel(others.filter(isFirst), (each) => this.#create(each, isStopped))
    await inParallel(
      others.filter((each) => !isFirst(each)),
      (each) => this.#create(each, isStopped),
    )
  }

  async remove(): Promise<void> {
    const { admin } = this.#on()
    const own = this.objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name)
    for (const name of own) await admin.send('DELETE', `/api/v1/namespaces/${name}`)
    // The next tool's import would read the remains.
    await eventually(
      'the namespaces to be gone',
      async () => {
        const { items = [] } = await admin.expect('GET', '/api/v1/namespaces')
        return !items.some(({ metadata }) => own.includes(metadata?.name ?? ''))
      },
      { timeout: 180_000, pause: 500 },
    )
  }

  /** Runs the import; `kubeconfig`: of another person than the administrator, `writes`: it is killed after so many. */
  async import(
    args: readonly string[],
    { kubeconfig = this.#on().adminKubeconfig, writes = Infinity } = {},
  ): Promise<Imported> {
    const [out, err]: [string[], string[]] = [[], []]
    const from = this.#tool === 'gokubedownscaler-main' ? 'gokubedownscaler' : this.#tool
    const terminal = processTerminal(process, 'kubectl dormouse', new AbortController().signal)
    const code = await runClient(['import', '--from', from, '--kubeconfig', kubeconfig, ...args], '1.0.0', {
      ...terminal,
      openCluster: async (connection) => killedAfter(await terminal.openCluster(connection), writes),
      clock: () => this.#clock.now(),
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
    })
    return { code, stdout: out.join(''), stderr: err.join('') }
  }

  async read({ kind, namespace, name }: Place): Promise<ImportedObject> {
    const path = pathOf({ apiVersion: '', kind, metadata: { namespace, name } })
    return (await this.#on().admin.expect('GET', path)) as unknown as ImportedObject
  }

  /** How each of these that has lost its count is now: neither asleep with it kept, nor awake with it. */
  async lost(among: readonly Expected[]): Promise<string[]> {
    const all = await inParallel(among, async (each) => {
      const { metadata, spec } = await this.read(each)
      const kept = metadata.labels?.[ASLEEP_LABEL]
      const running = each.kind === 'CronJob' ? Number(spec?.suspend !== true) : (spec?.replicas ?? 1)
      const count = kept === undefined ? running : Number(kept)
      return count === countOf(each)
        ? []
        : `${keyOf(each)}: kept ${kept}, runs ${running}, ${countOf(each)} expected`
    })
    return all.flat()
  }

  async #create(object: ImportedObject, isStopped: boolean): Promise<void> {
    const stopped =
      isStopped && isTool(object) ? { ...object, spec: { ...object.spec, replicas: 0 } } : object
    const { ownerReferences: _, ...metadata } = stopped.metadata
    // An owner that is not there would be the end of it.
    await this.#on().admin.expect('POST', collectionTo(object), { ...stopped, metadata })
  }

  async #annotate({ metadata: { name, annotations } }: ImportedObject): Promise<void> {
    const { admin } = this.#on()
    const path = `/api/v1/namespaces/${name}`
    await admin.expect('PATCH', path, { metadata: { annotations: null } })
    if (annotations) await admin.expect('PATCH', path, { metadata: { annotations } })
  }
}

export const keyOf = ({ kind, namespace, name }: Place) => `${kind.toLowerCase()} ${namespace}/${name}`
export const countOf = (each: Expected) => (each.lost ? 2 : (each.original?.replicas ?? 1))

export function isTool({ kind, spec }: ImportedObject): boolean {
  const containers = spec?.template?.spec?.containers ?? []
  return (
    kind === 'Deployment' && containers.some(({ image = '' }) => /kube-?green|kube-?downscaler/.test(image))
  )
}

/** The cluster of a client that is killed: after so many writes it reaches nothing any more. */
function killedAfter(cluster: ClusterObjects, writes: number): ClusterObjects {
  let left = writes
  const alive = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    if (left <= 0) throw new Error('killed')
    return act()
  }
  return {
    place: cluster.place,
    list: (path) => alive(() => cluster.list(path)),
    get: (path) => alive(() => cluster.get(path)),
    patch: (path, body, dryRun) =>
      alive(async () => {
        const patched = await cluster.patch(path, body, dryRun)
        if (!dryRun) left -= 1
        return patched
      }),
    remove: (path) =>
      alive(async () => {
        await cluster.remove(path)
        left -= 1
      }),
    close: () => cluster.close(),
  }
}

function collectionTo({ kind, metadata: { namespace = '' } }: ImportedObject): string {
  if (kind === 'ConfigMap' || kind === 'Secret')
    return `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`
  return collectionOf(kind, namespace)
}

function pathTo(object: ImportedObject): string {
  return `${collectionTo(object)}/${object.metadata.name}?propagationPolicy=Background`
}

/** Owners and inputs of other objects. */
function isFirst({ kind }: ImportedObject): boolean {
  return kind === 'ConfigMap' || kind === 'SleepInfo'
}

const FOREIGN = [
  { group: 'kube-green.com', plural: 'sleepinfos', kind: 'SleepInfo', version: 'v1alpha1' },
  { group: 'keda.sh', plural: 'scaledobjects', kind: 'ScaledObject', version: 'v1alpha1' },
]
