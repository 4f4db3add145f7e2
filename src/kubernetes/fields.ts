/** What a value has to be, in the words of JSON Schema, as far as a kubeconfig needs them. */
interface Field {
  readonly type: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Fields
  readonly additionalProperties?: Field
  readonly items?: Field
  readonly minLength?: number
}
export type Fields = Readonly<Record<string, Field>>

/** The first value that is not what it has to be. */
export interface Fault {
  /** The keys and places that lead to it. */
  readonly path: readonly string[]
  readonly keyword: 'type' | 'required' | 'minLength'
  /** The type that it has to be. */
  readonly expected: string
  readonly missing?: string
  readonly data: unknown
}

/**
 * Ajv says the same, but compiles its schemas first: that takes as long as all else that a command does before it calls
 * the cluster.
 */
export function firstFault(field: Field, data: unknown, path: readonly string[] = []): Fault | undefined {
  const [expected = ''] = field.type
  const fault = (keyword: Fault['keyword'], missing?: string): Fault => ({
    path,
    keyword,
    expected,
    data,
    ...(missing !== undefined && { missing }),
  })
  if (!field.type.includes(typeOf(data))) return fault('type')
  if (typeof data === 'string' && data.length < (field.minLength ?? 0)) return fault('minLength')
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
    const missing = field.required?.find(
      (name) => (data as Readonly<Record<string, unknown>>)[name] === undefined,
    )
    if (missing !== undefined) return fault('required', missing)
  }
  for (const [name, of, value] of partsOf(field, data)) {
    const inner = firstFault(of, value, [...path, name])
    if (inner) return inner
  }
  return undefined
}

/** In the order of the fields, not of the data. */
function partsOf({ properties = {}, additionalProperties, items }: Field, data: unknown) {
  const found: [name: string, field: Field, value: unknown][] = []
  const values = Object.entries(data ?? {}).filter(([, value]) => value !== undefined)
  if (Array.isArray(data)) {
    for (const [name, value] of values) if (items) found.push([name, items, value])
    return found
  }
  const present = new Map(values)
  for (const [name, field] of Object.entries(properties))
    if (present.has(name)) found.push([name, field, present.get(name)])
  if (additionalProperties)
    for (const [name, value] of values)
      if (!Object.hasOwn(properties, name)) found.push([name, additionalProperties, value])
  return found
}

function typeOf(data: unknown): string {
  if (data === null || data === undefined) return 'null'
  return Array.isArray(data) ? 'array' : typeof data
}
