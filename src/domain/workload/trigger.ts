/** A stored value that a later release may have added: kept and shown as it is, and nothing is done because of it. */
export type Open<Known extends string> = Known | (string & {})

/** Whether it is one of those that this release knows. */
export function isKnown<Known extends string>(list: readonly Known[], value: Open<Known>): value is Known {
  return list.some((known) => known === value)
}

export const OPERATION_TYPES = ['snooze', 'wake'] as const
export type OperationType = (typeof OPERATION_TYPES)[number]

/**
 * The reasons to leave a workload as it is, from the strongest: a pin, an override, KEDA that others have paused, data that
 * sleep would lose, a `for` that still runs, and the two backoffs.
 */
export const HOLDS = ['pin', 'override', 'keda', 'risk', 'for', 'flapping', 'refusal'] as const
export type Hold = (typeof HOLDS)[number]

interface TriggerFacts {
  /** The name in texts for people. */
  readonly name: string
  /** Why Dormouse did it, where nobody else did. */
  readonly cause: string
  /** How somebody did it, behind their name. */
  readonly how: string
  /** Whether its operations belong to a wave, as the metrics of waves and their dashboard count them. */
  readonly inWaves: boolean
  /**
   * The operations that it can cause, each with the holds that it waits for; it passes all others. `deciding/holds.ts`
   * goes by this for what Dormouse does by itself, for traffic, and what is left of a pending wake. Two do not read it, and
   * say the same in code: `requests/request.ts`, which refuses requests (`api`), and the webhook (`manual`, `deploy`).
   */
  readonly yieldsTo: { readonly [Type in OperationType]?: readonly Hold[] }
  /** Absent: it forms no intent. */
  readonly intent?: {
    /** The name in reasons, before the author's: `request of k8s:ana`. */
    readonly name: string
    /** Whether it outweighs the schedule, until the next edge, its `hold` or its `until`. */
    readonly outweighsSchedule: boolean
  }
  /** Whether it puts back what others changed: an autoscaler that changes it again is not fought for ever. */
  readonly repairs?: true
}

const BACKOFFS = ['flapping', 'refusal'] as const
/** Enabling and disabling are requests, too. */
const ROW = { how: 'on request', inWaves: false } as const

/**
 * The causes of a snooze or wake, as history, logs and metrics show them, and their ranks. Who changes the pods past
 * Dormouse (`manual`, `deploy`) has done it already: the webhook refuses it under a pin or an override, and where the
 * webhook was down the marks follow.
 */
export const TRIGGER = {
  schedule: {
    ...ROW,
    name: 'a schedule',
    cause: 'by its schedule',
    inWaves: true,
    yieldsTo: { snooze: HOLDS, wake: ['pin', 'override', 'for', ...BACKOFFS] },
    intent: { name: 'schedule', outweighsSchedule: false },
  },
  api: {
    ...ROW,
    name: 'a request',
    cause: 'on request',
    yieldsTo: { snooze: ['pin', 'risk', 'flapping'], wake: ['pin', 'refusal'] },
    intent: { name: 'request', outweighsSchedule: true },
  },
  traffic: {
    ...ROW,
    name: 'traffic',
    cause: 'since somebody called its Service',
    how: 'by traffic',
    yieldsTo: { wake: ['pin', 'override', 'for', ...BACKOFFS] },
    intent: { name: 'traffic', outweighsSchedule: true },
  },
  manual: {
    ...ROW,
    name: 'manual scaling',
    cause: 'after a scaling',
    how: 'by scaling',
    yieldsTo: { snooze: ['pin', 'override'], wake: ['pin', 'override'] },
    intent: { name: 'manual scaling', outweighsSchedule: true },
  },
  deploy: {
    ...ROW,
    name: 'a deploy',
    cause: 'after a deploy',
    how: 'by a deploy',
    yieldsTo: { wake: ['pin', 'override'] },
    intent: { name: 'deploy', outweighsSchedule: true },
  },
  pin: {
    ...ROW,
    name: 'the repair of a pin',
    cause: 'to keep its pin',
    repairs: true,
    yieldsTo: { snooze: ['keda', 'risk', ...BACKOFFS], wake: BACKOFFS },
  },
  disable: {
    ...ROW,
    name: 'disabling',
    cause: 'since nothing enables it any longer',
    yieldsTo: { wake: ['refusal'] },
  },
  recovery: {
    ...ROW,
    name: 'recovery after something else woke a sleeping workload',
    cause: 'to put it right',
    repairs: true,
    yieldsTo: { snooze: ['keda', 'risk', ...BACKOFFS], wake: [] },
  },
  unsigned: {
    ...ROW,
    name: 'a state that Dormouse had not signed, whose count alone was kept',
    cause: 'since its state was not signed',
    yieldsTo: { snooze: [], wake: [] },
  },
} as const satisfies Record<string, TriggerFacts>
export type Trigger = keyof typeof TRIGGER
export type IntentTrigger = {
  [T in Trigger]: (typeof TRIGGER)[T] extends { intent: object } ? T : never
}[Trigger]

const ROWS: Readonly<Record<Trigger, TriggerFacts>> = TRIGGER
export const TRIGGERS = Object.keys(TRIGGER) as readonly Trigger[]
export const INTENT_TRIGGERS = TRIGGERS.filter(formsIntent)

export function formsIntent(trigger: Trigger): trigger is IntentTrigger {
  return 'intent' in TRIGGER[trigger]
}

/** A trigger's row; undefined: a later release's. */
function rowOf(trigger: Open<Trigger>): TriggerFacts | undefined {
  return isKnown(TRIGGERS, trigger) ? ROWS[trigger] : undefined
}

export function triggersOf(type: OperationType): Trigger[] {
  return TRIGGERS.filter((trigger) => ROWS[trigger].yieldsTo[type] !== undefined)
}

/** The holds that an operation waits for, from the strongest. */
export function holdsOver(trigger: Trigger, type: OperationType): readonly Hold[] {
  return ROWS[trigger].yieldsTo[type] ?? []
}

/** Whether its intent outweighs the schedule; a later release's does. */
export function outweighsSchedule({ trigger }: { readonly trigger: Open<Trigger> }): boolean {
  return rowOf(trigger)?.intent?.outweighsSchedule ?? true
}

/** The cause and the author of an intent, for reasons: `request of k8s:alice`. */
export function authorOf({
  trigger,
  by,
}: {
  readonly trigger: Open<Trigger>
  readonly by: string | null
}): string {
  const what = rowOf(trigger)?.intent?.name ?? trigger
  return by === null ? what : `${what} of ${by}`
}

export function isRepair(trigger: Open<Trigger> | undefined): boolean {
  return trigger !== undefined && rowOf(trigger)?.repairs === true
}

/** Why nobody but Dormouse did something: `by its schedule`. A later release's trigger is shown as it is. */
export function causeOfTrigger(trigger: Open<Trigger>): string {
  return rowOf(trigger)?.cause ?? trigger
}

/** How somebody did it, behind the name: `, on request`. */
export function howOfTrigger(trigger: Open<Trigger>): string {
  const how = rowOf(trigger)?.how
  return how === undefined ? ` (${trigger})` : `, ${how}`
}
