import { columnsOf } from './columns.ts'
import type { StoredObject } from '../store/object.ts'
import type { Resource } from '../store/resources.ts'

/** A `meta.k8s.io/v1` Table, which `kubectl get` prints. */
export function table(
  resource: Resource,
  objects: StoredObject[],
  options: {
    metadata: Record<string, unknown>
    now: number
    rowObject: (object: StoredObject) => object | undefined
  },
): object {
  const columns = columnsOf(resource.store)
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: columns.map(({ name, type, wide }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, options.now)),
      object: options.rowObject(object),
    })),
  }
}
