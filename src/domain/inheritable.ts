/** How a setting's text is read: by `policy/faults.ts` what is wrong with it, by `workload/settings.ts` what it means. */
export type Form = 'flag' | 'count' | 'schedule' | 'timezone' | 'calendar' | 'traffic' | 'duration'

export interface Inheritable {
  readonly annotation: `dormouse.dev/${string}`
  /** Its field in records. */
  readonly field: string
  readonly form: Form
  /** Its meaning where nobody sets it, if the configuration has no default. */
  readonly otherwise?: boolean | number | string
  /** If nobody sets it, its default is in force, so that an empty text means the default as well. */
  readonly hasDefault: boolean
}

/**
 * A row for each setting that a workload has by itself, or inherits from its Namespace or a policy. Annotation, key of a
 * policy, what is published, record, schemas and faults follow from it.
 */
export const INHERITABLE = {
  enabled: {
    annotation: 'dormouse.dev/enabled',
    field: 'enabled',
    form: 'flag',
    hasDefault: false,
    otherwise: false,
  },
  schedule: { annotation: 'dormouse.dev/schedule', field: 'schedule', form: 'schedule', hasDefault: false },
  timezone: { annotation: 'dormouse.dev/timezone', field: 'timezone', form: 'timezone', hasDefault: true },
  calendar: { annotation: 'dormouse.dev/calendar', field: 'calendar', form: 'calendar', hasDefault: false },
  autoWake: {
    annotation: 'dormouse.dev/auto-wake',
    field: 'auto_wake',
    form: 'flag',
    hasDefault: true,
    otherwise: true,
  },
  deployWakes: {
    annotation: 'dormouse.dev/deploy-wakes',
    field: 'deploy_wakes',
    form: 'flag',
    hasDefault: true,
    otherwise: false,
  },
  asleepReplicas: {
    annotation: 'dormouse.dev/asleep-replicas',
    field: 'asleep_replicas',
    form: 'count',
    hasDefault: true,
    otherwise: 0,
  },
  wakeOnTraffic: {
    annotation: 'dormouse.dev/wake-on-traffic',
    field: 'wake_on_traffic',
    form: 'traffic',
    hasDefault: true,
    otherwise: 'off',
  },
  trafficHold: {
    annotation: 'dormouse.dev/traffic-hold',
    field: 'traffic_hold',
    form: 'duration',
    hasDefault: false,
  },
} as const satisfies Record<string, Inheritable>

type Table = typeof INHERITABLE
/** By the name of its key in a policy. */
export type SettingName = keyof Table
export const SETTING_NAMES = Object.keys(INHERITABLE) as SettingName[]
type FormOf<Name extends SettingName> = Table[Name]['form']
interface ValueOfForm {
  readonly flag: boolean
  readonly count: number
}
export type FieldOf<Name extends SettingName> = Table[Name]['field']
/** A setting's value in a policy, and in a record. */
export type SettingValue<Name extends SettingName> =
  FormOf<Name> extends keyof ValueOfForm ? ValueOfForm[FormOf<Name>] : string

/** The meaning of a text, by its setting's form. */
export function byForm<OfFlag, OfCount, OfText>(
  name: SettingName,
  made: { readonly flag: OfFlag; readonly count: OfCount; readonly text: OfText },
): OfFlag | OfCount | OfText {
  const { form } = INHERITABLE[name]
  return made[form === 'flag' || form === 'count' ? form : 'text']
}

/** An object with a value for each setting. */
export function forEachSetting<Made extends { readonly [Name in SettingName]: unknown }>(
  make: (name: SettingName) => Made[SettingName],
): Made {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, make(name)])) as Made
}

/** The same by the fields of records. */
export function byField<Made extends { readonly [Name in SettingName as FieldOf<Name>]: unknown }>(
  make: (name: SettingName) => Made[keyof Made],
): Made {
  return Object.fromEntries(SETTING_NAMES.map((name) => [INHERITABLE[name].field, make(name)])) as Made
}
