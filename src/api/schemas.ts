import { OPERATION_RESULTS, OPERATION_TYPES, PIN_STATES, TRIGGERS } from '../domain/state.ts'
import { KINDS, TYPE_OF } from '../domain/workload.ts'
import { WORKLOAD_STATES } from '../domain/workload-state.ts'
import { HTTP_STATUS } from '../errors.ts'
import { HOLD_PATTERN, WAIT_PATTERN } from './durations.ts'

/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 has them. */
export type Schema = Readonly<Record<string, unknown>>

/** What is wanted, in words: `must be …`. */
export const EXPECTED = 'x-expected'
/** The name of a reader (readers.ts) that judges what no pattern can; a list of values beside it is not all that it takes. */
export const READ_AS = 'x-read-as'

const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'

/** Those that this Node lists, in their present names; it takes former ones and any case, too. */
const TIMEZONES = ['', 'UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const count: Schema = { type: 'integer', minimum: 0 }
const time: Schema = { type: 'string', format: 'date-time' }
const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' }
const textOrNull: Schema = { type: ['string', 'null'] }

function component(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

function patterned(pattern: string, expected: string, rest: Schema = {}): Schema {
  return { type: 'string', pattern: `^(?:${pattern})$`, [EXPECTED]: expected, ...rest }
}

function whole(minimum: number, maximum: number, value: number): Schema {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return { type: 'integer', minimum, maximum, default: value, [EXPECTED]: expected }
}

/** An object that has all these properties and no other. */
function record(description: string, properties: Record<string, Schema>): Schema {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/** A request's body: any of these properties and no other. */
function body(description: string, properties: Record<string, Schema>): Schema {
  return { type: 'object', description, properties, additionalProperties: false }
}

function success(data: Schema, more: Record<string, Schema> = {}): Schema {
  return record('A success', { success: { const: true }, message: text, data, ...more, timestamp: time })
}

const hold = 'a duration such as 90m or 12h, from 1m to 8760h'

const namespace = patterned(DNS_LABEL, 'the name of a namespace', { maxLength: 63 })
const kind: Schema = { type: 'string', enum: KINDS }
const name = patterned(`${DNS_LABEL}(?:\\.${DNS_LABEL})*`, 'the name of a workload', { maxLength: 253 })

/** A parameter, but for its name and its place. */
export interface Described {
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

/** What stands in paths. */
export const PATH_PARAMETERS = {
  namespace: { description: 'Its namespace', schema: namespace, example: 'shop' },
  kind: { description: 'Its kind', schema: kind, example: 'deployments' },
  name: { description: 'Its name', schema: name, example: 'web' },
} as const satisfies Record<string, Described>

/** What may stand in queries; each operation names those that it takes. */
export const QUERY_PARAMETERS = {
  dryRun: { description: 'Answer what would happen and change nothing', schema: flag },
  wait: {
    description: 'Answer once the pods have followed, or after this time with operation_in_progress true',
    schema: patterned(WAIT_PATTERN, 'a duration such as 60s or 2m, from 1s to 5m'),
    example: '60s',
  },
  for: {
    description: 'How long this holds, edges of the schedule included',
    schema: patterned(HOLD_PATTERN, hold),
    example: '2h',
  },
  force: {
    description:
      'Do it even during backoff, and even where a StatefulSet would lose its volumes (`DATA_AT_RISK`)',
    schema: flag,
  },
  hours: {
    description: 'How far to look ahead',
    schema: whole(1, 744, 48),
  },
  namespace: { description: 'Only this namespace', schema: namespace, example: 'shop' },
  kind: { description: 'Only this kind', schema: kind, example: 'deployments' },
  state: { description: 'Only workloads in this state', schema: { type: 'string', enum: WORKLOAD_STATES } },
  labelSelector: {
    description: 'Only workloads with these labels, in the syntax of kubectl --selector',
    schema: {
      type: 'string',
      maxLength: 4096,
      [READ_AS]: 'labelSelector',
      examples: ['app=web,tier notin (db)'],
    },
  },
  limit: {
    description: 'At most so many records; a page may have fewer although there are more',
    schema: whole(1, 500, 100),
  },
  continue: {
    description: 'What the page before gave as continue',
    schema: { type: 'string', maxLength: 1024 },
  },
} as const satisfies Record<string, Described>

const setting: Record<string, Schema> = {
  schedule: {
    type: 'string',
    maxLength: 512,
    [READ_AS]: 'schedule',
    description: 'The hours to be awake; empty: none',
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

function meaning(description: string, schema: Schema): Schema {
  return { ...schema, description }
}

const statusRecord = record('A workload as Dormouse sees it', {
  name: text,
  namespace: text,
  type: { enum: Object.values(TYPE_OF) },
  enabled: meaning('Whether Dormouse manages it', flag),
  current_replicas: meaning(
    'The count that it asks for now; of a DaemonSet, how many pods are to run, and 0 while it sleeps',
    count,
  ),
  last_replicas: meaning(
    'Asleep: the count that it wakes to. Awake: the count before the latest snooze, else the current one',
    count,
  ),
  ready_replicas: meaning('How many pods are ready', count),
  is_snoozed: meaning('Whether Dormouse has put it to sleep', flag),
  snooze_requested: meaning('Whether a snooze by request is what holds now', flag),
  wake_requested: meaning('Whether a wake by request is what holds now', flag),
  snoozed_at: meaning('The latest snooze', timeOrNull),
  woken_at: meaning('The latest wake', timeOrNull),
  wake_schedule: meaning(
    'The hours awake in canonical form; null: none, or none that can be read',
    textOrNull,
  ),
  timezone: meaning('The zone that the schedule is read in', textOrNull),
  has_manual_override: meaning('Whether automatic behaviour is switched off', flag),
  manual_override_until: meaning('Its end; null while overridden: for good', timeOrNull),
  pin_state: meaning('How it is held', { enum: ['none', ...PIN_STATES] }),
  in_backoff_period: meaning('Whether automatic behaviour waits', flag),
  backoff_until: meaning('How long it waits', timeOrNull),
  operation_in_progress: meaning('Whether pods have still to follow the latest snooze or wake', flag),
  recent_operations: meaning('Snoozes and wakes within backoff.window', count),
  operation_history: meaning('The newest first', {
    type: 'array',
    maxItems: 20,
    items: component('Operation'),
  }),
  next_transition: meaning('The next change between awake and asleep if nobody acts', {
    anyOf: [component('Transition'), { type: 'null' }],
  }),
  reason: meaning('Why it is as it is, in words', text),
})

/** The parts that the operations of the document refer to. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Setting: body('A schedule and its zone', setting),
  Override: body('How long the override holds', {
    duration: patterned(`|${HOLD_PATTERN}`, `${hold}, or empty for a permanent one`),
  }),
  Nothing: body('Nothing', {}),
  StatusRecord: statusRecord,
  Operation: record('A snooze or a wake', {
    type: { enum: OPERATION_TYPES },
    trigger: meaning('What brought it about', { enum: TRIGGERS }),
    timestamp: time,
    replicas: { ...count, description: 'The count after it' },
    duration: {
      ...count,
      description: 'Milliseconds until the pods had followed; so far, while it is running',
    },
    by: meaning(
      'Who asked: k8s:…, oidc:…, local:…, or of a manual wake that no replica saw, manager: and the field manager',
      textOrNull,
    ),
    result: meaning('Superseded: the opposite came meanwhile', { enum: OPERATION_RESULTS }),
  }),
  Transition: record('A coming change of awake or asleep', {
    at: time,
    type: { enum: OPERATION_TYPES },
    reason: text,
  }),
  StatusAnswer: success(component('StatusRecord')),
  ListAnswer: success({ type: 'array', items: component('StatusRecord') }, { continue: textOrNull }),
  IndexAnswer: success(
    record('Where everything is', {
      openapi: meaning('The path of this document', text),
      workloads: meaning('The path of the list of everything', text),
      workload: meaning('The path of one workload, as a template', text),
      kinds: meaning('The kinds that there are', { type: 'array', items: kind }),
    }),
  ),
  PlanAnswer: success({ type: 'array', items: component('Transition') }),
  ErrorAnswer: record('Why it was not done, and what to do', {
    success: { const: false },
    error: record('The fault', {
      code: { enum: Object.keys(HTTP_STATUS) },
      message: text,
      details: {
        type: 'object',
        properties: { request_id: text, faults: { type: 'array', items: component('Fault') } },
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
