/** A name as a step of a JSON pointer (RFC 6901, section 3): `a/b` is `a~1b`. */
export function stepOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The name that a step of a JSON pointer means (RFC 6901, section 4). */
export function nameOf(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The JSON pointer that leads through these names. */
export function pointerTo(names: readonly string[]): string {
  return names.map((name) => `/${stepOf(name)}`).join('')
}

/** The JSON pointer of a path with dots, as a CustomResourceDefinition has it: `.spec.replicas`. */
export function fieldAt(path: string): string {
  return pointerTo(path.split('.').slice(1))
}

const known = new Map<string, readonly string[]>()

/** The names that a JSON pointer leads through. It is kept: only pointers of the code and of the configuration are read. */
export function namesIn(pointer: string): readonly string[] {
  const present = known.get(pointer)
  if (present) return present
  const names = pointer.split('/').slice(1).map(nameOf)
  known.set(pointer, names)
  return names
}

/** The value that a JSON pointer leads to; undefined: it leads nowhere. */
export function valueAt(object: unknown, pointer: string): unknown {
  let value = object
  for (const name of namesIn(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
