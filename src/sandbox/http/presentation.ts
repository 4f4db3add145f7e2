import { columnsOf } from './columns.ts'
import type { KubeObject, StoredObject } from '../store/object.ts'
import type { Form } from './request.ts'
import { groupVersion } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'

/**
 * Writes objects as the client asked for them: whole, as a Table, or their metadata alone, in one group and
 * version.
 */
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
    return `{"kind":${JSON.stringify(this.#resource.kind)},"apiVersion":${JSON.stringify(groupVersion(this.#resource))},${bodyOf(object).slice(1)}`
  }

  /** JSON text; items of a list have no kind, as on a real server. */
  many(objects: StoredObject[], metadata: Record<string, unknown>): string {
    if (this.#form === 'table') return this.#table(objects, metadata)
    const isMetadata = this.#form === 'metadata'
    const kind = isMetadata ? 'PartialObjectMetadataList' : `${this.#resource.kind}List`
    const apiVersion = isMetadata ? 'meta.k8s.io/v1' : groupVersion(this.#resource)
    const head = JSON.stringify({ kind, apiVersion, metadata })
    const items = objects.map((each) => (isMetadata ? JSON.stringify(metadataOf(each)) : bodyOf(each)))
    return `${head.slice(0, -1)},"items":[${items.join(',')}]}`
  }

  /** The object of a BOOKMARK: a resourceVersion and nothing else. */
  bookmark(resourceVersion: string): string {
    const metadata = { resourceVersion, creationTimestamp: null }
    if (this.#form === 'metadata')
      return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
    return JSON.stringify({ kind: this.#resource.kind, apiVersion: groupVersion(this.#resource), metadata })
  }

  /** A `meta.k8s.io/v1` Table, which `kubectl get` prints. */
  #table(objects: StoredObject[], metadata: Record<string, unknown>): string {
    const columns = columnsOf(this.#resource.store)
    const now = this.#now()
    return JSON.stringify({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      columnDefinitions: columns.map(({ name, type }) => ({
        name,
        type,
        format: name === 'Name' ? 'name' : '',
        description: '',
        priority: 0,
      })),
      rows: objects.map((object) => ({
        cells: columns.map(({ cell }) => cell(object, now)),
        object: this.#inRow(object),
      })),
    })
  }

  #inRow(object: StoredObject): object | undefined {
    if (this.#rowObject === 'None') return undefined
    return this.#rowObject === 'Object' ? object : metadataOf(object)
  }
}

const metadataOf = ({ metadata }: KubeObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
})

/** Stored objects never change in place, and many clients read the same ones: each is serialised once. */
const bodies = new WeakMap<StoredObject, string>()

/** The object in JSON, without kind and apiVersion. */
function bodyOf(object: StoredObject): string {
  const known = bodies.get(object)
  if (known !== undefined) return known
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  const body = JSON.stringify(rest)
  bodies.set(object, body)
  return body
}
