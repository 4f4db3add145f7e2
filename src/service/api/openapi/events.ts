import { TYPES } from '../../../domain/kinds.ts'
import { HTTP_STATUS } from '../../process/errors.ts'
import { component, count, record, text, type Schema } from './schema.ts'

/** The events of a watched list, by name: when they come, and their data. */
const EVENTS: readonly { readonly names: readonly string[]; readonly when: string; readonly data: Schema }[] =
  [
    { names: ['added', 'changed'], when: 'A workload as it is now', data: component('StatusRecord') },
    {
      names: ['removed'],
      when: 'It is gone, or matches no longer',
      data: record('Which', { name: text, namespace: text, type: { enum: TYPES } }),
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
        code: { enum: [...Object.keys(HTTP_STATUS), null], description: 'Of an error; null: connect again' },
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
