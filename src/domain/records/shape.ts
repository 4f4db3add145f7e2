import {
  count,
  flag,
  listOf,
  mapOf,
  meaning,
  oneOf,
  orNull,
  record,
  text,
  time,
  type Schema,
} from '../json-schema.ts'
import { byField, byForm, type FieldOf, type SettingName, type SettingValue } from '../inheritable.ts'
import { TYPES } from '../kinds.ts'
import { FOLLOWERS } from '../sleeping/follower.ts'
import type { Source } from '../policy/settings.ts'
import type { ReasonValues, Remedy } from '../workload/explanation.ts'
import type { Trouble } from '../workload/trouble.ts'
import { HOLDERS, OPERATION_RESULTS, PHASES, PIN_STATES } from '../workload/state.ts'
import { OPERATION_TYPES, TRIGGERS, type Open } from '../workload/trigger.ts'
import { WORKLOAD_STATES } from './workload-state.ts'

// Records as the API shows them, field by field; every field always present. Their types follow from here (import this
// file as a type where it need not be loaded), and so does the OpenAPI document.

/** A part of a record that may be null. */
function orNothing<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { anyOf: [schema, { type: 'null' }] }
}

/** A value of a list that later releases may extend: during a rolling update a replica shows values of a newer one. */
function openName<Known extends string>(description: string, known: readonly Known[]): Schema<Open<Known>> {
  return { ...text, description: `${description}. ${known.join(', ')}, or what a later release adds` }
}

/** A count for each of these names. */
export function countEach<Name extends string>(names: readonly Name[]): Record<Name, Schema<number>> {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, Schema<number>>
}

export const OPERATION = record('A snooze or a wake', {
  type: oneOf(OPERATION_TYPES),
  trigger: openName('What caused it', TRIGGERS),
  timestamp: time,
  replicas: meaning('The count after it', count),
  duration: meaning('Milliseconds until the pods had followed; while running: so far', count),
  by: meaning(
    'Who asked: k8s:…, oidc:…, local:…; for a manual wake review: and the user, or, where no replica saw them, manager: and the field manager',
    orNull(text),
  ),
  result: openName('Superseded: the opposite came meanwhile', OPERATION_RESULTS),
})

export const TRANSITION = record('A coming change of awake or asleep', {
  at: time,
  type: oneOf(OPERATION_TYPES),
  reason: text,
})

export const REMEDY: Schema<Remedy> = record('A request that ends what a reason or a refusal tells of', {
  action: meaning(
    'The operationId: enable, wake, snooze, unpin, clearOverride',
    text as Schema<Remedy['action']>,
  ),
  query: mapOf(text),
})

/** As `Explanation` has them. */
export const REASON_VALUES: Schema<ReasonValues> = {
  type: 'object',
  additionalProperties: { type: ['string', 'integer', 'null'] },
}
export const REMEDY_OR_NONE = meaning('The request that ends it; null: none does, or time', orNothing(REMEDY))

const TROUBLE: Schema<Trouble> = record('Why pods do not come, in the words of the cluster', {
  code: meaning('The reason as Kubernetes names it, such as FailedCreate or ProgressDeadlineExceeded', text),
  message: meaning('On one line, and cut', text),
})

function settingOf<Value>(value: Schema<Value>) {
  return record('A setting in force', {
    value: meaning('null: not set, or invalid', orNull(value)),
    source: meaning(
      'Where it stands: workload, namespace/…, policy/… or default; null: it is not set',
      orNull(text as Schema<Source>),
    ),
  })
}

type SettingSchemas = {
  readonly [Name in SettingName as FieldOf<Name>]: ReturnType<typeof settingOf<SettingValue<Name>>>
}
const BY_FORM = { flag: settingOf(flag), count: settingOf(count), text: settingOf(text) }
const SETTING_SCHEMAS = byField<SettingSchemas>((name) => byForm(name, BY_FORM))

export const POLICY = record('The settings in force, and where each stands', SETTING_SCHEMAS)

