import { stepOf } from './json-pointer.ts'
import { forEachSetting, INHERITABLE, type SettingName } from './inheritable.ts'

/** The names that Dormouse writes on objects, and reads from them. */
export const ANNOTATION = {
  ...forEachSetting<{ readonly [Name in SettingName]: (typeof INHERITABLE)[Name]['annotation'] }>(
    (name) => INHERITABLE[name].annotation,
  ),
  awakeUntil: 'dormouse.dev/awake-until',
  wakeOrder: 'dormouse.dev/wake-order',
  sleepOrder: 'dormouse.dev/sleep-order',
  catchUp: 'dormouse.dev/catch-up',
  /** The webhook removes it from the write, so it is rarely stored: `requests/annotation.ts`. */
  request: 'dormouse.dev/request',
  state: 'dormouse.dev/state',
  history: 'dormouse.dev/history',
} as const
export type AnnotationName = keyof typeof ANNOTATION
export const ANNOTATION_NAMES = Object.keys(ANNOTATION) as AnnotationName[]

/** The JSON pointer to an annotation of an object, ours or another. */
export function annotationAt(name: string): string {
  return `/metadata/annotations/${stepOf(name)}`
}

/** The annotations with the state, which Dormouse alone writes. The second changes only with the first. */
export const STATE_ANNOTATIONS = ['state', 'history'] as const satisfies readonly AnnotationName[]
export type StateAnnotation = (typeof STATE_ANNOTATIONS)[number]
export function isOfState(name: AnnotationName): name is StateAnnotation {
  return STATE_ANNOTATIONS.some((each) => each === name)
}

/** Present while snoozed; its value is the kept count. */
export const ASLEEP_LABEL = 'dormouse.dev/asleep'
/** Present while a pin or an override holds the workload; its value is `pin` or `override`. */
export const HELD_LABEL = 'dormouse.dev/held'
/** Our labels: both follow from the state. */
export const OWN_LABELS = [ASLEEP_LABEL, HELD_LABEL] as const
export type OwnLabel = (typeof OWN_LABELS)[number]
/** The key in a DaemonSet's nodeSelector that no node carries. */
export const SNOOZE_KEY = 'dormouse.dev/snoozed'
/** The value that we give it. */
export const SNOOZED = 'true'
/** The downscalers' annotation with the count of their sleepers. */
export const KEPT_BY_DOWNSCALERS = 'downscaler/original-replicas'
/** The field manager of our writes, in managedFields. */
export const FIELD_MANAGER = 'dormouse'
/** The field manager of `kubectl dormouse`. */
export const CLIENT_MANAGER = 'kubectl-dormouse'
