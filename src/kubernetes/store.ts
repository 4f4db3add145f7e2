import { isDeepStrictEqual } from 'node:util'
import { KINDS, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { compareVersions } from './resource-version.ts'

/** Hears of one change: `before` undefined: added; `after` undefined: gone. */
export type ChangeListener = (before: Workload | undefined, after: Workload | undefined) => void

type Namespaces = Map<string, Map<string, Workload>>

/** The newest known record of each workload; nothing older ever replaces it. */
export class WorkloadStore {
  readonly #kinds: Readonly<Record<Kind, Namespaces>> = {
    deployments: new Map(),
    statefulsets: new Map(),
    daemonsets: new Map(),
    replicasets: new Map(),
  }
  /** Put in by `applied`: partly computed, so what the watch says of the same version is still to be heard. */
  readonly #provisional = new WeakSet<Workload>()
  readonly #notify: ChangeListener

  constructor(notify: ChangeListener) {
    this.#notify = notify
  }

  get({ kind, namespace, name }: WorkloadKey): Workload | undefined {
    return this.#kinds[kind].get(namespace)?.get(name)
  }

  *list(namespace?: string, kind?: Kind): Generator<Workload> {
    for (const each of kind === undefined ? KINDS : [kind]) {
      const namespaces = this.#kinds[each]
      if (namespace !== undefined) yield* namespaces.get(namespace)?.values() ?? []
      else for (const workloads of namespaces.values()) yield* workloads.values()
    }
  }

  /** `backwards`: the cluster itself went back in time (restored from a backup), so older is right. */
  put(workload: Workload, backwards = false): void {
    const before = this.get(workload)
    if (!before || before.uid !== workload.uid) {
      if (before) this.delete(before)
      this.#set(workload)
      this.#notify(undefined, workload)
      return
    }
    const order = compareVersions(workload.resourceVersion, before.resourceVersion)
    if (order < 0 && !backwards) return
    if (order === 0 && !this.#provisional.has(before)) return
    this.#set(workload)
    if (order !== 0 || !isDeepStrictEqual(before, workload)) this.#notify(before, workload)
  }

  /**
   * Puts in what a write of ours returned, if it is newer than what is there. What is not there is left
   * to the watch: it may be deleted already, and nothing would ever take it out again.
   */
  applied(workload: Workload): void {
    const before = this.get(workload)
    if (before?.uid !== workload.uid) return
    if (compareVersions(workload.resourceVersion, before.resourceVersion) <= 0) return
    this.#provisional.add(workload)
    this.#set(workload)
    this.#notify(before, workload)
  }

  delete(key: WorkloadKey): void {
    const namespaces = this.#kinds[key.kind]
    const workloads = namespaces.get(key.namespace)
    const before = workloads?.get(key.name)
    if (!workloads || !before) return
    workloads.delete(key.name)
    if (workloads.size === 0) namespaces.delete(key.namespace)
    this.#notify(before, undefined)
  }

  #set(workload: Workload): void {
    const namespaces = this.#kinds[workload.kind]
    const workloads = namespaces.get(workload.namespace)
    if (workloads) workloads.set(workload.name, workload)
    else namespaces.set(workload.namespace, new Map([[workload.name, workload]]))
  }
}
