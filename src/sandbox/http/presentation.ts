import { fromCoreEvent } from '../store/events.ts'
import type { KubeObject, StoredObject } from '../store/object.ts'
import type { Form } from './request.ts'
import { groupVersion } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'
import { table } from './table.ts'

/** How objects leave: whole, as a Table, or their metadata alone, in the group and version asked for. */
export class Presentation {
  readonly #resource: Resource
  readonly #form: Form
  readonly #rowObject: string
  readonly #now: () => number

  /** `rowObject`: the query's includeObject, Metadata by default. */
  constructor(resource: Resource, form: Form, rowObject: string | null, now: () => number) {
    this.#resource = resource
    this.#form = form
    this.#rowObject = rowObject ?? 'Metadata'
    this.#now = now
  }

  /** JSON text. */
  one(object: StoredObject): string {
    if (this.#form === 'table')
      return this.#table([object], { resourceVersion: object.metadata.resourceVersion })
    if (this.#form === 'metadata') return JSON.stringify(metadataOf(object))
    return `{"kind":${JSON.stringify(this.#resource.kind)},"apiVersion":${JSON.stringify(groupVersion(this.#resource))},${this.#body(object).slice(1)}`
  }

  /** JSON text; items of a list carry no kind, as a real server leaves it out. */
  many(objects: StoredObject[], metadata: Record<string, unknown>): string {
    if (this.#form === 'table') return this.#table(objects, metadata)
    const isMetadata = this.#form === 'metadata'
    const kind = isMetadata ? 'PartialObjectMetadataList' : `${this.#resource.kind}List`
    const apiVersion = isMetadata ? 'meta.k8s.io/v1' : groupVersion(this.#resource)
    const head = JSON.stringify({ kind, apiVersion, metadata })
    const items = objects.map((each) => (isMetadata ? JSON.stringify(metadataOf(each)) : this.#body(each)))
    return `${head.slice(0, -1)},"items":[${items.join(',')}]}`
  }

  /** What a BOOKMARK carries: a version and nothing else. */
  bookmark(resourceVersion: string): string {
    const metadata = { resourceVersion, creationTimestamp: null }
    if (this.#form === 'metadata')
      return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
    return JSON.stringify({ kind: this.#resource.kind, apiVersion: groupVersion(this.#resource), metadata })
  }

  #table(objects: StoredObject[], metadata: Record<string, unknown>): string {
    return JSON.stringify(
      table(this.#resource, objects, {
        metadata,
        now: this.#now(),
        rowObject: (object) => {
          if (this.#rowObject === 'None') return undefined
          return this.#rowObject === 'Object' ? object : metadataOf(object)
        },
      }),
    )
  }

  #body(object: StoredObject): string {
    return this.#resource.group === 'events.k8s.io' ? bodyOf(fromCoreEvent(object)) : cachedBody(object)
  }
}

const metadataOf = ({ metadata }: KubeObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
})

function bodyOf({ kind: _kind, apiVersion: _apiVersion, ...rest }: KubeObject): string {
  return JSON.stringify(rest)
}

/** Stored objects never change, and many readers ask for the same: each is written out once. */
const bodies = new WeakMap<StoredObject, string>()

function cachedBody(object: StoredObject): string {
  const known = bodies.get(object)
  if (known !== undefined) return known
  const body = bodyOf(object)
  bodies.set(object, body)
  return body
}
