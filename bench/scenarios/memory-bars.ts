/** The most MB of the process at rest and at its peak in a wave, by the number of managed workloads. */
export const MEMORY_BARS: Readonly<Record<number, { readonly rest: number; readonly peak: number }>> = {
  1000: { rest: 120, peak: 170 },
  5000: { rest: 130, peak: 200 },
  20_000: { rest: 190, peak: 260 },
  100_000: { rest: 560, peak: 700 },
}
