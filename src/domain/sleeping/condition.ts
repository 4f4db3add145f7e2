import { fieldAt, valueAt } from '../json-pointer.ts'

/** A value that a field, annotation or label may have. */
export type Scalar = boolean | number | string

/** A statement about an object, as the configuration makes it: `{ path: .status.state, equals: paused }`. */
export interface Condition {
  /** As in a CustomResourceDefinition. */
  readonly path?: string
  /** In place of `path`: the `type` of one of its `status.conditions`, whose `status` is meant. */
  readonly condition?: string
  readonly equals?: Scalar
  /** In place of `equals`: the path of another value of the same object. */
  readonly equalsPath?: string
}

interface TypedCondition {
  readonly type?: unknown
  readonly status?: unknown
}

/** Whether the statement holds; not where the object says nothing. */
export function holds({ path, condition, equals, equalsPath }: Condition, object: unknown): boolean {
  const value = condition === undefined ? valueAt(object, fieldAt(path ?? '')) : statusOf(object, condition)
  return (
    value !== undefined &&
    value === (equalsPath === undefined ? equals : valueAt(object, fieldAt(equalsPath)))
  )
}

function statusOf(object: unknown, type: string): unknown {
  const conditions = valueAt(object, '/status/conditions')
  if (!Array.isArray(conditions)) return undefined
  return (conditions as readonly (TypedCondition | null)[]).find((each) => each?.type === type)?.status
}
