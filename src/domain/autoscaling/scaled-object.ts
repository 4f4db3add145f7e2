import { annotationAt } from '../annotations.ts'
import { valueOf, type Companion, type CompanionRow } from '../companions/companion.ts'
import { isPausedByUs } from '../companions/mark.ts'
import { valueAt } from '../json-pointer.ts'

/** KEDA's: it stops, and leaves the count alone. A boolean; any other text counts as true. */
export const PAUSED_BY_OTHERS = 'autoscaling.keda.sh/paused'
/** KEDA's: it stops at this count. Its presence alone pauses. */
export const PAUSED_REPLICAS = 'autoscaling.keda.sh/paused-replicas'
const MIN = '/spec/minReplicaCount'

/** The count at which KEDA pauses a sleeper, unless that sleeps down to n. */
export const PAUSED_AT = '0'

/** KEDA's ScaledObjects. */
export const SCALED_OBJECTS = {
  resource: 'scaledobjects.keda.sh',
  link: { by: 'target' },
  place: annotationAt(PAUSED_REPLICAS),
  reads: [MIN],
  pause: {
    at: String,
    isMet: (companion) => valueOf(companion) !== undefined || pausedByOthers(companion) !== undefined,
    tested: [annotationAt(PAUSED_BY_OTHERS)],
  },
} as const satisfies CompanionRow

export function minReplicasOf({ object }: Pick<Companion, 'object'>): number {
  const min = valueAt(object, MIN)
  return typeof min === 'number' ? min : 0
}

/** Why KEDA is paused by others, for reasons; undefined: it is not. */
export function pausedByOthers(companion: Companion): string | undefined {
  const { name, object } = companion
  const says = (annotation: string, value: unknown) =>
    `ScaledObject ${name} has ${annotation}: ${JSON.stringify(value)}`
  const paused = valueAt(object, annotationAt(PAUSED_BY_OTHERS))
  if (typeof paused === 'string' && !FALSE.has(paused)) return says(PAUSED_BY_OTHERS, paused)
  const replicas = valueOf(companion)
  if (replicas === undefined) return undefined
  return isPausedByUs(companion) ? undefined : says(PAUSED_REPLICAS, replicas)
}

/** The texts that Go's `strconv.ParseBool` reads as false. */
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE'])
