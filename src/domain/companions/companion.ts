import type { Instant } from '../../process/clock.ts'
import { annotationAt } from '../annotations.ts'
import { isRecord } from '../json-schema.ts'
import { namesIn, valueAt } from '../json-pointer.ts'
import type { ConfiguredKind, Kind } from '../kinds.ts'

/**
 * Ours, beside a value that we set: the former one, as JSON; empty: there was none. A list of both, ours first, where ours
 * does not follow from the row.
 */
export const PAUSED = 'dormouse.dev/paused'
export const MARK = annotationAt(PAUSED)

/**
 * How an object stands beside workloads: its `spec.scaleTargetRef` names one, it is the controller owner of some, or a
 * field of it, a JSON pointer, names one of this kind.
 */
export type Link =
  | { readonly by: 'target' }
  | { readonly by: 'owner' }
  | { readonly by: 'field'; readonly field: string; readonly kind: Kind }

/** How a resource is paused: by the value that stands in one place. */
export interface Pausing {
  /** The value beside a workload that sleeps at this count; undefined: none is needed. */
  at(rest: number): unknown
  /** Whether a value that we did not set lets it rest already: a pause of others stays as it is. */
  isMet(companion: Companion, wanted: unknown): boolean
  /** The value with which a former one comes back; absent: itself. */
  back?(companion: Companion, former: unknown): unknown
  /** Other places on which `isMet` depends. */
  readonly tested?: readonly string[]
}

/** A resource whose objects stand beside workloads, and what of them is read and written. */
export interface CompanionRow {
  /** `scaledobjects.keda.sh` */
  readonly resource: ConfiguredKind
  readonly link: Link
  /** The JSON pointer to the value. */
  readonly place: string
  /** Absent: it is never written. */
  readonly pause?: Pausing
  /** The values with which it holds back the sleep of its workload; absent: it does not. */
  readonly busy?: readonly unknown[]
  /** It stands in the configuration: then a cluster that does not have it is worth a word. */
  readonly isConfigured?: true
  /** Every cluster serves it there. It is followed only while a workload sleeps that needs it, or a pause of ours is left. */
  readonly builtIn?: Served
  /** Other places that are read. */
  readonly reads?: readonly string[]
}

/** The place where the cluster serves a resource. */
export interface Served {
  /** `/apis/keda.sh/v1alpha1` */
  readonly base: string
  /** `ScaledObject` */
  readonly kind: string
}

/** An object beside workloads, trimmed. Never changed in place. */
export interface Companion {
  readonly row: CompanionRow
  readonly served: Served
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly createdAt: Instant
  readonly deleting: boolean
  /** The object with nothing but the places of its row; the objects around them are there if they are in the cluster. */
  readonly object: object
}

/** It is paused while the workload sleeps by one value, which is the same for all. */
export function pausedAt(asleep: unknown): Pausing {
  return {
    at: () => asleep,
    isMet: (companion) => valueOf(companion) === asleep,
  }
}

/** `scaledobjects.keda.sh/shop/web` */
export function keyOfCompanion({
  row,
  namespace,
  name,
}: Pick<Companion, 'row' | 'namespace' | 'name'>): string {
  return `${row.resource}/${namespace}/${name}`
}

/** As messages name it: `ScaledObject web`. */
export function nameOfCompanion({ served, name }: Pick<Companion, 'served' | 'name'>): string {
  return `${served.kind} ${name}`
}

export function valueOf({ row, object }: Pick<Companion, 'row' | 'object'>): unknown {
  return valueAt(object, row.place)
}

const TARGET = '/spec/scaleTargetRef'

/** All places of a row. */
export function placesOf({ link, place, pause, reads = [] }: CompanionRow): readonly string[] {
  const linked = link.by === 'target' ? [TARGET] : link.by === 'field' ? [link.field] : []
  return [place, ...linked, ...reads, ...(pause ? [MARK, ...(pause.tested ?? [])] : [])]
}

/** The workload that it scales, by `spec.scaleTargetRef`, with KEDA's defaults. */
export function targetIn({ object }: Pick<Companion, 'object'>) {
  const text = (name: string, byDefault: string) => {
    const value = valueAt(object, `${TARGET}/${name}`)
    return typeof value === 'string' && value !== '' ? value : byDefault
  }
  return {
    apiVersion: text('apiVersion', 'apps/v1'),
    kind: text('kind', 'Deployment'),
    name: text('name', ''),
  }
}

/** Nothing but these places of an object, and the objects around them. */
export function picked(object: unknown, places: readonly string[]): object {
  const kept = {}
  for (const place of places) {
    let [from, to] = [object, kept as Record<string, unknown>]
    const names = namesIn(place)
    for (const [depth, name] of names.entries()) {
      const value = isRecord(from) ? from[name] : undefined
      if (value === undefined || value === null) break
      to[name] = depth < names.length - 1 && isRecord(value) ? (to[name] ?? {}) : value
      ;[from, to] = [value, to[name] as Record<string, unknown>]
    }
  }
  return kept
}
