import { isDeepStrictEqual } from 'node:util'
import { inheritedIn, type Namespace } from '../domain/policy/inheritance.ts'
import type { KubernetesObject, ObjectMeta } from './api-object.ts'
import { NAMESPACES } from './client.ts'
import { ClusterRefusal } from './failures.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { Namespaces } from './ports.ts'
import { FAILING } from './reflector.ts'
import { createIntern, type Intern } from './trim.ts'
import { VersionedStore } from './versioned-store.ts'

/**
 * A trimmed copy of the metadata of all Namespaces, kept current by list and watch. Read-only. It shows and tells nothing
 * before all are listed; then the listeners get each of them.
 */
export class NamespaceInformer extends Informer<'namespaces', Namespace> implements Namespaces {
  readonly name = 'namespaces'
  readonly #options: InformerOptions<'namespaces'>
  readonly #known = new VersionedStore<Namespace>({
    notify: (before, after) => this.#synced && this.tell(before, after),
    // Resolved inheritance is cached by copy, so an unchanged Namespace keeps its copy.
    merge: (before, after) => (isSame(before, after) ? before : after),
  })
  #synced = false

  constructor(options: InformerOptions<'namespaces'>) {
    super(options)
    this.#options = options
    this.onFailure((_, error, times) => {
      const refused = error instanceof ClusterRefusal && error.noAnswer === undefined
      if (refused && times >= FAILING) this.ready.resolve()
    })
  }

  /** It is ready once all are listed, or the cluster refuses to list them (retried). */
  protected begin(): void {
    const intern = createIntern()
    const sink = this.#known.sink<KubernetesObject>(({ metadata }) => trimNamespace(metadata, intern))
    void this.follow('namespaces', { collection: NAMESPACES, sink })
  }

  /** Whether all Namespaces were listed. */
  get synced(): boolean {
    return this.#synced
  }

  /** Whether its watch is connected, so that its copies are current. */
  get connected(): boolean {
    return this.isCurrent('namespaces')
  }

  /** undefined: it does not exist, or not all Namespaces are listed yet. */
  get(name: string): Namespace | undefined {
    return this.#synced ? this.#known.get({ name }) : undefined
  }

  *list(): Iterable<Namespace> {
    if (this.#synced) yield* this.#known.list()
  }

  /** The meaning of annotations changed, as by a calendar: calls the listeners with (copy, copy) for each, in turns. */
  inputsChanged(): void {
    this.tellAgain(this.list(), (namespace) => namespace)
  }

  protected override listed(): void {
    if (this.#synced) return
    this.#synced = true
    const namespaces = [...this.#known.list()]
    this.#options.logger.info({ namespaces: namespaces.length }, 'watching namespaces')
    for (const namespace of namespaces) this.tell(undefined, namespace)
    this.ready.resolve()
  }
}

/** Whether everything that the rules read is the same. */
function isSame(a: Namespace, b: Namespace): boolean {
  return isDeepStrictEqual({ ...a, resourceVersion: '' }, { ...b, resourceVersion: '' })
}

/** A Namespace's metadata, trimmed to what the rules need. */
export function trimNamespace(metadata: ObjectMeta, intern: Intern = (text) => text): Namespace {
  return {
    name: intern(metadata.name),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    labels: metadata.labels && { ...metadata.labels },
    annotations: inheritedIn(metadata.annotations, intern),
    deleting: metadata.deletionTimestamp != null,
  }
}
