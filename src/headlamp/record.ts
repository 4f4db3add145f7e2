import type { Instant } from '../process/clock.ts'
import { ANNOTATION, OWN_LABELS } from '../domain/annotations.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { listedRecord, type StatusRecord } from '../domain/records/record.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'
import { UnknownHours } from '../domain/schedule/unknown-hours.ts'
import { DEFAULT_POLICY } from '../domain/workload/settings-rules.ts'
import { kindOfObject, workloadOf, type KubernetesFields } from './workload.ts'

/** The page has nothing but the object. */
const ELSEWHERE = 'they are not all on this object'
const UNKNOWN = { text: '?', source: 'policy/unknown' } as const
const NAMES = [...Object.values(ANNOTATION), ...OWN_LABELS]
const compiler = new ScheduleCompiler()

/**
 * The domain's rules by the object alone, whose own settings come before inherited ones: what has Dormouse's marks counts
 * as managed, and hours, a time zone and the dates of a calendar that it does not name are unknown.
 */
const RULES: Rules = {
  policy: { ...DEFAULT_POLICY, timezone: UNKNOWN.text },
  compile(text, zone, calendar) {
    if (text !== UNKNOWN.text && zone !== UNKNOWN.text && calendar === undefined)
      return compiler.compile(text, zone)
    throw new UnknownHours(ELSEWHERE)
  },
  inherited: () => ({ settings: { enabled: { ...UNKNOWN, text: 'true' }, schedule: UNKNOWN } }),
  inheritsSame: () => true,
}

/** Records that tables ask for cell by cell; each counts for so many milliseconds. */
const known = new WeakMap<KubernetesFields, { readonly at: Instant; readonly record: StatusRecord }>()
const CURRENT = 60_000

/** An object as Dormouse sees it; undefined: it is of another kind, or has nothing of Dormouse's on it. */
export function recordOf(object: KubernetesFields, now: Instant): StatusRecord | undefined {
  const { annotations, labels } = object.metadata
  const marks = { ...annotations, ...labels }
  const kind = NAMES.some((name) => name in marks) ? kindOfObject(object) : undefined
  if (kind === undefined) return undefined
  const last = known.get(object)
  if (last && Math.abs(now - last.at) < CURRENT) return last.record
  const record = listedRecord(workloadOf(kind, object), now, RULES)
  known.set(object, { at: now, record })
  return record
}
