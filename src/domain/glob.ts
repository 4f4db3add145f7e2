/** Whether a name matches one of the globs, in which `*` stands for any characters. */
export function globMatcher(globs: readonly string[]): (name: string) => boolean {
  const parts = globs.map((glob) => glob.split('*'))
  return (name) => parts.some((each) => matchesGlob(name, each))
}

/** Whether the texts around a glob's `*` occur in this order; without backtracking, whatever the glob. */
function matchesGlob(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
