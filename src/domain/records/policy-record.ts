import type { ValueOf } from '../json-schema.ts'
import type { POLICY } from './shape.ts'
import type { Settings } from '../workload/settings.ts'

/** The settings in force with their sources; an invalid one is null, and the reason names its fault. */
export type PolicyRecord = ValueOf<typeof POLICY>

export function policyRecord({
  effective,
  schedule,
}: Pick<Settings, 'effective' | 'schedule'>): PolicyRecord {
  const { enabled, timezone, calendar, autoWake, sources } = effective
  return {
    enabled: { value: flagOrNull(enabled), source: sources.enabled },
    schedule: { value: schedule?.text ?? null, source: sources.schedule },
    timezone: { value: timezone, source: sources.timezone },
    calendar: { value: calendar ?? null, source: sources.calendar },
    auto_wake: { value: flagOrNull(autoWake), source: sources.autoWake },
  }
}

function flagOrNull(flag: boolean | 'unclear'): boolean | null {
  return flag === 'unclear' ? null : flag
}
