import { nearestName } from '../nearest.ts'
import { clip } from '../text.ts'
import { ANNOTATION, type Workload } from '../workload.ts'
import { about } from './messages.ts'

/** Those that people write. */
const PEOPLES = ['enabled', 'schedule', 'timezone'] as const
/** A write may bring any number of annotations. */
const MOST_WARNINGS = 3

/** Annotations that this write added or changed and that nobody acts on, with the one that was probably meant. */
export function withoutEffect(
  before: Workload | undefined,
  after: Workload,
  unknown: readonly string[],
): string[] {
  const told = unknown.map((name) => {
    const meant = nearestName(name.slice(name.indexOf('/') + 1), PEOPLES)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${ANNOTATION[meant]}?`
  })
  if (after.annotations.enabled !== 'true') {
    for (const name of ['schedule', 'timezone'] as const) {
      const value = after.annotations[name]
      if (value && value !== before?.annotations[name])
        told.push(`: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
    }
  }
  return told.slice(0, MOST_WARNINGS).map((says) => about(after, says))
}
