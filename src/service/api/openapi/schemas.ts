import {
  count,
  listOf,
  meaning,
  oneOf,
  flag,
  orNull,
  READ_AS,
  record,
  text,
  time,
  type Schema,
} from '../../../domain/json-schema.ts'
import { TYPES } from '../../../domain/kinds.ts'
import {
  countEach,
  NAMESPACE,
  NEXT_CHANGE,
  OPERATION,
  POLICY,
  REASON_VALUES,
  REMEDY,
  REMEDY_OR_NONE,
  SAVED,
  SAVED_OF_TEAM,
  STATE_COUNTS,
  STATUS,
  TRANSITION,
} from '../../../domain/records/shape.ts'
import { A_DURATION } from '../../../domain/schedule/duration.ts'
import { ERROR_CODES } from '../../../process/errors.ts'
import { BULK_RESULTS } from '../../../domain/records/bulk.ts'
import { BULK_ITEM, MOST_WORKLOADS } from '../bulk/item.ts'
import { kind, PLAN_PAGE, schedule } from './parameters.ts'
import { body, byReference, duration, success } from './schema.ts'

/** The zones that this Node lists, in their present names. The API also takes former names, in any case. */
const TIMEZONES = ['', 'UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

const timezone: Schema<string> = {
  type: 'string',
  maxLength: 64,
  [READ_AS]: 'timezone',
  enum: TIMEZONES,
  description: "An IANA name, former ones included; absent: as it is; empty: the service's own",
  examples: ['Europe/Berlin'],
}

/** The settings in bodies. */
export const SETTING = body('A schedule and its zone', { schedule, timezone })
export const OVERRIDE = body('How long the override holds', {
  duration: duration('limitOrNone', `${A_DURATION}, or empty for a permanent one`),
})

const FAULT = record('One fault of a request', {
  in: oneOf(['path', 'query', 'body']),
  pointer: meaning('A JSON pointer into that part of the request', text),
  message: text,
})

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
const WATCH_EVENT: Schema = {
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

/** The components of the document: bodies, answers and their parts. */
export const SCHEMAS = byReference({
  Setting: SETTING,
  Override: OVERRIDE,
  Nothing: body('Nothing', {}),
  StatusRecord: STATUS,
  Remedy: REMEDY,
  Policy: POLICY,
  Operation: OPERATION,
  Transition: TRANSITION,
  StatusAnswer: success(STATUS),
  ListAnswer: success(listOf(STATUS), { continue: orNull(text) }),
  IndexAnswer: success(
    record('Where everything is', {
      openapi: meaning('The path of this document', text),
      workloads: meaning('The path of the list of everything', text),
      namespaces: meaning('The path of the list of namespaces', text),
      workload: meaning('The path of one workload, as a template', text),
      kinds: meaning('All kinds', listOf(kind)),
      cluster: meaning('The name that the configuration gives the cluster; null: none', orNull(text)),
      user: meaning('The name that the token was authenticated by; null: it is not known', orNull(text)),
      may_change: meaning(
        'Whether the token allows changes at all; null: the cluster decides for each workload',
        orNull(flag),
      ),
    }),
  ),
  PlanAnswer: success({ ...listOf(TRANSITION), maxItems: PLAN_PAGE }, { continue: orNull(text) }),
  BulkItem: BULK_ITEM,
  BulkAnswer: success(
    record('What became of all', {
      items: { ...listOf(BULK_ITEM), maxItems: MOST_WORKLOADS },
      counts: record('How many had each result', countEach(BULK_RESULTS)),
    }),
  ),
  NamespaceRecord: NAMESPACE,
  StateCounts: STATE_COUNTS,
  NextChange: NEXT_CHANGE,
  Saved: SAVED,
  SavedOfTeam: SAVED_OF_TEAM,
  NamespaceAnswer: success(NAMESPACE),
  WatchEvent: WATCH_EVENT,
  NamespacesAnswer: success(listOf(NAMESPACE), { continue: orNull(text) }),
  ErrorAnswer: record('Why it was not done, and what to do', {
    success: { const: false },
    error: record('The fault', {
      code: oneOf(ERROR_CODES),
      message: text,
      details: {
        type: 'object',
        properties: {
          request_id: text,
          faults: listOf(FAULT),
          reason_code: text,
          reason_values: REASON_VALUES,
          remedy: REMEDY_OR_NONE,
        },
        required: ['request_id'],
      },
    }),
    timestamp: time,
  }),
  Fault: FAULT,
})
