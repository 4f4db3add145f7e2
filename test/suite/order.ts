/** The files that take longest, of `npm test` and `test:rest`, as the line "slowest" of a run names it; the longest first. */
export const LONGEST = [
  'docs/commands',
  'e2e/forged-states',
  'packaging/commands',
  'console/page',
  'image/image',
  'e2e/state-keys',
  'chart/applied',
  'e2e/import',
  'e2e/hidden-events',
  'chart/rights/lost',
  'import/import-grid',
  'e2e/keda',
].map((file) => `test/${file}.test.ts`)

/** The share of the files that each process runs: the longest are dealt out first, and run first, so that all end together. */
export function dealtOut(files: readonly string[], shares: number): string[][] {
  const longest = LONGEST.filter((file) => files.includes(file))
  const others = files.filter((file) => !longest.includes(file))
  const dealt: string[][] = Array.from({ length: shares }, () => [])
  for (const [index, file] of [...longest, ...others].entries()) dealt[turnOf(index, shares)]!.push(file)
  return dealt
}

/** There and back (0, 1, 2, 2, 1, 0), so that the first share does not get the longest of each round. */
function turnOf(index: number, shares: number): number {
  const at = index % (2 * shares)
  return at < shares ? at : 2 * shares - 1 - at
}
