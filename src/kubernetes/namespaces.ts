import { isDeepStrictEqual } from 'node:util'
import { INHERITED_ANNOTATIONS, type Namespace } from '../domain/policy/inheritance.ts'
import { ANNOTATION } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { inTurns } from '../process/turns.ts'
import type { KubernetesObject, ObjectMeta } from './api-object.ts'
import { NAMESPACES, type KubernetesClient } from './client.ts'
import { delay as systemDelay, type Delay } from '../process/delay.ts'
import { ClusterRefusal } from './failures.ts'
import { Listeners } from './listeners.ts'
import type { KubernetesObserver, Namespaces } from './ports.ts'
import { FAILING, Reflector, type Progress, type Sink } from './reflector.ts'
import { createIntern, type Intern } from './trim.ts'
import { VersionedStore } from './versioned-store.ts'

/** Called for one change; `before` undefined: added; `after` undefined: deleted. */
type ChangeListener = (before: Namespace | undefined, after: Namespace | undefined) => void

interface Options {
  readonly client: Pick<KubernetesClient, 'listPage' | 'watch'>
  readonly observer: KubernetesObserver
  readonly logger: Logger
  readonly delay?: Delay
  readonly silence?: number | undefined
}

/** A trimmed copy of the metadata of all Namespaces, kept current by list and watch. Read-only. */
export class NamespaceInformer implements Runnable, Namespaces {
  readonly name = 'namespaces'
  readonly #reflector: Reflector<KubernetesObject>
  readonly #changes: Listeners<Parameters<ChangeListener>>
  readonly #observer: KubernetesObserver
  readonly #logger: Logger
  readonly #known = new VersionedStore<Namespace>({
    notify: (before, after) => this.#notify(before, after),
    // Resolved inheritance is cached by copy, so an unchanged Namespace keeps its copy.
    merge: (before, after) => (isSame(before, after) ? before : after),
  })
  readonly #intern: Intern = createIntern()
  readonly #started = Promise.withResolvers<void>()
  readonly #stopped = new AbortController()
  #synced = false
  #run: Promise<void> = Promise.resolve()

  constructor({ client, observer, logger, delay = systemDelay, silence }: Options) {
    this.#observer = observer
    this.#logger = logger
    this.#changes = new Listeners(observer, logger)
    const options = { client, collection: NAMESPACES, sink: this.#sink(), logger, delay, silence }
    this.#reflector = new Reflector(options, this.#progress())
  }

  /** Resolves once all are listed, or the cluster refuses to list them (retried). Rejects when stopped before. */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    signal.addEventListener('abort', () => this.#started.reject(signal.reason), { once: true })
    this.#run = this.#reflector.run(signal)
    await this.#started.promise
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#run
  }

  /** Whether all Namespaces were listed. */
  get synced(): boolean {
    return this.#synced
  }

  /** Whether its watch is connected, so that its copies are current. */
  get connected(): boolean {
    return this.#reflector.connected
  }

  /** undefined: it does not exist, or not all Namespaces are listed yet. */
  get(name: string): Namespace | undefined {
    return this.#synced ? this.#known.get({ name }) : undefined
  }

  *list(): Iterable<Namespace> {
    if (this.#synced) yield* this.#known.list()
  }

  /**
   * Called synchronously for each change, for each Namespace of the first list, and with (copy, copy) if only the
   * meaning of its annotations changed; a listener that throws is logged and counted.
   */
  onChange(listener: ChangeListener): void {
    this.#changes.add(listener)
  }

  /** The meaning of annotations changed, as by a calendar: calls the listeners with (copy, copy) for each, in turns. */
  inputsChanged(): void {
    const notify = (namespace: Namespace) => this.#notify(namespace, namespace)
    void inTurns(this.list(), notify, this.#stopped.signal)
  }

  #progress(): Progress {
    return {
      restarted: (reason) => this.#observer.watchRestarted('namespaces', reason),
      failed: (times, error) => {
        const refused = error instanceof ClusterRefusal && error.noAnswer === undefined
        if (refused && times >= FAILING) this.#started.resolve()
      },
    }
  }

  #sink(): Sink<KubernetesObject> {
    const sink = this.#known.sink<KubernetesObject>(({ metadata }) => trimNamespace(metadata, this.#intern))
    return {
      ...sink,
      retain: (...list) => {
        sink.retain(...list)
        if (!this.#synced) this.#sync()
      },
    }
  }

  #sync(): void {
    this.#synced = true
    const namespaces = [...this.#known.list()]
    this.#logger.info({ namespaces: namespaces.length }, 'watching namespaces')
    for (const namespace of namespaces) this.#notify(undefined, namespace)
    this.#started.resolve()
  }

  #notify(before: Namespace | undefined, after: Namespace | undefined): void {
    if (this.#synced) this.#changes.notify({ namespace: (after ?? before)?.name }, before, after)
  }
}

/** Whether everything that the rules read is the same. */
function isSame(a: Namespace, b: Namespace): boolean {
  return isDeepStrictEqual({ ...a, resourceVersion: '' }, { ...b, resourceVersion: '' })
}

/** A Namespace's metadata, trimmed to what the rules need. */
export function trimNamespace(metadata: ObjectMeta, intern: Intern = (text) => text): Namespace {
  const annotations: Namespace['annotations'] = Object.fromEntries(
    INHERITED_ANNOTATIONS.flatMap((name) => {
      const text = metadata.annotations?.[ANNOTATION[name]]
      return text === undefined ? [] : [[name, intern(text)]]
    }),
  )
  return {
    name: intern(metadata.name),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    labels: metadata.labels && { ...metadata.labels },
    annotations,
    deleting: metadata.deletionTimestamp != null,
  }
}
