import type { PolicyRecord } from '../../../domain/records/policy-record.ts'
import type { HistoryRecord, StatusRecord, TransitionRecord } from '../../../domain/records/record.ts'
import {
  HOLDERS,
  OPERATION_RESULTS,
  OPERATION_TYPES,
  PHASES,
  PIN_STATES,
  TRIGGERS,
} from '../../../domain/workload/state.ts'
import { TYPES } from '../../../domain/kinds.ts'
import type { NamespaceRecord, NextChange, SavedRecord } from '../../../domain/records/namespace-record.ts'
import { WORKLOAD_STATES } from '../../../domain/records/workload-state.ts'
import { HTTP_STATUS } from '../../process/errors.ts'
import { BULK_RESULTS, MOST_WORKLOADS, type BulkItem } from '../bulk/item.ts'
import { A_DURATION } from '../../../domain/schedule/duration.ts'
import { WATCH_EVENT } from './events.ts'
import { kind, PLAN_PAGE } from './parameters.ts'
import {
  arrayOf,
  body,
  component,
  count,
  duration,
  flag,
  meaning,
  oneOf,
  READ_AS,
  record,
  success,
  text,
  textOrNull,
  time,
  timeOrNull,
  type Schema,
} from './schema.ts'

/** The zones that this Node lists, in their present names. The API also takes former names, in any case. */
const TIMEZONES = ['', 'UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

const setting: Record<string, Schema> = {
  schedule: {
    type: 'string',
    maxLength: 512,
    format: 'schedule',
    [READ_AS]: 'schedule',
    description:
      'The hours to be awake: windows `<start>-<end>,<days>`, joined by `;`. Without days: every day. An end before its start is of the next day; one equal to it is refused. Empty: none',
    examples: ['8:00-18:00,Mon-Fri'],
  },
  timezone: {
    type: 'string',
    maxLength: 64,
    [READ_AS]: 'timezone',
    enum: TIMEZONES,
    description: "An IANA name, former ones included; absent: as it is; empty: the service's own",
    examples: ['Europe/Berlin'],
  },
}

const values: Schema = { type: 'object', additionalProperties: { type: ['string', 'integer', 'null'] } }

const remedy: Schema = {
  anyOf: [component('Remedy'), { type: 'null' }],
  description: 'The request that ends it; null: none does, or time',
}

const statusFields: Record<keyof StatusRecord, Schema> = {
  name: text,
  namespace: text,
  type: { enum: TYPES },
  enabled: meaning('Whether Dormouse manages it', flag),
  current_replicas: meaning(
    'The count that it asks for now; DaemonSet: how many pods should run, and 0 while asleep; CronJob: 1, or 0 while it is suspended',
    count,
  ),
  last_replicas: meaning(
    'Asleep: the count that it wakes to. Awake: the count before the latest snooze, else the current one',
    count,
  ),
  ready_replicas: meaning('How many pods are ready; CronJob: as current_replicas', count),
  phase: meaning('Whether it sleeps; waking, falling_asleep: its pods have not followed yet', {
    enum: PHASES,
  }),
  held_by: meaning('Why its schedule is not carried out; null: nothing holds it', {
    enum: [...HOLDERS, null],
  }),
  is_snoozed: meaning('Whether Dormouse has put it to sleep', flag),
  snooze_requested: meaning('Whether a snooze by request is in force', flag),
  wake_requested: meaning('Whether a wake by request is in force', flag),
  snoozed_at: meaning('The latest snooze', timeOrNull),
  woken_at: meaning('The latest wake', timeOrNull),
  wake_schedule: meaning(
    'The hours awake in canonical form; null: no schedule, or one that cannot be read',
    textOrNull,
  ),
  timezone: meaning('The zone that the schedule is read in', textOrNull),
  has_manual_override: meaning('Whether automatic behaviour is switched off', flag),
  manual_override_until: meaning('Its end; null while overridden: for good', timeOrNull),
  pin_state: meaning('The state it is pinned in', { enum: ['none', ...PIN_STATES] }),
  in_backoff_period: meaning('Whether automatic behaviour waits', flag),
  backoff_until: meaning('Until when it waits', timeOrNull),
  operation_in_progress: meaning('Whether pods still have to follow the latest snooze or wake', flag),
  recent_operations: meaning('Snoozes and wakes within backoff.window', count),
  operation_history: meaning('The newest first', {
    type: 'array',
    maxItems: 20,
    items: component('Operation'),
  }),
  next_transition: meaning('The next change between awake and asleep if nobody acts', {
    anyOf: [component('Transition'), { type: 'null' }],
  }),
  policy: component('Policy'),
  reason: meaning('Why it is as it is, in words', text),
  reason_code: meaning('The same for programs; a later release may add codes', text),
  reason_values: meaning('What the words contain: by, until, since, source, fault and the like', values),
  remedy,
}

function settingOf(value: Schema): Schema {
  return record('A setting in force', {
    value: meaning('null: not set, or invalid', value),
    source: meaning(
      'Where it stands: workload, namespace/…, policy/… or default; null: it is not set',
      textOrNull,
    ),
  })
}

const flagOrNull: Schema = { type: ['boolean', 'null'] }
const policyFields: Record<keyof PolicyRecord, Schema> = {
  enabled: settingOf(flagOrNull),
  schedule: settingOf(textOrNull),
  timezone: settingOf(textOrNull),
  calendar: settingOf(textOrNull),
  auto_wake: settingOf(flagOrNull),
}

const operationFields: Record<keyof HistoryRecord, Schema> = {
  type: { enum: OPERATION_TYPES },
  trigger: oneOf('What caused it', TRIGGERS),
  timestamp: time,
  replicas: { ...count, description: 'The count after it' },
  duration: {
    ...count,
    description: 'Milliseconds until the pods had followed; while running: so far',
  },
  by: meaning(
    'Who asked: k8s:…, oidc:…, local:…; for a manual wake review: and the user, or, where no replica saw them, manager: and the field manager',
    textOrNull,
  ),
  result: oneOf('Superseded: the opposite came meanwhile', OPERATION_RESULTS),
}

const transitionFields: Record<keyof TransitionRecord, Schema> = {
  at: time,
  type: { enum: OPERATION_TYPES },
  reason: text,
}

const bulkItemFields: Record<keyof BulkItem, Schema> = {
  kind,
  name: text,
  result: meaning('In a dry run: what it would be. Unchanged: it holds already', { enum: BULK_RESULTS }),
  code: meaning('Of the refusal, as of an error; null: it was not refused', {
    enum: [...Object.keys(HTTP_STATUS), null],
  }),
  message: meaning('What was done, or why it was not and what to do', text),
  operation_in_progress: meaning('Whether pods still have to follow', flag),
}

const savedFields: Record<keyof SavedRecord, Schema> = {
  since: meaning('A week ago', time),
  replica_seconds: meaning('Kept replicas, multiplied by the time asleep', count),
  cpu_core_seconds: meaning('The CPU that they request, multiplied by the time asleep', count),
  memory_byte_seconds: meaning('The memory that they request, multiplied by the time asleep', count),
}

const nextChangeFields: Record<keyof NextChange, Schema> = {
  at: time,
  type: { enum: OPERATION_TYPES },
  workloads: meaning('How many do that then', count),
}

const namespaceFields: Record<keyof NamespaceRecord, Schema> = {
  name: text,
  workloads: meaning('How many there are that you may list', count),
  counts: {
    type: 'object',
    description:
      'How many are in each state, by kind; without the kinds that it has none of, or that you may not list',
    additionalProperties: component('StateCounts'),
  },
  next_transition: meaning('The next change between awake and asleep if nobody acts', {
    anyOf: [component('NextChange'), { type: 'null' }],
  }),
  saved: component('Saved'),
  policy: component('Policy'),
}

/** The components of the document: bodies, answers and their parts. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Setting: body('A schedule and its zone', setting),
  Override: body('How long the override holds', {
    duration: duration('limitOrNone', `${A_DURATION}, or empty for a permanent one`),
  }),
  Nothing: body('Nothing', {}),
  StatusRecord: record('A workload as Dormouse sees it', statusFields),
  Remedy: record('A request that ends what a reason or a refusal tells of', {
    action: meaning('The operationId: enable, wake, snooze, unpin, clearOverride', text),
    query: { type: 'object', additionalProperties: text },
  }),
  Policy: record('The settings in force, and where each stands', policyFields),
  Operation: record('A snooze or a wake', operationFields),
  Transition: record('A coming change of awake or asleep', transitionFields),
  StatusAnswer: success(component('StatusRecord')),
  ListAnswer: success(arrayOf(component('StatusRecord')), { continue: textOrNull }),
  IndexAnswer: success(
    record('Where everything is', {
      openapi: meaning('The path of this document', text),
      workloads: meaning('The path of the list of everything', text),
      namespaces: meaning('The path of the list of namespaces', text),
      workload: meaning('The path of one workload, as a template', text),
      kinds: meaning('All kinds', arrayOf(kind)),
    }),
  ),
  PlanAnswer: success({ ...arrayOf(component('Transition')), maxItems: PLAN_PAGE }, { continue: textOrNull }),
  BulkItem: record('What became of one workload of a namespace', bulkItemFields),
  BulkAnswer: success(
    record('What became of all', {
      items: { ...arrayOf(component('BulkItem')), maxItems: MOST_WORKLOADS },
      counts: record(
        'How many had each result',
        Object.fromEntries(BULK_RESULTS.map((result) => [result, count])),
      ),
    }),
  ),
  NamespaceRecord: record('A namespace as Dormouse sees it', namespaceFields),
  StateCounts: record(
    'How many workloads are in each state',
    Object.fromEntries(WORKLOAD_STATES.map((state) => [state, count])),
  ),
  NextChange: record('The next change in a namespace', nextChangeFields),
  Saved: record('What sleep saved in the last week, as far as histories reach', savedFields),
  NamespaceAnswer: success(component('NamespaceRecord')),
  WatchEvent: WATCH_EVENT,
  NamespacesAnswer: success(arrayOf(component('NamespaceRecord')), { continue: textOrNull }),
  ErrorAnswer: record('Why it was not done, and what to do', {
    success: { const: false },
    error: record('The fault', {
      code: { enum: Object.keys(HTTP_STATUS) },
      message: text,
      details: {
        type: 'object',
        properties: {
          request_id: text,
          faults: arrayOf(component('Fault')),
          reason_code: text,
          reason_values: values,
          remedy,
        },
        required: ['request_id'],
      },
    }),
    timestamp: time,
  }),
  Fault: record('One fault of a request', {
    in: { enum: ['path', 'query', 'body'] },
    pointer: { ...text, description: 'A JSON pointer into that part of the request' },
    message: text,
  }),
}
