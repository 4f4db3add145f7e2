import { isRecord } from '../../domain/json-schema.ts'

export type Json = Record<string, unknown>

/** The value if it is an object, else an empty one: objects under review may have any shape. */
export function jsonOf(value: unknown): Json {
  return isRecord(value) ? value : {}
}

/** The values that are texts, by name. */
export function textsIn(map: Json): Record<string, string> {
  const entries = Object.entries(map)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

export function labelsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).labels)
}

export function annotationsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).annotations)
}
