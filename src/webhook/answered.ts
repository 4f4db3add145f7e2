import { mutations } from '../domain/patch.ts'
import type { Judgement } from '../domain/admission/judgement.ts'
import type { Workload } from '../domain/workload.ts'
import { allow, deny, patched, type ReviewAnswer } from './review.ts'

/** An answer with what log and metrics tell of it; `reason` is from a fixed set. */
export interface Answered {
  readonly answer: ReviewAnswer
  readonly decision: 'allowed' | 'denied' | 'patched'
  readonly reason: string
}

/** A judgement as the answer to a review of `object`, which its change is relative to. */
export function answered(uid: string, judgement: Judgement, object?: Workload): Answered {
  const { reason } = judgement
  const { warnings = [] } = judgement
  if (judgement.type === 'deny')
    return { answer: deny(uid, judgement.message, 403, warnings), decision: 'denied', reason }
  const { change } = judgement
  const operations = change && object ? mutations(object, change) : []
  if (operations.length === 0) return { answer: allow(uid, warnings), decision: 'allowed', reason }
  return { answer: patched(uid, operations, warnings), decision: 'patched', reason }
}
