import type { OwnSlice, SliceCopy } from './copies.ts'
import { RAW_PORTS, type Slice } from './slices.ts'

export interface SliceChanges {
  readonly create: readonly Slice[]
  readonly replace: readonly { readonly standing: SliceCopy; readonly slice: Slice }[]
  readonly remove: readonly SliceCopy[]
}

/** The changes that make the slices of ours that stand for a Service into those that should. */
export function sliceChanges(standing: readonly SliceCopy[], planned: readonly Slice[]): SliceChanges {
  const byName = new Map(standing.map((each) => [each.name, each]))
  const names = new Set(planned.map(({ metadata }) => metadata.name))
  return {
    create: planned.filter(({ metadata }) => !byName.has(metadata.name)),
    replace: planned.flatMap((slice) => {
      const present = byName.get(slice.metadata.name)
      return present && !isAsPlanned(present.own, slice) ? { standing: present, slice } : []
    }),
    remove: standing.filter(({ name }) => !names.has(name)),
  }
}

/** Labels and annotations that others added do not count. */
function isAsPlanned(own: OwnSlice | undefined, { metadata, ports, endpoints }: Slice): boolean {
  if (!own) return false
  const { labels, annotations, ownerReferences } = own.metadata
  return (
    has(labels, metadata.labels) &&
    has(annotations, metadata.annotations) &&
    annotations?.[RAW_PORTS] === metadata.annotations[RAW_PORTS] &&
    isSame(own.ports, ports) &&
    isSame(own.endpoints, endpoints) &&
    (!metadata.ownerReferences || isSame(ownerReferences, metadata.ownerReferences))
  )
}

function has(
  found: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => found[key] === value)
}

/** Compares values of JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const [fields, others] = [one, other].map((each) => Object.entries(each))
  const byName = new Map(others)
  return (
    fields?.length === byName.size &&
    fields.every(([name, value]) => byName.has(name) && isSame(value, byName.get(name)))
  )
}
