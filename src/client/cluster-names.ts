/** A cluster by its context, and as its service calls it; undefined: it has no such name, or nothing was read yet. */
interface Called {
  readonly context: string
  readonly called: string | undefined
}

/**
 * The names for people of clusters that are read as one, by context: as the service calls each, with the context in
 * brackets only where two are called alike. No two are equal.
 */
export function clusterNames(clusters: readonly Called[]): ReadonlyMap<string, string> {
  const alike = Map.groupBy(clusters, ({ context, called = context }) => called)
  const names = clusters.map(({ context, called = context }) => {
    const isShared = (alike.get(called)?.length ?? 0) > 1
    return [context, isShared ? withContext(called, context) : called] as const
  })
  // A service may call its cluster so as well.
  const areUnique = new Set(names.map(([, name]) => name)).size === names.length
  return new Map(areUnique ? names : clusters.map(({ context }) => [context, context]))
}

/** `dev-eu (arn:aws:…)`, where they differ. */
export function withContext(name: string, context: string): string {
  return name === context || name.endsWith(` (${context})`) ? name : `${name} (${context})`
}
