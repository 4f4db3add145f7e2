import { SNOOZE_KEY, SNOOZED } from '../annotations.ts'
import { setOrRemove } from '../json-patch.ts'
import { stepOf, valueAt } from '../json-pointer.ts'
import { COUNT } from './count.ts'
import type { Form } from './form.ts'

/** Sleeps with a nodeSelector that no node satisfies: our key in it, with whatever value. */
export const NODE_SELECTOR: Form = {
  name: 'nodeSelector',
  countInSpec: false,
  scales: false,
  countsPods: true,
  most: Infinity,
  entry: SNOOZE_KEY,
  words: { ...COUNT.words, moved: () => 'woken' },
  read({ spec, status }, field) {
    const selector = valueAt({ spec }, field) as Readonly<Record<string, string>> | undefined
    return {
      replicas: status?.desiredNumberScheduled ?? 0,
      snoozeKey: selector?.[SNOOZE_KEY],
      hasNodeSelector: Boolean(selector),
    }
  },
  pods: ({ currentNumberScheduled = 0, numberMisscheduled = 0, numberReady = 0 }) => ({
    existing: currentNumberScheduled + numberMisscheduled,
    ready: numberReady,
  }),
  move({ snoozeKey }, wake) {
    if (wake === (snoozeKey === undefined)) return undefined
    return { snoozeKey: wake ? null : SNOOZED }
  },
  tests: ({ hasNodeSelector, snoozeKey }, field) => [
    hasNodeSelector
      ? { op: 'test', path: keyIn(field), value: snoozeKey ?? null }
      : { op: 'test', path: field, value: null },
  ],
  operations({ hasNodeSelector, snoozeKey: present }, field, { snoozeKey }) {
    if (hasNodeSelector) return setOrRemove(keyIn(field), snoozeKey, present)
    return typeof snoozeKey === 'string'
      ? [{ op: 'add', path: field, value: { [SNOOZE_KEY]: snoozeKey } }]
      : []
  },
}

function keyIn(field: string): string {
  return `${field}/${stepOf(SNOOZE_KEY)}`
}
