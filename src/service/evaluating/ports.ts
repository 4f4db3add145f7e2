import type { Step } from '../../domain/deciding/operation.ts'
import type { Reading } from '../../domain/workload/reading.ts'
import type { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Workload } from '../../domain/workload/workload.ts'

/** Evaluates each copy once, for all who use the result. */
export interface Evaluations {
  of(workload: Workload): { readonly reading: Reading | Unreadable; readonly step: Step }
  /** The meaning of a copy alone, which no time changes; also of the copy before a change, for those told of it. */
  reading(workload: Workload): Reading | Unreadable
}
