/**
 * Orders two resourceVersions: they are decimal integers of any length (KEP-5504).
 * Negative: `a` is older; 0: equal; positive: `a` is newer.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  if (a === b) return 0
  return a < b ? -1 : 1
}
