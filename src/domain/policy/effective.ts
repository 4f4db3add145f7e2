import type { AnnotationName } from '../annotations.ts'
import { MAX_REPLICAS } from '../kinds.ts'
import { INHERITED_ANNOTATIONS, NOTHING_INHERITED, type Inherited } from './inheritance.ts'
import {
  byForm,
  forEachSetting,
  INHERITABLE,
  type Inheritable,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
} from '../inheritable.ts'
import { LONGEST_SETTING, ofSource, type Found, type Source, type Sources } from './settings.ts'

/** `unclear`: the nearest value of a flag is neither true nor false, or that of a count is none. undefined: none. */
type Values = {
  readonly [Name in SettingName]: SettingValue<Name> extends string
    ? string | undefined
    : SettingValue<Name> | 'unclear'
}

/** The settings that hold for a workload, before schedule, zone and calendar are understood. */
export interface Effective extends Values {
  readonly timezone: string
  /** The values of `awake-until`, the nearest first. */
  readonly awakeUntil: readonly Found[]
  readonly sources: Sources
}

type Own = Readonly<Partial<Record<AnnotationName, string>>>
interface Defaults {
  readonly timezone: string
}

/**
 * Each setting from its nearest source: the workload, its inherited settings, then the default. An empty text means
 * none, and a text without a meaning keeps its place: neither looks further out.
 */
export function effectiveSettings(
  own: Own,
  inherited: Inherited | undefined = NOTHING_INHERITED,
  defaults: Defaults,
): Effective {
  if (INHERITED_ANNOTATIONS.some((name) => own[name] !== undefined)) return resolved(own, inherited, defaults)
  const known = KNOWN.get(defaults) ?? new WeakMap<Inherited, Effective>()
  KNOWN.set(defaults, known)
  const effective = known.get(inherited) ?? resolved(own, inherited, defaults)
  known.set(inherited, effective)
  return effective
}

/** Most workloads have no settings of their own: those share one object. */
const KNOWN = new WeakMap<Defaults, WeakMap<Inherited, Effective>>()

function resolved(own: Own, inherited: Inherited, defaults: Defaults): Effective {
  const sources = forEachSetting<Record<SettingName, Source | null>>((name) =>
    INHERITABLE[name].hasDefault ? 'default' : null,
  )
  const text: Partial<Record<SettingName, string>> = {}
  for (const name of SETTING_NAMES) {
    const found = nearest(own[name], inherited.settings[name])
    if (!found) continue
    const isEmpty = found.text.trim() === ''
    // The message of a schedule's fault needs the whole text.
    if (!isEmpty) text[name] = INHERITABLE[name].form === 'schedule' ? found.text : shortened(found.text)
    // With a default, an empty text means none.
    if (!isEmpty || sources[name] === null) sources[name] = found.source
  }
  return {
    ...forEachSetting<Values>((name) => valueOf(name, text[name])),
    timezone: text.timezone ?? defaults.timezone,
    awakeUntil: [nearest(own.awakeUntil, undefined), inherited.awakeUntil].filter(
      (each) => each !== undefined,
    ),
    sources,
  }
}

/**
 * A longer text is none that can be read, and its beginning is none either. It is not kept whole: every record of
 * every workload that inherits it would repeat up to 256 KiB.
 */
function shortened(text: string): string {
  return text.length > LONGEST_SETTING ? `${text.slice(0, LONGEST_SETTING)}…` : text
}

/** The workload's own value, else the inherited one; undefined: neither. */
function nearest(own: string | undefined, inherited: Found | undefined): Found | undefined {
  return own === undefined ? inherited : { text: own, source: 'workload' }
}

/** A fault of a setting with its source: `dormouse.dev/schedule of namespace shop: at 1: …`. */
export function faultAt(annotation: string, source: Source | null, message: string): string {
  return `${annotation}${ofSource(source)}: ${message}`
}

export const A_FLAG = 'write "true" or "false"'

export const A_COUNT = `write a whole number from 0 to ${MAX_REPLICAS}`

function valueOf(name: SettingName, text: string | undefined): Values[SettingName] {
  const setting: Inheritable = INHERITABLE[name]
  if (text === undefined) return setting.otherwise
  return byForm(name, { flag: flagOf, count: countOf, text: () => text })(text)
}

/** A count in a text; `unclear`: it is none. */
export function countOf(text: string): number | 'unclear' {
  const count = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Infinity
  return count <= MAX_REPLICAS ? count : 'unclear'
}

function flagOf(text: string): boolean | 'unclear' {
  if (text === 'true') return true
  return text === 'false' ? false : 'unclear'
}
