import { jsonOf, type Json } from './json.ts'

/** The fields that the API server sets itself, after admission; a client's values are lost. */
const SET_BY_SERVER = [
  'generation',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const
/** All of the metadata that a write of the status may change, as far as Dormouse looks at it. */
const CHANGED_BY_STATUS = ['annotations', 'labels', 'ownerReferences'] as const

/**
 * The object of a review as the API server will store it: fields that it resets after admission are as before (absent
 * in a creation), so their values in the review do not matter (`generation: -1` once ended a pin). A write of the
 * status keeps the spec, any other the status (k8s.io/apiserver, registry/rest: BeforeCreate, BeforeUpdate).
 */
export function asStored(object: Json, old: Json | undefined, subResource: string): Json {
  const [sent, before] = [jsonOf(object.metadata), jsonOf(old?.metadata)]
  if (old && subResource === 'status')
    return { ...old, metadata: withFieldsOf(sent, before, CHANGED_BY_STATUS) }
  return {
    ...withFieldsOf(old ?? {}, object, ['status']),
    metadata: withFieldsOf(before, sent, SET_BY_SERVER),
  }
}

/** `object` with these fields as `from` has them, or without. */
function withFieldsOf(from: Json, object: Json, names: readonly string[]): Json {
  const others = Object.entries(object).filter(([name]) => !names.includes(name))
  const taken = Object.entries(from).filter(([name]) => names.includes(name))
  return Object.fromEntries([...others, ...taken])
}
