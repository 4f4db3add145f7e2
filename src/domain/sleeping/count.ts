import { valueAt } from '../json-pointer.ts'
import { counted } from '../text.ts'
import { foundAt, operationsOn, testOf } from './field.ts'
import type { Form } from './form.ts'

/** Sleeps with another count, mostly 0. */
export const COUNT: Form = {
  name: 'count',
  countInSpec: true,
  scales: true,
  countsPods: true,
  most: Infinity,
  words: {
    moved: (replicas) => `scaled to ${counted(replicas, 'replica')}`,
    emptied: 'scaled it to 0',
    kept: (replicas) => `at ${replicas}`,
    empties: 'sets 0 replicas',
  },
  read(object, field) {
    const count = valueAt(object, field)
    const others = { snoozeKey: undefined, hasNodeSelector: false }
    // The API server defaults an absent count to 1; what a configured kind does is not known.
    return typeof count === 'number'
      ? { replicas: count, ...others }
      : { replicas: 1, ...others, found: foundAt(object, field) }
  },
  pods: ({ replicas = 0, readyReplicas = 0, terminatingReplicas = 0 }) => ({
    existing: replicas + terminatingReplicas,
    ready: readyReplicas,
  }),
  move: (position, _wake, replicas) => (position.replicas === replicas ? undefined : { replicas }),
  tests: (position, field) => testOf(position, field, position.replicas),
  operations: (position, field, { replicas }) => operationsOn(position, field, replicas),
}
