import type { Namespace } from '../../domain/policy/inheritance.ts'
import type { KubernetesObject } from '../../kubernetes/api-object.ts'
import { trimNamespace } from '../../kubernetes/namespaces.ts'
import { isForbidden, isMissing } from './failures.ts'

/** The Namespaces that were read, with the person's own rights. */
export class KnownNamespaces {
  readonly #found = new Map<string, Namespace>()
  /** Those that are read again when they are next needed. */
  readonly #old = new Set<string>()
  /** Those that may not be read. */
  readonly #unreadable = new Set<string>()
  readonly #missing = new Set<string>()

  /** Whether one could not be read for lack of rights. */
  get areMissed(): boolean {
    return this.#unreadable.size > 0
  }

  of(name: string): Namespace | undefined {
    return this.#found.get(name)
  }

  isUnreadable(name: string): boolean {
    return this.#unreadable.has(name)
  }

  /** Whether one that was read is there; undefined: it may not be read. */
  isThere(name: string): boolean | undefined {
    return this.#unreadable.has(name) ? undefined : !this.#missing.has(name)
  }

  /** Makes the next use read all of them again. */
  refresh(): void {
    for (const name of this.#found.keys()) this.#old.add(name)
  }

  /** Reads one once, until `refresh`; one that may not be read counts as one without annotations. */
  async read(name: string, get: () => Promise<KubernetesObject>): Promise<void> {
    if (this.#found.has(name) && !this.#old.has(name)) return
    try {
      this.learn(await get())
    } catch (error) {
      if (!isMissing(error) && !isForbidden(error)) throw error
      const why = isForbidden(error) ? this.#unreadable : this.#missing
      why.add(name)
      this.#found.set(name, emptyNamespace(name))
      this.#old.delete(name)
    }
  }

  learn({ metadata }: KubernetesObject): void {
    const { name } = metadata
    this.#found.set(name, trimNamespace(metadata))
    for (const former of [this.#old, this.#unreadable, this.#missing]) former.delete(name)
  }
}

function emptyNamespace(name: string): Namespace {
  return { name, uid: '', resourceVersion: '', labels: undefined, annotations: {}, deleting: false }
}
