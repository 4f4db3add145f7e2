import type { SettingName } from '../inheritable.ts'

/** Characters, as of a schedule and of a text in the configuration. */
export const LONGEST_SETTING = 512

/** The source of a setting, as the API names it: `workload`, `namespace/shop`, `policy/dev`, `default`. */
export type Source = 'workload' | 'default' | `namespace/${string}` | `policy/${string}`

/** A setting as it is written somewhere; an empty text means none, and ends inheritance. */
export interface Found {
  readonly text: string
  readonly source: Source
}

/** The source of each setting; null: it is not set, and has no default. */
export type Sources = Readonly<Record<SettingName, Source | null>>

/** `namespace/shop` as reasons name it: ` of namespace shop`; empty where the workload has it itself, or by default. */
export function ofSource(source: Source | null): string {
  const [where = '', name] = (source ?? '').split('/')
  return name === undefined ? '' : ` of ${where} ${name}`
}