export const STATUS = record('A workload as Dormouse sees it', {
  name: text,
  namespace: text,
  type: oneOf(TYPES),
  enabled: meaning('Whether Dormouse manages it', flag),
  current_replicas: meaning(
    'The count that it asks for now; DaemonSet: how many pods should run, and 0 while asleep; CronJob: 1, or 0 while it is suspended; so with other switches',
    count,
  ),
  last_replicas: meaning(
    'Asleep: the count that it wakes to. Awake: the count before the latest snooze, else the current one',
    count,
  ),
  ready_replicas: meaning(
    'How many pods are ready; CronJob: as current_replicas; other switches: 1 once their operator says so',
    count,
  ),
  phase: meaning('Whether it sleeps; waking, falling_asleep: its pods have not followed yet', oneOf(PHASES)),
  held_by: meaning('Why its schedule is not carried out; null: nothing holds it', oneOf([...HOLDERS, null])),
  is_snoozed: meaning('Whether Dormouse has put it to sleep', flag),
  snooze_requested: meaning('Whether a snooze by request is in force', flag),
  wake_requested: meaning('Whether a wake by request is in force', flag),
  snoozed_at: meaning('The latest snooze', orNull(time)),
  woken_at: meaning('The latest wake', orNull(time)),
  wake_schedule: meaning(
    'The hours awake in canonical form; null: no schedule, or one that cannot be read',
    orNull(text),
  ),
  timezone: meaning('The zone that the schedule is read in', orNull(text)),
  has_manual_override: meaning('Whether automatic behaviour is switched off', flag),
  manual_override_until: meaning('Its end; null while overridden: for good', orNull(time)),
  pin_state: meaning('The state it is pinned in', oneOf(['none', ...PIN_STATES])),
  in_backoff_period: meaning('Whether automatic behaviour waits', flag),
  backoff_until: meaning('Until when it waits', orNull(time)),
  late: meaning(
    'Whether its latest wake took longer than operationTimeout and pods are still missing; its phase is awake',
    flag,
  ),
  trouble: meaning(
    'What its own conditions say about pods that are missing; null: none is, or they say nothing',
    orNothing(TROUBLE),
  ),
  waits_for: openName(
    'What its moves wait for; operator, nobody: its counts are of a switch, and of no pods',
    FOLLOWERS,
  ),
  operation_in_progress: meaning(
    'Whether its pods or its operator still have to follow the latest snooze or wake',
    flag,
  ),
  recent_operations: meaning('Snoozes and wakes within backoff.window', count),
  operation_history: meaning('The newest first', { ...listOf(OPERATION), maxItems: 20 }),
  next_transition: meaning('The next change between awake and asleep if nobody acts', orNothing(TRANSITION)),
  policy: POLICY,
  reason: meaning('Why it is as it is, in words', text),
  reason_code: meaning('The same for programs; a later release may add codes', text),
  reason_values: meaning(
    'What the words contain: by, until, since, source, fault and the like',
    REASON_VALUES,
  ),
  remedy: REMEDY_OR_NONE,
})

export const STATE_COUNTS = record('How many workloads are in each state', countEach(WORKLOAD_STATES))

export const NEXT_CHANGE = record('The next change in a namespace', {
  at: time,
  type: oneOf(OPERATION_TYPES),
  workloads: meaning('How many do that then', count),
})

const amount: Schema<number> = { type: 'number', minimum: 0 }
const MONEY = record('An amount of money', {
  amount,
  currency: meaning('As the configuration names it', text),
})

const SAVED_AMOUNTS = {
  replica_seconds: meaning('Replicas that sleep saves, multiplied by the time asleep', count),
  cpu_core_seconds: meaning('The CPU that they request, multiplied by the time asleep', count),
  memory_byte_seconds: meaning('The memory that they request, multiplied by the time asleep', count),
  money: meaning(
    'Both by savings.prices of the configuration: requested, not billed; null: there are no prices',
    orNothing(MONEY),
  ),
}

export const SAVED = record('What sleep saved in the last week, as far as histories reach', {
  since: meaning('A week ago', time),
  ...SAVED_AMOUNTS,
})

export const SAVED_OF_TEAM = record("What sleep of a team's workloads saved in that week", SAVED_AMOUNTS)

export const NAMESPACE = record('A namespace as Dormouse sees it', {
  name: text,
  workloads: meaning('How many there are that you may list', count),
  counts: meaning(
    'How many are in each state, by kind; without the kinds that it has none of, or that you may not list',
    mapOf(STATE_COUNTS),
  ),
  late: meaning(
    'How many of them woke, and their pods were not ready within operationTimeout; each is also in the count of its state',
    count,
  ),
  next_transition: meaning('The next change between awake and asleep if nobody acts', orNothing(NEXT_CHANGE)),
  saved: SAVED,
  saved_by_team: meaning(
    'The same by the value of metrics.teamLabel, `none` for those without; empty: no label names teams',
    mapOf(SAVED_OF_TEAM),
  ),
  policy: POLICY,
})
