import { isBuiltIn } from '../domain/kinds.ts'
import type { Workload } from '../domain/workload/workload.ts'
import { systemMonotonic, type Monotonic } from '../process/clock.ts'
import type { WorkloadObject } from './api-object.ts'

/** Characters of all texts together. */
const BUDGET = 24_000_000
/** Milliseconds: an object that was changed since is in motion, so that another change comes before our write. */
const IN_MOTION = 1000
/** An integer that JavaScript may have rounded. */
const LONG_NUMBER = /\d{16}/

interface Text {
  readonly resourceVersion: string
  readonly json: string
  /** Monotonic. */
  readonly since: number
}

interface Options {
  /** Whether the workload may be written soon. */
  readonly keeps: (workload: Workload) => boolean
  readonly budget?: number
  readonly now?: Monotonic
}

/**
 * Whole objects as the API server delivered them last, as text: a PUT of one, changed, is the cheapest write for the API
 * server (decision 0025). Without `managedFields`: it keeps its own where a PUT has none. Past its budget it keeps those that
 * it has.
 */
export class Delivered {
  readonly #options: Required<Options>
  readonly #texts = new Map<string, Text>()
  #size = 0

  constructor({ keeps, budget = BUDGET, now = systemMonotonic }: Options) {
    this.#options = { keeps, budget, now }
  }

  /** An object of a list or watch, and its copy. */
  take(copy: Workload, object: WorkloadObject): void {
    const { keeps, budget, now } = this.#options
    this.forget(copy.uid)
    if (this.#size >= budget || !keeps(copy)) return
    const json = textOf(copy, object)
    this.#texts.set(copy.uid, { resourceVersion: copy.resourceVersion, json, since: now() })
    this.#size += json.length
  }

  forget(uid: string): void {
    this.#size -= this.#texts.get(uid)?.json.length ?? 0
    this.#texts.delete(uid)
  }

  /** The whole object of this copy, to change and send; undefined: it is not kept, in motion, or might come back changed. */
  of({ uid, resourceVersion }: Workload): WorkloadObject | undefined {
    const text = this.#texts.get(uid)
    if (text?.resourceVersion !== resourceVersion) return undefined
    if (this.#options.now() - text.since < IN_MOTION || LONG_NUMBER.test(text.json)) return undefined
    return JSON.parse(text.json) as WorkloadObject
  }
}

/** The object without what a PUT does not need: the API server takes the status of a built-in kind through its subresource alone. */
export function textOf({ kind }: Workload, object: WorkloadObject): string {
  const metadata = { ...object.metadata, managedFields: undefined }
  return JSON.stringify(
    isBuiltIn(kind) ? { ...object, metadata, status: undefined } : { ...object, metadata },
  )
}
