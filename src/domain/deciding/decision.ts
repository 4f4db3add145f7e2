import type { Instant } from '../../process/clock.ts'
import type { ReasonValues, Remedy } from '../workload/explanation.ts'
import type { Backoff, Intent } from '../workload/state.ts'
import type { Trigger } from '../workload/trigger.ts'

/** The codes of reasons; true: the workload is as it should be, so whoever moves it then contradicts Dormouse. */
export const IS_WANTED = {
  deleting: false,
  not_managed: false,
  namespace_unknown: false,
  scaled_by_other: false,
  scaled_to_zero: false,
  kept_by_other: false,
  invalid_state: false,
  enabled_unclear: false,
  disabled: false,
  pinned: true,
  pin_enforced: false,
  overridden: true,
  backoff: false,
  manual_scaling: false,
  recovery: false,
  data_at_risk: false,
  held_by_keda: false,
  schedule: true,
  intent: true,
  until: true,
  until_passed: true,
  grace: true,
  nothing_automatic: false,
} as const
export type ReasonCode = keyof typeof IS_WANTED

/** The reason of a decision: the text is for people, code and values for programs. */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
  /** The values in the text. */
  readonly values: ReasonValues
  /** The request that ends it; absent: none, or time does. */
  readonly remedy?: Remedy | undefined
  /** The text says why there is no schedule: it has a fault, or is not known. */
  readonly saysFault?: true | undefined
  /** The text until the transition is done, if `text` would claim that it is. */
  readonly pending?: (() => string) | undefined
}

/** The parts of a reason for programs; expensive values are computed when they are first read. */
interface Told {
  readonly values?: ReasonValues | (() => ReasonValues)
  readonly remedy?: Remedy | undefined
}

/** A reason whose text and values are made when they are first read: of most decisions nobody reads them. */
export function because(
  code: ReasonCode,
  text: () => string,
  told: Told & Pick<Reason, 'saysFault' | 'pending'> = {},
): Reason {
  return new LazyReason(code, text, told)
}

class LazyReason implements Reason {
  readonly code: ReasonCode
  readonly remedy: Remedy | undefined
  readonly saysFault: true | undefined
  readonly pending: (() => string) | undefined
  #text: string | (() => string)
  #values: ReasonValues | (() => ReasonValues)

  constructor(
    code: ReasonCode,
    text: () => string,
    { values = {}, remedy, saysFault, pending }: Told & Pick<Reason, 'saysFault' | 'pending'>,
  ) {
    this.code = code
    this.remedy = remedy
    this.saysFault = saysFault
    this.pending = pending
    this.#text = text
    this.#values = values
  }

  get text(): string {
    if (typeof this.#text === 'function') this.#text = this.#text()
    return this.#text
  }

  get values(): ReasonValues {
    if (typeof this.#values === 'function') this.#values = this.#values()
    return this.#values
  }
}

/** The same reason with another text, computed when it is first read; other fields stay unless given. */
export function reworded(
  reason: Reason,
  words: (text: string) => string,
  {
    code = reason.code,
    values = () => reason.values,
    remedy = reason.remedy,
  }: Told & { code?: ReasonCode } = {},
): Reason {
  const { saysFault } = reason
  return because(code, () => words(reason.text), { values, remedy, saysFault })
}

/** The reason as it is while the decision is not carried out. */
export function textBefore(reason: Reason): string {
  return reason.pending?.() ?? reason.text
}

/** The decision about a workload now, and why. */
export interface Decision {
  /** `adopt`: somebody else woke it or scaled it down; set Dormouse's marks to match the pods. */
  readonly action: 'snooze' | 'wake' | 'adopt' | 'none'
  readonly reason: Reason
  readonly trigger: Trigger
  readonly by: string | null
  /** The count to wake to, or to keep while asleep. */
  readonly replicas: number
  /** Somebody woke it to fewer replicas than were kept: as many stay kept. */
  readonly kept?: number | undefined
  /** The intent to write with it. */
  readonly intent?: Intent
  /** Set the marks to match somebody else's change of the pods; neither pin, override nor backoff prevents that. */
  readonly adopts?: true
  readonly overrideExpired?: true
  /** It sleeps on, with the count that its changed settings let it sleep with. */
  readonly rests?: true
  /** An autoscaler wakes a sleeper again and again: nobody fights it until this ends. */
  readonly startsBackoff?: Backoff
  /** The change that a backoff or an override only delays, and until when. */
  readonly delayed?: Pick<Decision, 'action' | 'intent'> & {
    readonly cause: 'backoff' | 'override'
    readonly until: Instant
  }
  /** Managing was turned off: pin, override, intent and backoff are removed. */
  readonly cleared?: true
  /** The instant at which the clock made it due; undefined: something else did. */
  readonly dueAt?: Instant
  /** When to look again if nothing changes before. */
  readonly lookAgainAt?: Instant
}

/** One rule's decision; `decide` fills in the rest. */
export type PartialDecision = Pick<Decision, 'action' | 'reason'> & Partial<Decision>

export function noAction(code: ReasonCode, text: () => string, more: Told = {}): PartialDecision {
  return { action: 'none', reason: because(code, text, more) }
}

export function lookAgain(at: Instant | undefined): { lookAgainAt?: Instant } {
  return at === undefined ? {} : { lookAgainAt: at }
}
