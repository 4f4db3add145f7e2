import { isRecord } from '../../domain/json-schema.ts'

export type Json = Record<string, unknown>

/** The value if it is an object, else an empty one: objects under review may have any shape. */
export function jsonOf(value: unknown): Json {
  return isRecord(value) ? value : {}
}

export function labelsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).labels)
}

export function annotationsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).annotations)
}
