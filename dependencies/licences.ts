import { idOf, lockOfProject, productionPackages, type ProductionPackage } from './lock.ts'

/**
 * Licences (SPDX) that let us pass their packages on under Apache-2.0, with no more than their notice kept; MPL-2.0 asks
 * for the source of its files as well, which npm has as long as we change none.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MPL-2.0',
  'PSF-2.0',
  'Unlicense',
  '(Apache-2.0 AND BSD-3-Clause)',
])

/** A line for each package whose licence is not allowed; an expression such as `MIT OR GPL-3.0` is for a person to judge. */
export function licenceFaults(packages: readonly ProductionPackage[]): string[] {
  return packages
    .filter(({ license }) => license === undefined || !ALLOWED.has(license))
    .map((each) => `${idOf(each)}: ${each.license ?? 'no licence'} is not among ${[...ALLOWED].join(', ')}`)
}

/** `npm run licences`: how many packages have which licence; ends with 1 where one is not allowed. */
if (import.meta.main) {
  const packages = productionPackages(await lockOfProject())
  const faults = licenceFaults(packages)
  const counts = Object.entries(Object.groupBy(packages, ({ license = 'no licence' }) => license))
    .map(([license, of = []]) => `${of.length} ${license}`)
    .join(', ')
  process.stdout.write(`${packages.length} packages of production: ${counts}\n`)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
