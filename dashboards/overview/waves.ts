import { TRIGGER, TRIGGERS } from '../../src/domain/workload/trigger.ts'
import type { Row } from '../dashboard.ts'
import { bars, list, stat } from '../panels.ts'
import { ofLeader, perStep, timeOfLeader } from '../queries.ts'
import { PLAIN } from '../thresholds.ts'

type Type = 'snooze' | 'wake'

const IN_WAVES = TRIGGERS.filter((trigger) => TRIGGER[trigger].inWaves)
const everywhere = 'In all namespaces.'
const WITHIN = ['15m', '1h', '4h', '12h', '24h', '72h']
const DOES: Record<Type, string> = { snooze: 'go to sleep', wake: 'wake' }

/** Grafana counts times in milliseconds. */
function time(id: number, title: string, metric: string, type: Type, description: string, none: string) {
  return stat({
    id,
    title,
    description: `${description} ${everywhere}`,
    unit: 'dateTimeFromNow',
    thresholds: PLAIN,
    queries: [
      {
        expr: `${timeOfLeader(metric === next ? 'min' : 'max', metric, `type="${type}"`)} * 1000`,
        legend: type,
      },
    ],
    width: 4,
    none,
  })
}

function size(id: number, title: string, type: Type) {
  return stat({
    id,
    title,
    description: `How many workloads will ${DOES[type]} at that time; of several clusters, each at its own. ${everywhere}`,
    unit: 'short',
    thresholds: PLAIN,
    queries: [{ expr: ofLeader('dormouse_next_wave_workloads', [], `type="${type}"`), legend: type }],
    width: 4,
    none: '0',
  })
}

function coming(id: number, title: string, type: Type) {
  return list({
    id,
    title,
    description: `Workloads that will ${DOES[type]} by schedule within that time, if nobody acts; a longer time includes the shorter ones. ${everywhere}`,
    unit: 'short',
    thresholds: PLAIN,
    queries: WITHIN.map((within) => ({
      expr: ofLeader('dormouse_coming_transitions', [], `type="${type}", within="${within}"`),
      legend: `within ${within}`,
    })),
    width: 6,
  })
}

const next = 'dormouse_next_wave_timestamp_seconds'
const last = 'dormouse_last_wave_timestamp_seconds'

export const WAVES: Row = {
  id: 40,
  title: 'Waves',
  panels: [
    time(41, 'Next to sleep', next, 'snooze', 'When the next workloads go to sleep by schedule.', 'never'),
    size(42, 'How many will sleep', 'snooze'),
    time(43, 'Last to sleep', last, 'snooze', 'When a schedule last put a workload to sleep.', 'never yet'),
    time(44, 'Next to wake', next, 'wake', 'When the next workloads wake by schedule.', 'never'),
    size(45, 'How many will wake', 'wake'),
    time(46, 'Last to wake', last, 'wake', 'When a schedule last woke a workload.', 'never yet'),
    coming(47, 'Coming to sleep', 'snooze'),
    coming(48, 'Coming to wake', 'wake'),
    bars({
      id: 49,
      title: 'Waves by schedule',
      description: `Workloads that schedules put to sleep and woke, in each step of time. ${everywhere}`,
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      queries: [
        {
          expr: perStep('dormouse_operations_total', ['type'], `trigger=~"${IN_WAVES.join('|')}"`),
          legend: '{{type}}',
        },
      ],
      width: 12,
    }),
    list({
      id: 50,
      title: 'Calendars in the coming week',
      description: `Workloads whose hours a calendar replaces on a date of the coming seven days; none: they sleep all day. Nothing is shown where no calendar changes anything. ${everywhere}`,
      unit: 'short',
      thresholds: PLAIN,
      queries: [
        {
          expr: ofLeader('dormouse_calendar_changed_workloads', ['date', 'calendar', 'hours']),
          legend: '{{date}} {{calendar}}: {{hours}}',
        },
      ],
      width: 24,
    }),
  ],
}
