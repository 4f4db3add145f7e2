export type Json = Record<string, unknown>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one: objects under review may have any shape. */
export function jsonOf(value: unknown): Json {
  return isJson(value) ? value : {}
}

export function labelsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).labels)
}

export function annotationsOf(object: unknown): Json {
  return jsonOf(jsonOf(jsonOf(object).metadata).annotations)
}
