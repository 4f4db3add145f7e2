import type { Row } from '../dashboard.ts'
import { graph, stat } from '../panels.ts'
import { ofLeader, ofOurs, overRange, REPLICA, selected } from '../queries.ts'
import { bad, good, PLAIN } from '../thresholds.ts'

const HOUR = 3600
const LEADER = selected('dormouse_leader')

export const HEALTH: Row = {
  id: 1,
  title: 'Health',
  panels: [
    stat({
      id: 2,
      title: 'Leaders',
      description:
        'One replica leads and acts. Without a leader no schedule is carried out; two are seen only for a moment, at a change of leader.',
      unit: 'short',
      thresholds: [...good(1, 1), { color: 'orange', value: 2 }],
      queries: [{ expr: `sum by (cluster) (${LEADER})`, legend: 'leaders {{cluster}}' }],
      width: 3,
      none: 'not scraped',
    }),
    stat({
      id: 3,
      title: 'Replicas',
      description:
        'Replicas of Dormouse that Prometheus reaches. If there is only one, each restart of it is an interruption.',
      unit: 'short',
      thresholds: good(1, 2),
      queries: [{ expr: `count by (cluster) (${LEADER})`, legend: 'replicas {{cluster}}' }],
      width: 3,
      none: 'not scraped',
    }),
    stat({
      id: 4,
      title: 'Watches that are down',
      description:
        'Each replica watches each kind, and Namespaces. While a watch is down, that replica notices nothing of its kind, and a leader does nothing about it.',
      unit: 'short',
      thresholds: bad(1, 1),
      queries: [{ expr: `sum(1 - ${selected('dormouse_watch_connected')})`, legend: 'down' }],
      width: 4,
    }),
    stat({
      id: 5,
      title: 'Certificate expires in',
      description:
        'Of the serving certificates, the one that expires first. It is renewed at two thirds of its lifetime; once it has expired, the API server cannot call the webhook.',
      unit: 's',
      thresholds: [
        { color: 'red', value: null },
        { color: 'orange', value: 2 * HOUR },
        { color: 'green', value: 24 * HOUR },
      ],
      queries: [
        {
          expr: `min(${selected('dormouse_certificate_expiry_timestamp_seconds')}) - time()`,
          legend: 'certificate',
        },
      ],
      width: 4,
      none: 'no webhook',
    }),
    stat({
      id: 6,
      title: 'Overdue',
      description:
        'Workloads that should be asleep or awake by now and are not. More than 0 for minutes is a fault.',
      unit: 'short',
      thresholds: bad(1, 10),
      queries: [{ expr: `sum(${ofLeader('dormouse_overdue_transitions', ['type'])})`, legend: 'overdue' }],
      width: 3,
      none: 'no leader',
    }),
    stat({
      id: 7,
      title: 'Internal failures',
      description:
        'Changes of workloads that could not be handled, in the chosen time range. Each is a fault of Dormouse: see the log.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1, 1),
      queries: [{ expr: overRange('dormouse_handler_failures_total', []), legend: 'failures' }],
      width: 4,
    }),
    stat({
      id: 8,
      title: 'Youngest process',
      description: 'How long the replica that started last has been running.',
      unit: 's',
      thresholds: PLAIN,
      queries: [{ expr: `time() - max(${ofOurs('process_start_time_seconds')})`, legend: 'running for' }],
      width: 3,
    }),
    graph({
      id: 9,
      title: 'Leader',
      description:
        '1: this replica leads. When another line goes up, the leader has changed. While the cluster is released none leads, until `dormouse release --undo`.',
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      max: 1,
      queries: [
        { expr: `max by (cluster, pod, instance) (${LEADER})`, legend: REPLICA },
        { expr: `max by (cluster) (${selected('dormouse_released')})`, legend: 'released {{cluster}}' },
      ],
      width: 8,
    }),
    graph({
      id: 10,
      title: 'Watches',
      description: '1: the watch of this kind is connected on every replica. 0: on at least one it is not.',
      unit: 'short',
      decimals: 0,
      thresholds: good(1, 1),
      max: 1,
      queries: [{ expr: `min by (kind) (${selected('dormouse_watch_connected')})`, legend: '{{kind}}' }],
      width: 8,
    }),
    graph({
      id: 105,
      title: 'Calendars',
      description:
        '1: the files of this calendar could be read on every replica. 0: on at least one they could not, so that what they said before counts there, or the calendar cannot be used: see the log.',
      unit: 'short',
      decimals: 0,
      thresholds: good(1, 1),
      max: 1,
      queries: [
        { expr: `min by (calendar) (${selected('dormouse_calendar_readable')})`, legend: '{{calendar}}' },
      ],
      width: 8,
    }),
  ],
}
