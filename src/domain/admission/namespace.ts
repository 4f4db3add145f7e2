import { INHERITED_ANNOTATIONS } from '../policy/inheritance.ts'
import type { Rules } from '../deciding/rules.ts'
import { unusableCalendar } from '../workload/settings.ts'
import { ANNOTATION } from '../workload/workload.ts'
import {
  annotationFault,
  MOST_WARNINGS,
  scheduleWarnings,
  unknownNames,
  type Annotations,
} from './annotations.ts'
import { allow, deny, type AdmissionDecision } from './decision.ts'
import { aboutNamespace } from './messages.ts'

/** Annotations of a Namespace below `dormouse.dev/`. */
export interface NamespaceWrite {
  readonly name: string
  /** The annotations that workloads inherit; undefined: it is created. */
  readonly before: Annotations | undefined
  readonly after: Annotations
  /** Full names of all others, as far as this write added or changed them. */
  readonly others: readonly string[]
}

/**
 * Decides on a Namespace whose annotations its workloads inherit: refuses values that would stop their schedules,
 * except unusable calendars, since the configuration may have them soon.
 */
export function admitNamespace(
  { name, before, after, others }: NamespaceWrite,
  rules: Rules,
): AdmissionDecision {
  const fault = annotationFault(INHERITED_ANNOTATIONS, before, after)
  if (fault !== undefined) return deny('invalid_annotation', aboutNamespace(name, `: ${fault}`))
  const ofWorkloads: ReadonlySet<string> = new Set(Object.values(ANNOTATION))
  const misplaced = others.filter((other) => ofWorkloads.has(other))
  const unknown = others.filter((other) => !ofWorkloads.has(other))
  const { calendar } = after
  const isNew = calendar !== undefined && calendar !== before?.calendar
  const unusable = isNew ? unusableCalendar(calendar, rules) : undefined
  const says = [
    ...(unusable === undefined ? [] : [`: ${ANNOTATION.calendar}: ${unusable.slice(0, 160)}`]),
    ...misplaced.map((other) => `: ${other} has no effect on a Namespace: write it on the workload itself`),
    ...unknownNames(unknown, INHERITED_ANNOTATIONS),
    ...scheduleWarnings(before, after),
  ]
  return allow(
    'free',
    says.slice(0, MOST_WARNINGS).map((text) => aboutNamespace(name, text)),
  )
}
