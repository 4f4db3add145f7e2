import type fc from 'fast-check'

/**
 * How often a property is tried: `numRuns` times with the same cases each time; with PROPERTY_RUNS set, that often with
 * new ones; with PROPERTY_SHARE set, as `npm run t` does, with that share of the same cases. fast-check's message of a
 * failure has its seed.
 */
export function propertyRuns(
  numRuns: number,
): { readonly numRuns: number } & Pick<fc.Parameters<unknown>, 'seed'> {
  const many = Number(process.env['PROPERTY_RUNS'] ?? 0)
  const share = Number(process.env['PROPERTY_SHARE'] ?? 1)
  return many > 0 ? { numRuns: many } : { numRuns: Math.ceil(numRuns * share), seed: 20_260_302 }
}
