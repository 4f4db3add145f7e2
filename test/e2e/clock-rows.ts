import type { Kind } from '../../src/domain/workload/workload.ts'
import type { WorkloadClient } from '../support/api-client.ts'
import { annotated } from '../support/manifests.ts'
import { awakeBetween } from '../support/schedules.ts'
import type { Served } from '../support/served.ts'

export const REPLICAS = 2
const HOUR = 3_600_000
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Settings that the rows count on. A new workload runs for an hour and a half, and so long does a backoff last. */
export const SETTINGS = {
  newWorkloadGrace: '90m',
  backoff: { maxOperations: 6, window: '1h', base: '90m', max: '90m' },
}

/** Makes a schedule of hours counted from the beginning, every day: awake from `from` to `to`. */
export type Hours = (from: number, to: number) => string

/**
 * A workload, and its states by the rules of docs/concepts.md, worked out by hand: `A` awake, `z` asleep. A
 * column is an instant that the clock is set to: the beginning, an hour, a day and a year from it, each followed by the
 * beginning again.
 */
export interface Row {
  readonly name: string
  readonly kind: Kind
  /** How many operations `set` makes. */
  readonly operations: number
  readonly annotations?: (hours: Hours) => Record<string, string>
  readonly set: (workload: WorkloadClient, hours: Hours, beginning: number) => Promise<unknown>
  /**    0 +1h 0 +1d 0 +1y 0 */
  readonly ahead: string
  /**    0 -1h 0 -1d 0 -1y 0 */
  readonly back: string
}

export const ROWS: readonly Row[] = [
  {
    name: 'asleep-by-schedule',
    kind: 'deployments',
    operations: 1,
    set: (workload, hours) => workload.enable({ schedule: hours(0.5, 8) }),
    ahead: 'z A z z z z z',
    back: ' z z z z z z z',
  },
  {
    name: 'awake-by-schedule',
    kind: 'statefulsets',
    operations: 0,
    set: (workload, hours) => workload.enable({ schedule: hours(-6, 0.5) }),
    ahead: 'A z A A A A A',
    back: ' A A A A A A A',
  },
  {
    name: 'just-woken-by-schedule',
    kind: 'replicasets',
    operations: 0,
    set: (workload, hours) => workload.enable({ schedule: hours(-0.5, 8) }),
    ahead: 'A A A A A A A',
    back: ' A z A A A A A',
  },
  {
    // Every jump of a day, or of the 365 of a year, leads to another day of the week.
    name: 'awake-on-one-day',
    kind: 'daemonsets',
    operations: 0,
    set: (workload, hours, beginning) => workload.enable({ schedule: onlyToday(hours(-1.5, 2), beginning) }),
    ahead: 'A A A z A z A',
    back: ' A A A z A z A',
  },
  {
    // Back: the request is of the future, so it is ignored; the wake's edge then takes its place.
    name: 'asleep-by-request-for-90m',
    kind: 'deployments',
    operations: 1,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(-6, 12) })
      await workload.snooze('?for=90m')
    },
    ahead: 'z z z A A A A',
    back: ' z A A A A A A',
  },
  {
    // Without a schedule there is no edge to take its place: at the beginning its time runs again.
    name: 'asleep-for-90m-without-schedule',
    kind: 'statefulsets',
    operations: 1,
    set: async (workload) => {
      await workload.enable()
      await workload.snooze('?for=90m')
    },
    ahead: 'z z z A z A z',
    back: ' z z z z z z z',
  },
  {
    name: 'held-awake-for-90m',
    kind: 'replicasets',
    operations: 2,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(6, 8) })
      await workload.wake('?for=90m')
    },
    ahead: 'A A A z z z z',
    back: ' A z z z z z z',
  },
  {
    name: 'held-awake-until-the-next-edge',
    kind: 'daemonsets',
    operations: 2,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(20, 22) })
      await workload.wake()
    },
    ahead: 'A A A z z z z',
    back: ' A z z z z z z',
  },
  {
    name: 'overridden-for-90m',
    kind: 'deployments',
    operations: 0,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(-6, 6) })
      await workload.override('90m')
      await workload.schedule({ schedule: hours(6, 8) })
    },
    ahead: 'A A A z z z z',
    back: ' A A A A A A A',
  },
  {
    name: 'overridden-for-good',
    kind: 'statefulsets',
    operations: 0,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(-6, 6) })
      await workload.override()
      await workload.schedule({ schedule: hours(6, 8) })
    },
    ahead: 'A A A A A A A',
    back: ' A A A A A A A',
  },
  {
    name: 'pinned-awake',
    kind: 'replicasets',
    operations: 0,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(-6, 0.5) })
      await workload.pin()
    },
    ahead: 'A A A A A A A',
    back: ' A A A A A A A',
  },
  {
    name: 'pinned-asleep',
    kind: 'daemonsets',
    operations: 1,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(0.5, 8) })
      await workload.pin()
    },
    ahead: 'z z z z z z z',
    back: ' z z z z z z z',
  },
  {
    // It waits for the end of its backoff to wake. Back: that end is more than 90 minutes ahead, so it is cut.
    name: 'in-backoff',
    kind: 'deployments',
    operations: 7,
    set: async (workload, hours) => {
      await workload.enable({ schedule: hours(-6, 12) })
      for (let round = 0; round < 3; round += 1) {
        await workload.snooze()
        await workload.wake()
      }
      await workload.snooze()
      await workload.schedule({ schedule: hours(-5, 13) })
    },
    ahead: 'z z z A A A A',
    back: ' z z z z A A A',
  },
  {
    name: 'new',
    kind: 'deployments',
    operations: 0,
    annotations: (hours) => annotated(hours(6, 8)),
    set: async () => {},
    ahead: 'A A A z z z z',
    back: ' A A A A A A A',
  },
]

/** Hours counted from `beginning`, to the minute. */
function hoursFrom(beginning: number): Hours {
  return (from, to) => awakeBetween(beginning + from * HOUR, beginning + to * HOUR)
}

function onlyToday(window: string, beginning: number): string {
  return `${window},${DAYS[new Date(beginning - 1.5 * HOUR).getUTCDay()]}`
}

/** The columns of a row. */
export function columns(text: string): ('awake' | 'asleep')[] {
  return text
    .trim()
    .split(' ')
    .map((letter) => (letter === 'A' ? 'awake' : 'asleep'))
}

/** Creates the workload of each row, and prepares it. */
export async function setRows(here: Served, beginning: number): Promise<void> {
  const hours = hoursFrom(beginning)
  await Promise.all(
    ROWS.map(async ({ name, kind, annotations, set }) => {
      const marks = annotations ? { annotations: annotations(hours) } : {}
      await set(await here.create(kind, name, { replicas: REPLICAS, ...marks }), hours, beginning)
    }),
  )
}
