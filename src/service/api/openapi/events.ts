import { count, meaning, oneOf, record, text, type Schema } from '../../../domain/json-schema.ts'
import { TYPES } from '../../../domain/kinds.ts'
import { STATUS } from '../../../domain/records/shape.ts'
import { ERROR_CODES } from '../../process/errors.ts'

/** The events of a watched list, by name: when they come, and their data. */
const EVENTS: readonly { readonly names: readonly string[]; readonly when: string; readonly data: Schema }[] =
  [
    { names: ['added', 'changed'], when: 'A workload as it is now', data: STATUS },
    {
      names: ['removed'],
      when: 'It is gone, or matches no longer',
      data: record('Which', { name: text, namespace: text, type: oneOf(TYPES) }),
    },
    {
      names: ['listed'],
      when: 'All that was there has been told',
      data: record('How many', { workloads: count }),
    },
    {
      names: ['end'],
      when: 'The stream ends',
      data: record('Why', {
        code: meaning('Of an error; null: connect again', oneOf([...ERROR_CODES, null])),
        message: text,
      }),
    },
  ]

/** One server-sent event (HTML, section 9.2) as its reader gets it: its data is JSON. */
export const WATCH_EVENT: Schema = {
  description: 'One event of a list that is watched',
  oneOf: EVENTS.map(({ names, when, data }) => ({
    type: 'object',
    description: when,
    properties: {
      event: { enum: names },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    },
    required: ['event', 'data'],
    additionalProperties: false,
  })),
}
