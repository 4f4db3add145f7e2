import { nearestName } from '../nearest.ts'
import { isManaged } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { settingFault } from '../policy/faults.ts'
import { INHERITED_ANNOTATIONS } from '../policy/inheritance.ts'
import { clip } from '../text.ts'
import { ANNOTATION, type Workload } from '../workload.ts'
import { about } from './messages.ts'

/** The annotations that people write. */
const SETTINGS = INHERITED_ANNOTATIONS
const EFFECTIVE_WHILE_MANAGED = SETTINGS.filter((name) => name !== 'enabled')
/** One write may bring any number of unknown annotations. */
const MOST_WARNINGS = 3

/** The fault of an annotation that this write added or changed; undefined: there is none. */
export function annotationFault(before: Workload | undefined, { annotations }: Workload): string | undefined {
  for (const name of SETTINGS) {
    const value = annotations[name]
    if (value === undefined || value === before?.annotations[name]) continue
    const fault = settingFault(name, value)
    if (fault !== undefined) return `${ANNOTATION[name]}: ${fault}`
  }
  return undefined
}

/** Warnings about annotations that this write added or changed and that have no effect, with the one probably meant. */
export function withoutEffect(
  before: Workload | undefined,
  after: Workload,
  unknown: readonly string[],
  rules: Rules,
): string[] {
  const says = unknown.map((name) => {
    const meant = nearestName(name.slice(name.indexOf('/') + 1), SETTINGS)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${ANNOTATION[meant]}?`
  })
  if (!isManaged(after, rules)) {
    for (const name of EFFECTIVE_WHILE_MANAGED) {
      const value = after.annotations[name]
      if (value && value !== before?.annotations[name])
        says.push(`: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
    }
  }
  return says.slice(0, MOST_WARNINGS).map((text) => about(after, text))
}
