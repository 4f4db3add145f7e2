import { valueAt } from '../json-pointer.ts'
import type { SwitchValues } from '../kinds.ts'
import { foundAt, operationsOn, testOf } from './field.ts'
import type { Form } from './form.ts'

/** Sleeps by one value of a field. It counts as 1, and as 0 while the field has that value, whoever set it. */
export function switchOf({ asleep, awake, words }: SwitchValues): Form {
  const valueOf = (replicas: number) => (replicas === 0 ? asleep : awake)
  return {
    name: 'switch',
    countInSpec: true,
    scales: false,
    countsPods: false,
    most: 1,
    words: {
      moved: (replicas) => (replicas === 0 ? words.asleep : words.woken),
      emptied: `${words.asleep} it`,
      kept: (replicas) => (replicas === 0 ? words.asleep : words.awake),
      empties: `${words.empties} it`,
    },
    read(object, field) {
      const value = valueAt(object, field)
      const position = { replicas: value === asleep ? 0 : 1, snoozeKey: undefined, hasNodeSelector: false }
      return value === asleep || value === awake ? position : { ...position, found: foundAt(object, field) }
    },
    // The Jobs that a CronJob has started finish, asleep or not: nobody waits for them.
    pods: (_status, { replicas }) => ({ existing: replicas, ready: replicas }),
    move(position, wake, replicas) {
      const target = wake ? Math.min(replicas, 1) : 0
      return position.replicas === target ? undefined : { replicas: target }
    },
    tests: (position, field) => testOf(position, field, valueOf(position.replicas)),
    operations: (position, field, { replicas }) =>
      operationsOn(position, field, replicas === undefined ? undefined : valueOf(replicas)),
  }
}
