import type { Instant } from '../../../src/process/clock.ts'
import type { Refusal } from '../../../src/process/errors.ts'
import type { Update } from '../../../src/domain/admission/under-review.ts'
import { admitUpdate } from '../../../src/domain/admission/update.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { RULES } from '../../support/rules.ts'
import { NOON } from '../fixtures.ts'

export interface Options extends Partial<Omit<Update, 'before' | 'after'>> {
  readonly now?: Instant
  readonly rules?: Rules
  readonly refusal?: Refusal
}

/** The decision on an update by k8s:carol with kubectl, at noon, and the object that is stored then. */
export function updated(
  before: Workload,
  after: Workload,
  { now = NOON, rules = RULES, refusal, ...more }: Options = {},
) {
  const how = { otherChanges: false, isApply: false, manager: 'kubectl', by: 'k8s:carol', unknown: [] }
  const update: Update = { before, after, ...how, ...more }
  const decision = admitUpdate(update, now, rules, refusal)
  const result = decision.type === 'patched' ? changed(after, decision.change) : after
  return { ...decision, result, update }
}
