import type { AlongSettings, NotWhileSettings } from '../companions/configured.ts'
import { annotationAt } from '../annotations.ts'
import { fieldAt } from '../json-pointer.ts'
import type { Condition } from './condition.ts'
import { COUNT } from './count.ts'
import type { Sleeping } from './form.ts'
import { switchOf } from './switch.ts'

/** A kind beside the built-in ones, as the configuration describes it; presets have become such. */
export interface KindSettings {
  /** `rollouts.argoproj.io` */
  readonly resource: string
  /** The place of its count, as in a CustomResourceDefinition; absent: `.spec.replicas`. */
  readonly specReplicasPath?: string
  /** In place of a count. */
  readonly switch?: SwitchSettings
  /** Until then a sleeper still stops; absent: its count of pods says so, or nobody waits. */
  readonly asleepWhen?: Condition
  /** Until then it still wakes. */
  readonly awakeWhen?: Condition
  /** Paused while it sleeps. */
  readonly along?: readonly AlongSettings[]
  /** While one of these is busy, it does not sleep. */
  readonly notWhile?: readonly NotWhileSettings[]
  /** The versions that a preset knows; absent: any. */
  readonly versions?: readonly string[]
}

/** The field or the annotation with two values. */
export interface SwitchSettings {
  readonly path?: string
  readonly annotation?: string
  readonly asleep: boolean | string
  readonly awake: boolean | string
}

export const DEFAULT_COUNT_PATH = '.spec.replicas'

const SWITCHED = {
  asleep: 'switched off',
  awake: 'switched on',
  woken: 'switched on',
  empties: 'switches off',
} as const

/** The way to sleep that an entry describes; whether its count has a scale subresource, the cluster will say. */
export function sleepingBy(settings: KindSettings): Sleeping {
  const { specReplicasPath = DEFAULT_COUNT_PATH, switch: values, asleepWhen, awakeWhen } = settings
  const conditions = { ...(asleepWhen && { asleepWhen }), ...(awakeWhen && { awakeWhen }) }
  if (!values) return { form: COUNT, field: fieldAt(specReplicasPath), hasScale: true, ...conditions }
  const { path, annotation, asleep, awake } = values
  return {
    form: switchOf({ asleep, awake, words: SWITCHED }),
    field: annotation === undefined ? fieldAt(path ?? '') : annotationAt(annotation),
    hasScale: false,
    ...conditions,
  }
}
