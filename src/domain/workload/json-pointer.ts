/** A name as a step of a JSON pointer (RFC 6901, section 3): `a/b` is `a~1b`. */
export function stepOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The name that a step of a JSON pointer means (RFC 6901, section 4). */
export function nameOf(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
