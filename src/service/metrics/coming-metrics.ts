import type { Gauge } from 'prom-client'
import type { Clock, Instant } from '../../process/clock.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import { OPERATION_TYPES, type OperationType } from '../../domain/workload/trigger.ts'
import type { Wave } from './coming.ts'
import type { MetricFactory } from './metric-factory.ts'
import type { Tally } from './tally.ts'
import type { WorkloadTracker } from './workload-tracker.ts'

/** The values of the label `within`, in milliseconds; a longer time includes the shorter ones. */
const WITHIN = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '4h': 4 * 3_600_000,
  '12h': 12 * 3_600_000,
  '24h': 24 * 3_600_000,
  '72h': 72 * 3_600_000,
} as const

interface ComingPorts {
  readonly clock: Clock
  /** How many workloads rightly wait for lower numbers of their order. */
  readonly waiting: (type: OperationType) => number
}

/** Adds the coming transitions by schedule, computed at each scrape. */
export function exportComing(
  factory: MetricFactory,
  tracker: WorkloadTracker,
  { clock, waiting }: ComingPorts,
): void {
  factory.gauge(
    'coming_transitions',
    'Workloads that will be put to sleep or woken within the time that the label says, if nobody acts.',
    ['type', 'within'],
    (gauge) => {
      const now = clock()
      for (const type of OPERATION_TYPES)
        for (const [within, milliseconds] of Object.entries(WITHIN))
          gauge.set({ type, within }, tracker.coming.within(type, now, milliseconds))
    },
  )
  factory.gauge(
    'overdue_transitions',
    'Workloads that should be asleep or awake by now, and are not yet; without those that wait by their order.',
    ['type'],
    (gauge) => {
      const now = clock()
      for (const type of OPERATION_TYPES)
        gauge.set({ type }, Math.max(0, tracker.coming.overdue(type, now) - waiting(type)))
    },
  )
  factory.gauge(
    'order_waiting',
    'Workloads that wait for those of their namespace with a lower wake-order to be ready, or with a lower sleep-order to be asleep.',
    ['type'],
    (gauge) => {
      for (const type of OPERATION_TYPES) gauge.set({ type }, waiting(type))
    },
  )
  factory.gauge(
    'calendar_changed_workloads',
    'Managed workloads whose hours a calendar replaces on a date of the coming seven days; hours none: asleep all day.',
    ['calendar', 'date', 'hours'],
    (gauge) => {
      gauge.reset()
      for (const { workloads, ...labels } of calendarChanges(tracker.schedules, clock()))
        gauge.set(labels, workloads)
    },
  )
  factory.gauge(
    'last_wave_timestamp_seconds',
    'When a workload was last put to sleep or woken by its schedule, in seconds since the epoch.',
    ['type'],
    (gauge) => {
      gauge.reset()
      for (const type of OPERATION_TYPES) {
        const latest = tracker.latest(type)
        if (latest !== undefined) gauge.set({ type }, latest / 1000)
      }
    },
  )
  const ofNextWave = (figure: (wave: Wave) => number) => (gauge: Gauge<'type'>) => {
    gauge.reset()
    for (const type of OPERATION_TYPES) {
      const wave = tracker.coming.next(type, clock())
      if (wave) gauge.set({ type }, figure(wave))
    }
  }
  factory.gauge(
    'next_wave_timestamp_seconds',
    'When workloads are next put to sleep or woken, in seconds since the epoch; absent: nothing will come.',
    ['type'],
    ofNextWave(({ at }) => at / 1000),
  )
  factory.gauge(
    'next_wave_workloads',
    'How many workloads are put to sleep or woken at that time.',
    ['type'],
    ofNextWave(({ workloads }) => workloads),
  )
}

/** Dates that are looked at, that of now included. */
const DAYS = 7

/** Workloads whose hours a calendar replaces on a date. */
interface Change {
  readonly calendar: string
  /** `2026-12-24` */
  readonly date: string
  /** `9:00-14:00`; `none`: asleep all day. */
  readonly hours: string
  readonly workloads: number
}

/**
 * The dates that calendars change within the next week, each in the workload's zone. Schedules are shared, so there are
 * few.
 */
function calendarChanges(schedules: Tally<Schedule>, now: Instant): Iterable<Change> {
  const found = new Map<string, Change>()
  for (const [schedule, count] of schedules) {
    for (let day = 0; day < DAYS; day += 1) {
      const replaced = schedule.replacedOn(now, day)
      if (!replaced) continue
      const { calendar, first: date, hours } = replaced
      const key = `${calendar} ${date} ${hours}`
      const workloads = (found.get(key)?.workloads ?? 0) + count
      found.set(key, { calendar, date, hours: hours || 'none', workloads })
    }
  }
  return found.values()
}
