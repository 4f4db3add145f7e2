/** The known name that was probably meant by `name`; undefined: none is near. Case, `-` and `_` do not count. */
export function nearestName<T extends string>(name: string, known: readonly T[]): T | undefined {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance)[0]
  // A short name may not differ in half of its letters: `foo` is no typing error of `log`.
  const allowed = Math.min(Math.max(2, Math.floor(name.length / 4)), Math.floor(name.length / 2))
  return near && near.distance <= allowed ? near.candidate : undefined
}

function plain(name: string): string {
  return name.slice(0, 100).replaceAll(/[-_]/g, '').toLowerCase()
}

/** How many letters to add, drop, change, or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let earlier: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [row[j], previous[j + 1], previous[j]]
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwap ? (earlier[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(left + 1, above + 1, diagonal + (a[i] === b[j] ? 0 : 1), swapped))
    }
    earlier = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
