import type { StatusRecord } from '../domain/records/record.ts'
import { UsageError } from '../process/errors.ts'
import { nearestName } from '../domain/nearest.ts'
import { resourceName } from './kinds.ts'
import type { Found } from './ports.ts'

export const FORMATS = ['wide', 'name', 'json', 'yaml'] as const
export type Format = (typeof FORMATS)[number]

/** The value of `-o`. @throws UsageError */
export function parseFormat(text: string): Format {
  const format = FORMATS.find((each) => each === text)
  if (format) return format
  const near = nearestName(text, FORMATS)
  const meant = near === undefined ? '' : `; did you mean ${near}?`
  throw new UsageError(`-o: expected one of ${FORMATS.join(', ')}, found '${text}'${meant}`)
}

/** The records in a format for programs; `undefined`: the format is one for people. `several`: a list, even of one. */
export async function forPrograms(
  format: Format | undefined,
  found: readonly Found[],
  several: boolean,
): Promise<string | undefined> {
  if (format === 'name') return found.map(nameLine).join('')
  if (format === undefined || format === 'wide') return undefined
  const records = found.map(({ cluster, record }) =>
    cluster === undefined ? record : { cluster, ...record },
  )
  return serialized(format, several ? { items: records } : (records[0] ?? { items: [] }))
}

/** Names of several clusters' workloads lead nowhere: other programs take them for those of one. @throws UsageError */
export function refuseNames(format: Format | undefined): void {
  if (format !== 'name') return
  throw new UsageError(
    '-o name does not say in which cluster: write -o json, or name one cluster by --context',
  )
}

/** One workload of a watch for programs, which then read a stream of documents; `undefined` as `forPrograms`. */
export async function documentOf(format: Format | undefined, found: Found): Promise<string | undefined> {
  const text = await forPrograms(format, [found], false)
  return format === 'yaml' ? `---\n${text}` : text
}

export async function serialized(format: 'json' | 'yaml', value: StatusRecord | object): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`
  const { asYaml } = await import('./yaml.ts')
  return asYaml(value)
}

function nameLine({ kind, record: { name } }: Found): string {
  return `${resourceName({ kind, name })}\n`
}
