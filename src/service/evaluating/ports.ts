import type { Step } from '../../domain/deciding/operation.ts'
import type { Reading } from '../../domain/workload/reading.ts'
import type { Unreadable } from '../../domain/workload/state-codec.ts'
import type { Workload } from '../../domain/workload/workload.ts'

/** What each copy means and what is to be done about it, made once for all who ask. */
export interface Evaluations {
  of(workload: Workload): { readonly reading: Reading | Unreadable; readonly step: Step }
}
