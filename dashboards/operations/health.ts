import type { Row } from '../dashboard.ts'
import { graph, stat } from '../panels.ts'
import { ofLeader, ofOurs, overRange, REPLICA } from '../queries.ts'
import { bad, good, PLAIN } from '../thresholds.ts'

const HOUR = 3600

export const HEALTH: Row = {
  id: 1,
  title: 'Health',
  panels: [
    stat({
      id: 2,
      title: 'Leaders',
      description: 'One replica acts. Without one no schedule is carried out; two are no more than a moment.',
      unit: 'short',
      thresholds: [...good(1, 1), { color: 'orange', value: 2 }],
      queries: [{ expr: 'sum(dormouse_leader)', legend: 'leaders' }],
      width: 3,
      none: 'not scraped',
    }),
    stat({
      id: 3,
      title: 'Replicas',
      description:
        'Replicas of Dormouse that Prometheus reaches. With one alone, its restart is an interruption.',
      unit: 'short',
      thresholds: good(1, 2),
      queries: [{ expr: 'count(dormouse_leader)', legend: 'replicas' }],
      width: 3,
      none: 'not scraped',
    }),
    stat({
      id: 4,
      title: 'Watches that are down',
      description:
        'Of four kinds, on all replicas. While one is down, nothing of that kind is noticed or done.',
      unit: 'short',
      thresholds: bad(1, 1),
      queries: [{ expr: 'sum(1 - dormouse_watch_connected)', legend: 'down' }],
      width: 4,
    }),
    stat({
      id: 5,
      title: 'Certificate ends in',
      description:
        'The serving certificate that ends first. It is renewed at two thirds of its life; once it is over, the API server can ask the webhook nothing.',
      unit: 's',
      thresholds: [
        { color: 'red', value: null },
        { color: 'orange', value: 2 * HOUR },
        { color: 'green', value: 24 * HOUR },
      ],
      queries: [
        { expr: 'min(dormouse_certificate_expiry_timestamp_seconds) - time()', legend: 'certificate' },
      ],
      width: 4,
      none: 'no webhook',
    }),
    stat({
      id: 6,
      title: 'Overdue',
      description:
        'Workloads that should sleep or be awake by now and are not. More than 0 for minutes is a fault.',
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
        'In the chosen time range: changes of workloads whose handling threw. Each is a fault of ours: see the log.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1, 1),
      queries: [{ expr: overRange('dormouse_handler_failures_total', []), legend: 'failures' }],
      width: 4,
    }),
    stat({
      id: 8,
      title: 'Youngest process',
      description: 'For how long the replica that started last has been running.',
      unit: 's',
      thresholds: PLAIN,
      queries: [{ expr: `time() - max(${ofOurs('process_start_time_seconds')})`, legend: 'running for' }],
      width: 3,
    }),
    graph({
      id: 9,
      title: 'Leader',
      description: '1: this replica acts. Each change of the line that is up is a change of leader.',
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      max: 1,
      queries: [{ expr: 'max by (pod, instance) (dormouse_leader)', legend: REPLICA }],
      width: 12,
    }),
    graph({
      id: 10,
      title: 'Watches',
      description: '1: the watch of this kind stands on every replica. 0: on one at least it does not.',
      unit: 'short',
      decimals: 0,
      thresholds: good(1, 1),
      max: 1,
      queries: [{ expr: 'min by (kind) (dormouse_watch_connected)', legend: '{{kind}}' }],
      width: 12,
    }),
  ],
}
