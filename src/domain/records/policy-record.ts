import type { Source } from '../policy/settings.ts'
import type { Settings } from '../workload/settings.ts'

/** A setting in force; `source`: `workload`, `namespace/…`, `policy/…`, `default`; null: it is not set. */
export interface SettingRecord<Value> {
  value: Value | null
  source: Source | null
}

/** The settings in force, and where each stands; an invalid one is null, and the reason tells its fault. */
export interface PolicyRecord {
  enabled: SettingRecord<boolean>
  schedule: SettingRecord<string>
  timezone: SettingRecord<string>
  calendar: SettingRecord<string>
  auto_wake: SettingRecord<boolean>
}

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
