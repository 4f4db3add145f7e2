import fc from 'fast-check'
import type { AnnotationName, BuiltInKind } from '../../../src/domain/workload/workload.ts'
import { DAY, HOUR, MINUTE } from '../../support/rules.ts'

const KINDS: readonly BuiltInKind[] = ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'replicasets']

/** Milliseconds that the clock is set by: less than counts, seconds, around what counts as skew, up to years. */
const JUMP = fc
  .tuple(
    fc.constantFrom(
      ...[500, 900, 1500, 20_000, MINUTE, 4 * MINUTE, 5 * MINUTE + 1, 7 * MINUTE, 40 * MINUTE],
      ...[2 * HOUR, 9 * HOUR, 26 * HOUR, 8 * DAY, 90 * DAY, 365 * DAY, 4 * 366 * DAY],
    ),
    fc.constantFrom(1, -1),
  )
  .map(([length, sign]) => length * sign)
const PASSING = fc.constantFrom(
  ...[10, 900, 20_000, MINUTE, 2 * MINUTE, 6 * MINUTE, 11 * MINUTE, 65 * MINUTE, 7 * HOUR, 26 * HOUR],
)

type Settings = Partial<Record<AnnotationName, string>>

/** Around Wednesday, 4 March 2026, 16:58. */
const SETTINGS: fc.Arbitrary<Settings> = fc.record(
  {
    enabled: fc.constantFrom('true', 'true', 'true', 'false', 'maybe'),
    schedule: fc.constantFrom(
      ...['8:00-17:00,Mon-Fri', '22:00-6:00', '0:00-24:00', '', 'whenever', '16:00-17:00', '17:00-17:05'],
    ),
    timezone: fc.constantFrom('UTC', 'Asia/Tokyo', 'Europe/Berlin', ''),
    calendar: fc.constantFrom('de', 'none', ''),
    autoWake: fc.constantFrom('false', 'true'),
    awakeUntil: fc.constantFrom('2026-03-04T18:00Z', '2026-03-05', '2027-01-01', '2026-03-04T16:59Z'),
    wakeOrder: fc.constantFrom('0', '1', '9', 'x'),
  },
  { requiredKeys: [] },
)

export const REQUESTS = [
  'snooze',
  'wake',
  'pin',
  'unpin',
  'override',
  'resume',
  'backoff',
  'refused',
] as const
const REFUSALS = ['CLUSTER_REJECTED', 'CLUSTER_UNAVAILABLE', 'CONFLICT'] as const

/** What happens to a controller, its cluster and its clock. `who`: a workload, by its place. */
export type Event = { readonly who: number } & (
  | { readonly type: 'pass' | 'jump'; readonly by: number }
  | { readonly type: 'follow' | 'touch' | 'restart' }
  | { readonly type: 'annotate'; readonly settings: Settings }
  | { readonly type: 'namespace'; readonly settings: Settings; readonly deleting: boolean }
  | { readonly type: 'scale'; readonly to: number; readonly how: 'hand' | 'autoscaler' | 'edit' }
  | { readonly type: 'answers'; readonly code: (typeof REFUSALS)[number] | undefined }
  | { readonly type: 'outage' | 'lag' | 'hold'; readonly on: boolean }
  | { readonly type: 'request'; readonly what: (typeof REQUESTS)[number]; readonly for: number | undefined }
  /** The clock is wrong for this long only. */
  | {
      readonly type: 'blip'
      readonly by: number
      readonly lasts: number
      readonly touches: boolean
      readonly follows: boolean
      readonly holds: boolean
    }
)

const WHO = { who: fc.nat(4) }
const type = <T extends Event['type']>(...types: T[]) => ({ type: fc.constantFrom(...types), ...WHO })
const weighed = (weight: number, arbitrary: fc.Arbitrary<Event>) => ({ weight, arbitrary })

const EVENT: fc.Arbitrary<Event> = fc.oneof(
  weighed(5, fc.record({ ...type('pass'), by: PASSING })),
  weighed(5, fc.record({ ...type('jump'), by: JUMP })),
  weighed(5, fc.record(type('follow', 'follow', 'touch', 'restart'))),
  weighed(2, fc.record({ ...type('annotate'), settings: SETTINGS })),
  weighed(
    2,
    fc.record({ ...type('namespace'), settings: SETTINGS, deleting: fc.nat(3).map((some) => some === 0) }),
  ),
  weighed(
    2,
    fc.record({ ...type('scale'), to: fc.nat(4), how: fc.constantFrom('hand', 'autoscaler', 'edit') }),
  ),
  weighed(1, fc.record({ ...type('answers'), code: fc.constantFrom(...REFUSALS, undefined) })),
  weighed(4, fc.record({ ...type('outage', 'lag', 'hold', 'hold'), on: fc.boolean() })),
  weighed(
    4,
    fc.record({
      ...type('request'),
      what: fc.constantFrom(...REQUESTS),
      for: fc.constantFrom(undefined, undefined, MINUTE, 30 * MINUTE, 2 * HOUR, 400 * DAY),
    }),
  ),
  weighed(
    4,
    fc.record({
      ...type('blip'),
      by: JUMP,
      lasts: fc.constantFrom(0, 10, 900, 20_000, 50_000),
      touches: fc.boolean(),
      follows: fc.boolean(),
      holds: fc.boolean(),
    }),
  ),
)

export interface Happening {
  readonly workloads: readonly {
    readonly kind: BuiltInKind
    readonly replicas: number
    readonly settings: Settings
    /** Whether its pods follow by themselves. */
    readonly follows: boolean
  }[]
  readonly namespace: Settings
  readonly events: readonly Event[]
}

export const HAPPENING: fc.Arbitrary<Happening> = fc.record({
  workloads: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      replicas: fc.nat(3),
      settings: SETTINGS,
      follows: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  namespace: SETTINGS,
  events: fc.array(EVENT, { minLength: 1, maxLength: 14 }),
})
