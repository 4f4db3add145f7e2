import { PROBE_LABEL, probeAnswer } from '../domain/workload.ts'
import type { Answered } from './answered.ts'
import { isJson, section } from './difference.ts'
import { allow, type ReviewRequest } from './review.ts'

/** What the leader sends: a stranger's text is not repeated. */
const NONCE = /^[0-9a-f]{16}$/

/** A review of the leader's own dry run, which proves that API servers reach us: the answer repeats its nonce. */
export function reviewProbe({ uid, object }: ReviewRequest): Answered {
  const labels = isJson(object) ? section(section(object.metadata).labels) : {}
  const nonce = labels[PROBE_LABEL]
  const warnings = typeof nonce === 'string' && NONCE.test(nonce) ? [probeAnswer(nonce)] : []
  return { answer: allow(uid, warnings), decision: 'allowed', reason: 'probe' }
}
