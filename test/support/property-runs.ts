import type fc from 'fast-check'

/**
 * How often a property is tried: `numRuns` times with the same cases each time; with PROPERTY_RUNS set, that often
 * with new ones. What fast-check says of a failure has its seed.
 */
export function propertyRuns(numRuns: number): Pick<fc.Parameters<unknown>, 'numRuns' | 'seed'> {
  const many = Number(process.env['PROPERTY_RUNS'] ?? 0)
  return many > 0 ? { numRuns: many } : { numRuns, seed: 20_260_302 }
}
