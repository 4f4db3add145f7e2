import type { Change } from '../domain/patch.ts'
import { readableState } from '../domain/state-codec.ts'
import {
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  hasSleepMark,
  type AnnotationName,
  type Workload,
} from '../domain/workload.ts'

interface Known {
  readonly counter: number
  readonly workload: Workload
}

/**
 * The newest marks that the informer saw of each workload, by uid. Others destroy them: `kubectl rollout
 * undo` puts an old copy back, `kubectl replace` drops them. The counter only grows, so one that fell
 * tells an old copy.
 */
export class Memory {
  readonly #known = new Map<string, Known>()

  /** The newest copy whose marks were in order. */
  newest({ uid }: Workload): Workload | undefined {
    return this.#known.get(uid)?.workload
  }

  /** Takes note of what the informer says now; true: its marks are in order, and as new as what was known. */
  note(workload: Workload): boolean {
    const known = this.#known.get(workload.uid)
    const back = known !== undefined && isOlder(workload, known.workload)
    if (this.recall(workload)) return false
    const { state } = workload.annotations
    const counter = state === known?.workload.annotations.state ? known?.counter : counterOf(state)
    // A repair of what cannot be read starts anew, and must not be taken for an old copy.
    if (counter === undefined) this.#known.delete(workload.uid)
    else this.#known.set(workload.uid, { counter, workload })
    return counter !== undefined && !back
  }

  /** What it takes to restore the marks of a copy, be it the informer's or a live one; undefined: nothing. */
  recall(workload: Workload): Change | undefined {
    const known = this.#known.get(workload.uid)
    // The informer only goes back where the cluster does, restored from a backup: then what it says is the truth.
    if (!known || workload.deleting || isOlder(workload, known.workload)) return undefined
    const { state } = workload.annotations
    if (state === undefined)
      return isLetGo(known.workload) ? undefined : restored(workload, known.workload, false)
    if (state !== known.workload.annotations.state) {
      const counter = counterOf(state)
      return counter !== undefined && counter <= known.counter
        ? restored(workload, known.workload, true)
        : undefined
    }
    const label = labelOf(known.workload)
    return label === labelOf(workload) ? undefined : { annotations: {}, label }
  }

  forget({ uid }: Workload): void {
    this.#known.delete(uid)
  }

  clear(): void {
    this.#known.clear()
  }
}

/** Whether the first of two copies of one workload has the older resourceVersion (decimal integers: KEP-5504). */
export function isOlder({ resourceVersion: a }: Workload, { resourceVersion: b }: Workload): boolean {
  return a.length === b.length ? a < b : a.length < b.length
}

/** Awake and not managed: people may clear away what is left on it. */
function isLetGo(known: Workload): boolean {
  return known.annotations.enabled !== 'true' && !hasSleepMark(known)
}

/** An old copy is replaced whole; of dropped marks what is absent comes back. */
function restored(workload: Workload, known: Workload, whole: boolean): Change {
  const annotations: Partial<Record<AnnotationName, string | null>> = {}
  for (const name of ANNOTATION_NAMES) {
    const present = workload.annotations[name]
    if (present === known.annotations[name] || (present !== undefined && !whole)) continue
    annotations[name] = known.annotations[name] ?? null
  }
  const label = labelOf(known)
  return { annotations, ...(label === labelOf(workload) ? {} : { label }) }
}

function labelOf({ labels }: Workload): string | null {
  return labels?.[ASLEEP_LABEL] ?? null
}

/** undefined: there is no state, or it cannot be read, which is not ours to judge. */
function counterOf(state: string | undefined): number | undefined {
  return state === undefined ? undefined : readableState(state)?.counter
}
