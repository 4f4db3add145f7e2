import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import { OPERATION_TYPES } from '../domain/state.ts'
import type { WorkloadTracker } from './workload-tracker.ts'

/** The values of the label `within`, in milliseconds: each counts all that come sooner, too. */
const WITHIN = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '4h': 4 * 3_600_000,
  '12h': 12 * 3_600_000,
  '24h': 24 * 3_600_000,
  '72h': 72 * 3_600_000,
} as const

/** Adds what the clock will bring, worked out when it is asked for. */
export function exportComing(registry: Registry, tracker: WorkloadTracker, clock: Clock): void {
  const registers = [registry]
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    collect: (gauge: Gauge<L>) => void,
  ) => {
    const made: Gauge<L> = new Gauge({
      name: `dormouse_${name}`,
      help,
      labelNames,
      registers,
      collect: () => collect(made),
    })
  }
  gauge(
    'coming_transitions',
    'Workloads that will be put to sleep or woken within the time that the label says, if nobody acts.',
    ['type', 'within'],
    (made) => {
      const now = clock()
      for (const type of OPERATION_TYPES)
        for (const [within, milliseconds] of Object.entries(WITHIN))
          made.set({ type, within }, tracker.coming.within(type, now, milliseconds))
    },
  )
  gauge(
    'overdue_transitions',
    'Workloads that should sleep or be awake by now, and are not yet.',
    ['type'],
    (made) => {
      for (const type of OPERATION_TYPES) made.set({ type }, tracker.coming.overdue(type, clock()))
    },
  )
  const waves =
    (set: (made: Gauge<'type'>, type: string, wave: { at: number; workloads: number }) => void) =>
    (made: Gauge<'type'>) => {
      made.reset()
      for (const type of OPERATION_TYPES) {
        const wave = tracker.coming.next(type, clock())
        if (wave) set(made, type, wave)
      }
    }
  gauge(
    'last_wave_timestamp_seconds',
    'When a workload was last put to sleep or woken by its schedule, in seconds since the epoch.',
    ['type'],
    (made) => {
      for (const type of OPERATION_TYPES) {
        const latest = tracker.latest[type]
        if (latest !== undefined) made.set({ type }, latest / 1000)
      }
    },
  )
  gauge(
    'next_wave_timestamp_seconds',
    'When workloads are next put to sleep or woken, in seconds since the epoch; absent: nothing will come.',
    ['type'],
    waves((made, type, { at }) => made.set({ type }, at / 1000)),
  )
  gauge(
    'next_wave_workloads',
    'How many workloads are put to sleep or woken at that time.',
    ['type'],
    waves((made, type, { workloads }) => made.set({ type }, workloads)),
  )
}
