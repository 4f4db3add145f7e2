import fc from 'fast-check'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { Settings } from '../support/dormouse.ts'

/** Labels and annotations. */
export interface Texts {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** A configuration, and what stands on Namespaces and workloads, in the order in which they were named. */
export interface Arrangement {
  readonly config: Settings
  readonly namespaces: readonly Texts[]
  readonly workloads: readonly Texts[]
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Zones of whole hours, so that edges are as far from now everywhere. */
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'America/New_York']
const CALENDARS = ['closed', 'late', 'closed, late', 'late,closed']

interface Hours {
  readonly from: number
  readonly length: number
  readonly days: string
}

/** A text for a moment: edges stand half an hour from it, so that none comes in the middle of a comparison. */
type At<T> = (now: number) => T

const hours: fc.Arbitrary<Hours> = fc.record({
  from: fc.integer({ min: 0, max: 23 }),
  length: fc.integer({ min: 1, max: 22 }),
  days: fc.constantFrom('', '', ',Mon-Fri', ',Sat,Sun', ',Wed-Mon'),
})

const always =
  <T>(value: T): At<T> =>
  () =>
    value

const window = ({ from, length, days }: Hours, now: number) => {
  const minute = String((Math.floor(now / 60_000) + 30) % 60).padStart(2, '0')
  return `${from}:${minute}-${(from + length) % 24}:${minute}${days}`
}
const schedule: fc.Arbitrary<At<string>> = hours.map((each) => (now) => window(each, now))
const oneOf = (...texts: string[]) => fc.constantFrom(...texts).map((text) => always(text))
const awakeUntil: fc.Arbitrary<At<string>> = fc
  .integer({ min: -30, max: 30 })
  .map((half) => (now) => new Date(now + (half + 0.5) * HOUR).toISOString())

/** Texts that people may write, and mistype. */
const annotations: fc.Arbitrary<At<Record<string, string>>> = fc
  .record(
    {
      [ANNOTATION.enabled]: oneOf('true', 'true', 'true', 'true', 'false', '', 'ture'),
      [ANNOTATION.schedule]: fc.oneof({ arbitrary: schedule, weight: 8 }, oneOf('', '8-18', 'off')),
      [ANNOTATION.timezone]: oneOf(...ZONES, ...ZONES, '', 'Berlin'),
      [ANNOTATION.calendar]: oneOf(...CALENDARS, ...CALENDARS, '', 'closde', 'broken'),
      [ANNOTATION.autoWake]: oneOf('true', 'false', 'false', '', 'no'),
      [ANNOTATION.asleepReplicas]: oneOf('0', '1', '2', '', 'one'),
      [ANNOTATION.awakeUntil]: fc.oneof({ arbitrary: awakeUntil, weight: 4 }, oneOf('', 'soon')),
    },
    { requiredKeys: [] },
  )
  .map((each) => (now) => Object.fromEntries(Object.entries(each).map(([name, text]) => [name, text(now)])))

const labels = fc.record(
  { env: fc.constantFrom('dev', 'prod'), tier: fc.constantFrom('web', 'infra') },
  { requiredKeys: [] },
)
const texts = (ours: fc.Arbitrary<At<Record<string, string>>>): fc.Arbitrary<At<Texts>> =>
  fc
    .record({ annotations: ours, labels })
    .map((each) => (now) => ({ annotations: each.annotations(now), labels: each.labels }))
const none = fc.constant(always({}))

const policy = (globs: readonly string[]): fc.Arbitrary<At<object>> =>
  fc
    .record({
      namespaces: fc.record(
        {
          names: fc.subarray([...globs], { minLength: 1 }),
          selector: fc.constantFrom('env=dev', 'env in (dev,prod)', 'env!=prod'),
        },
        { requiredKeys: ['names'] },
      ),
      workloads: fc.option(
        fc.record(
          {
            kinds: fc.subarray(['deployments', 'statefulsets', 'cronjobs', 'daemonsets', 'replicasets'], {
              minLength: 1,
            }),
            selector: fc.constantFrom('tier!=infra', 'tier', 'tier=web'),
          },
          { requiredKeys: [] },
        ),
        { freq: 3 },
      ),
      settings: fc.record(
        {
          enabled: fc.constantFrom(true, true, true, false),
          timezone: fc.constantFrom(...ZONES),
          calendar: fc.constantFrom(...CALENDARS, ''),
          autoWake: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      schedule: fc.option(schedule, { freq: 5 }),
    })
    .map(({ namespaces, workloads, settings, schedule: text }) => (now) => ({
      namespaces,
      ...(workloads ? { workloads } : {}),
      ...settings,
      ...(text ? { schedule: text(now) } : {}),
    }))

/** Random ones for these Namespaces, each for the moment at which it is to hold. */
export function arrangements(spaces: readonly string[], workloads: number): fc.Arbitrary<At<Arrangement>> {
  const [space = ''] = spaces
  const [prefix = ''] = space.split(/\d+$/)
  // One that matches all of them, several that match some, and one that matches nothing.
  const globs = [`${prefix}*`, `${prefix}*0`, `${prefix}*1`, `${prefix}*3`, `${prefix}nothing`]
  return fc
    .record({
      policies: fc.array(policy(globs), { minLength: 1, maxLength: 5 }),
      namespaces: fc.array(fc.oneof(none, texts(annotations)), {
        minLength: spaces.length,
        maxLength: spaces.length,
      }),
      workloads: fc.array(
        fc.oneof({ arbitrary: none, weight: 3 }, texts(fc.constant(always({}))), texts(annotations)),
        { minLength: workloads, maxLength: workloads },
      ),
      newWorkloadGrace: fc.constantFrom('0s', '0s', '0s', '12h'),
      timezone: fc.constantFrom(...ZONES),
      late: hours,
    })
    .map((each) => (now) => ({
      config: {
        newWorkloadGrace: each.newWorkloadGrace,
        timezone: each.timezone,
        // Arrangements follow each other as fast as no people do.
        backoff: { maxOperations: 19 },
        policies: each.policies.map((one, index) => ({ name: `p${index}`, ...one(now) })),
        calendars: {
          closed: { dates: { [`${dateOf(now - 2 * DAY)}..${dateOf(now)}`]: '' } },
          late: { dates: { [dateOf(now)]: window({ ...each.late, days: '' }, now) } },
          broken: { files: ['/nowhere/dormouse.ics'] },
        },
      },
      namespaces: each.namespaces.map((one) => one(now)),
      workloads: each.workloads.map((one) => one(now)),
    }))
}

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}
