import { iso } from '../text.ts'
import type { Pin, PinState } from './state.ts'

/** The values of a reason or a refusal, by name; times in ISO 8601. */
export type ReasonValues = Readonly<Record<string, string | number | null>>

/** The request that ends the state of a reason or a refusal: an operation of the API, and its query. */
export interface Remedy {
  readonly action: 'enable' | 'wake' | 'snooze' | 'unpin' | 'clearOverride'
  readonly query: Readonly<Record<string, string>>
}

/** Starts again from the label's count if the state cannot be read. */
export const REPAIR: Remedy = { action: 'enable', query: {} }
export const UNPIN: Remedy = { action: 'unpin', query: {} }
export const CLEAR_OVERRIDE: Remedy = { action: 'clearOverride', query: {} }

const PINNED: Readonly<Record<PinState, string>> = { active: 'pinned awake', snoozed: 'pinned asleep' }

/** `pinned awake`, in the words that every text has for it; of a later release's state, that. */
export function pinnedAs(state: string): string {
  return Object.entries(PINNED).find(([name]) => name === state)?.[1] ?? `pinned ${state}`
}

/** `pinned awake by k8s:alice since …`. */
export function pinText({ state, by, at }: Pin): string {
  return `${pinnedAs(state)} by ${by} since ${iso(at)}`
}

export function pinValues({ state, by, at }: Pin): ReasonValues {
  return { state, by, since: iso(at) }
}

/** Why something is as it is, or is refused: for people and for programs. Part of records and of refusals' details. */
export interface Explanation {
  /** Without the advice. */
  readonly reason: string
  readonly reason_code: string
  readonly reason_values: ReasonValues
  readonly remedy: Remedy | null
}

const PURPOSE: Readonly<Record<Remedy['action'], string>> = {
  enable: 'to manage it',
  wake: 'to wake it',
  snooze: 'to do it all the same',
  unpin: 'to let it go',
  clearOverride: 'to clear it',
}

/** The purpose of a remedy: `to let it go`; undefined for a later release's action. */
export function purposeOf({ reason_code: code, remedy }: Explanation): string {
  if (code === 'invalid_state') return 'to repair it'
  return (remedy && PURPOSE[remedy.action]) ?? 'to end it'
}

/** `pinned awake by k8s:ann since …; to let it go: DELETE …/pin`; each face has its own words for a remedy. */
export function withRemedy(why: Explanation, inWords: (remedy: Remedy) => string | undefined): string {
  const words = why.remedy ? inWords(why.remedy) : undefined
  return words === undefined ? why.reason : `${why.reason}; ${purposeOf(why)}: ${words}`
}

/** An explanation as a Status of Kubernetes carries it (`metav1.StatusCause`): a webhook has no other place for it. */
export interface Cause {
  readonly reason: string
  readonly message: string
  readonly field: string
}

const FIELD = 'dormouse.dev/explanation'

export function causeOf(why: Explanation): Cause {
  return { reason: why.reason_code, message: JSON.stringify(why), field: FIELD }
}

/** The inverse, for the Status of anybody's denial; undefined: it has no valid explanation. */
export function explanationOfCauses(causes: unknown): Explanation | undefined {
  for (const cause of Array.isArray(causes) ? (causes as readonly unknown[]) : []) {
    const { field, message } = (cause ?? {}) as Partial<Cause>
    if (field !== FIELD || typeof message !== 'string') continue
    try {
      return explanationIn(JSON.parse(message) as Record<string, unknown>)
    } catch {
      return undefined
    }
  }
  return undefined
}

/** The explanation in the details of a refusal, of this release or another; undefined: none. */
export function explanationIn(details: Readonly<Record<string, unknown>>): Explanation | undefined {
  const { reason, reason_code, reason_values, remedy } = details as Partial<Explanation>
  if (typeof reason !== 'string' || typeof reason_code !== 'string') return undefined
  return { reason, reason_code, reason_values: reason_values ?? {}, remedy: remedy ?? null }
}
