import { readWorkload, type Reading } from '../../src/domain/workload/reading.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import type { Change } from '../../src/domain/workload/change.ts'
import { decodeState, Unreadable } from '../../src/domain/workload/state-codec.ts'
import type { StoredState } from '../../src/domain/workload/state.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { RULES } from './rules.ts'

/** The state in these annotations; a test that expects one fails without. */
export function decoded(annotations: Change['annotations'] | undefined): StoredState {
  return demanded(decodeState(annotations?.state ?? '', annotations?.history ?? undefined))
}

/** As `readWorkload`, of a workload that can be read. */
export function read(workload: Workload, rules: Rules = RULES): Reading {
  return demanded(readWorkload(workload, rules))
}

function demanded<T>(found: T | Unreadable): T {
  if (found instanceof Unreadable) throw new Error(found.message)
  return found
}
