import { ANNOTATION } from '../../domain/workload/workload.ts'
import type { MergePatch } from './imported-object.ts'
import type { Wanted } from './wanted.ts'

/** The annotations of ours that say what is wanted, as far as they differ from what is inherited. */
export function annotationsOf(wanted: Wanted, inherited?: Wanted): MergePatch {
  if (!wanted.enabled) return inherited?.enabled === false ? {} : { [ANNOTATION.enabled]: 'false' }
  const outer = inherited?.enabled === true ? inherited : undefined
  const own: Record<string, string> = {}
  if (!outer) own[ANNOTATION.enabled] = 'true'
  if (wanted.schedule !== outer?.schedule) own[ANNOTATION.schedule] = wanted.schedule
  if (wanted.timezone !== outer?.timezone) own[ANNOTATION.timezone] = wanted.timezone
  if (wanted.autoWake !== (outer?.autoWake ?? true)) own[ANNOTATION.autoWake] = String(wanted.autoWake)
  if (wanted.awakeUntil !== undefined && wanted.awakeUntil !== outer?.awakeUntil)
    own[ANNOTATION.awakeUntil] = new Date(wanted.awakeUntil).toISOString().replace('.000Z', 'Z')
  return own
}

/** The same, as one sentence. */
export function saysWanted({ enabled, schedule, timezone, autoWake, awakeUntil }: Wanted): string {
  if (!enabled) return 'left alone, as before'
  const until = awakeUntil === undefined ? '' : `, awake until ${new Date(awakeUntil).toISOString()}`
  return `awake ${schedule} (${timezone})${autoWake ? '' : ', and only people wake it'}${until}`
}
